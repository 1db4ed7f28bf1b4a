"""Random tensors. Python draws from the runtime's generator; a compiled graph draws from MindSpore's kernels."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from ... import _rng
from .._trace import compiling

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

_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))


def _shape(size: tuple[Any, ...]) -> tuple[int, ...]:
    if len(size) == 1 and not isinstance(size[0], int):
        return tuple(size[0])
    return tuple(size)


def _uniform(shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    if compiling():
        return ops.rand(*shape, dtype=dtype) if len(shape) else ops.rand(1, dtype=dtype).reshape(())
    drawn = _rng.uniform(shape, 0.0, 1.0, generator)
    # rounding to float32 may reach 1, which is outside [0, 1)
    return Tensor(drawn if dtype == mindspore.float64 else np.minimum(np.asarray(drawn, np.float32), _BELOW_ONE), dtype)


def _normal(shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    if compiling():
        return ops.randn(*shape, dtype=dtype) if len(shape) else ops.randn(1, dtype=dtype).reshape(())
    return Tensor(_rng.normal(shape, 0.0, 1.0, generator), dtype)


def _integers(low: int, high: int, shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    if compiling():
        return ops.randint(low, high, shape).astype(dtype)
    return Tensor(_rng.integers(low, high, shape, generator), dtype)


def rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw from the uniform distribution on [0, 1)."""
    return _uniform(_shape(size), generator, mindspore.float32 if dtype is None else dtype)


def randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw from the standard normal distribution."""
    return _normal(_shape(size), generator, mindspore.float32 if dtype is None else dtype)


def rand_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw a tensor of the shape (and dtype) of `input` from the uniform distribution on [0, 1)."""
    return _uniform(input.shape, None, input.dtype if dtype is None else dtype)


def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw a tensor of the shape (and dtype) of `input` from the standard normal distribution."""
    return _normal(input.shape, None, input.dtype if dtype is None else dtype)


def randint(*args: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw integers: `randint(high, size)` or `randint(low, high, size)`; int64 unless `dtype` says otherwise."""
    low, high, size = (0, *args) if len(args) == 2 else args
    return _integers(low, high, tuple(size), generator, mindspore.int64 if dtype is None else dtype)


def randint_like(input: Tensor, *args: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Draw integers of the shape (and dtype) of `input`: `randint_like(input, high)` or `(input, low, high)`."""
    low, high = (0, args[0]) if len(args) == 1 else args
    return _integers(low, high, input.shape, None, input.dtype if dtype is None else dtype)


def randperm(n: int, *, generator: Any = None, dtype: Any = mindspore.int64) -> Tensor:
    """Draw a permutation of 0 ... n - 1."""
    if compiling():
        # ops.randperm returns the same permutation on every call
        return ops.sort(ops.rand(n))[1].astype(dtype)
    return Tensor(_rng.permutation(n, generator), dtype)


def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """Draw 0 or 1, with the probabilities of 1 that `input` holds."""
    if compiling():
        return (ops.rand_like(input) < input).astype(input.dtype)
    return Tensor(_rng.bernoulli_mask(input.asnumpy(), input.shape, generator), input.dtype)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Draw `num_samples` indices (int64) from each row of weights."""
    if compiling():
        return ops.multinomial(input, num_samples, replacement).astype(mindspore.int64)
    weights = input.asnumpy()
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (weights.sum(axis=-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    return Tensor(_rng.multinomial(weights, num_samples, replacement, generator))


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Draw from normal distributions; the shape is `size`, or that of the tensors `mean` and `std`."""
    if size is not None:
        shape: tuple[int, ...] = (size,) if isinstance(size, int) else tuple(size)
    elif isinstance(mean, Tensor) and isinstance(std, Tensor):
        shape = mint.add(mean, std).shape
    else:
        shape = mean.shape if isinstance(mean, Tensor) else std.shape if isinstance(std, Tensor) else ()
    like = mean if isinstance(mean, Tensor) else std
    dtype = like.dtype if isinstance(like, Tensor) else mindspore.float32
    if compiling() or isinstance(mean, Tensor) or isinstance(std, Tensor):
        return _normal(shape, generator, dtype) * std + mean
    return Tensor(_rng.normal(shape, mean, std, generator), dtype)
