"""Random tensors, equal to those that PyTorch draws on the CPU after the same seed."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint

from .._trace import compiling
from . import draws

__all__ = [
    "bernoulli",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
]


def _shape(size: tuple[Any, ...]) -> tuple[int, ...]:
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        return tuple(size[0])
    return tuple(size)


def rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw from the uniform distribution on [0, 1)."""
    return draws.uniform(_shape(size), generator, mindspore.float32 if dtype is None else dtype)


def randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw from the standard normal distribution."""
    return draws.normal(_shape(size), generator, mindspore.float32 if dtype is None else dtype)


def rand_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw a tensor of the shape (and dtype) of `input` from the uniform distribution on [0, 1)."""
    return draws.uniform(input.shape, None, input.dtype if dtype is None else dtype)


def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw a tensor of the shape (and dtype) of `input` from the standard normal distribution."""
    return draws.normal(input.shape, None, input.dtype if dtype is None else dtype)


def randint(*args: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw integers: `randint(high, size)` or `randint(low, high, size)`; int64 unless `dtype` says otherwise."""
    low, high, size = (0, *args) if len(args) == 2 else args
    return draws.integers(low, high, tuple(size), generator, mindspore.int64 if dtype is None else dtype)


def randint_like(input: Tensor, *args: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw integers of the shape (and dtype) of `input`: `randint_like(input, high)` or `(input, low, high)`."""
    low, high = (0, args[0]) if len(args) == 1 else args
    return draws.integers(low, high, input.shape, None, input.dtype if dtype is None else dtype)


def randperm(n: int, *, generator: Any = None, dtype: Any = mindspore.int64) -> Tensor:
    """Draw a permutation of 0 ... n - 1."""
    return draws.permutation(n, generator, dtype)


def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """Draw 0 or 1, with the probabilities of 1 that `input` holds."""
    return draws.bernoulli(input, generator)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Draw `num_samples` indices (int64) from each row of weights."""
    if not compiling():
        _check_weights(input.asnumpy(), num_samples, replacement)
    return draws.multinomial(input, num_samples, replacement, generator)


def _check_weights(weights: np.ndarray, num_samples: int, replacement: bool) -> None:
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (weights.sum(axis=-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Draw from normal distributions; the shape is `size`, or that of the tensors `mean` and `std`."""
    if size is not None:
        shape = _shape((size,))
    elif isinstance(mean, Tensor) and isinstance(std, Tensor):
        shape = mint.add(mean, std).shape
    else:
        shape = mean.shape if isinstance(mean, Tensor) else std.shape if isinstance(std, Tensor) else ()
    like = mean if isinstance(mean, Tensor) else std
    dtype = like.dtype if isinstance(like, Tensor) else mindspore.float32
    return draws.normal(shape, generator, dtype) * std + mean
