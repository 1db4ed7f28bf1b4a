"""Random arrays as tensors, from the runtime's stream: for Python directly, for compiled graphs by a call back to it.

MindSpore's own random kernels can not be seeded once a graph is compiled, and numpy in a graph would be drawn once.
"""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, ops

from ... import _rng
from .._trace import compiling
from .common import filled


def drawn_in(dtype: Any) -> Any:
    """Return numpy's type of the numbers that PyTorch draws for a dtype."""
    return np.float64 if dtype == mindspore.float64 else np.float32


_BELOW_ONE = np.nextafter(np.float32(1), np.float32(0))


def _below_one(drawn: np.ndarray) -> np.ndarray:
    # rounding to float32 may reach 1, which is outside [0, 1)
    return drawn if drawn.dtype == np.float64 else np.minimum(drawn, _BELOW_ONE)


def _first_shape(x: Any, *_: Any) -> Any:
    return x


def _first_dtype(x: Any, *_: Any) -> Any:
    return x


def _second_shape(_: Any, x: Any) -> Any:
    return x


def _second_dtype(_: Any, x: Any) -> Any:
    return x


def _host_uniform(like: np.ndarray) -> np.ndarray:
    return _below_one(_rng.uniform(like.shape, dtype=like.dtype)).astype(like.dtype)


def _host_normal(like: np.ndarray) -> np.ndarray:
    return _rng.normal(like.shape, dtype=like.dtype).astype(like.dtype)


def _host_exponential(like: np.ndarray) -> np.ndarray:
    return _rng.exponential(like.shape).astype(like.dtype)


def _host_integers(like: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    return _rng.integers(int(bounds[0]), int(bounds[1]), like.shape)


def _host_permutation(like: np.ndarray) -> np.ndarray:
    return _rng.permutation(like.shape[0])


def _host_bernoulli(like: np.ndarray, p: np.ndarray) -> np.ndarray:
    number = p.shape == (1,) and p.dtype == np.float64
    return _rng.bernoulli_mask(float(p[0]) if number else p, like.shape).astype(like.dtype)


def _host_multinomial(weights: np.ndarray, like: np.ndarray) -> np.ndarray:
    return _rng.multinomial(weights, like.shape[-1], bool(like.flat[0]))


def _calling(host: Any, shape: Any = _first_shape, dtype: Any = _first_dtype) -> Any:
    """Return an operation that a compiled graph runs by calling `host`, each time and in order."""
    operation = ops.Custom(host, out_shape=shape, out_dtype=dtype, func_type="pyfunc")
    operation.add_prim_attr("side_effect_hidden", True)
    return operation


_uniform_op = _calling(_host_uniform)
_normal_op = _calling(_host_normal)
_exponential_op = _calling(_host_exponential)
_integers_op = _calling(_host_integers)
_permutation_op = _calling(_host_permutation)
_bernoulli_op = _calling(_host_bernoulli)
_multinomial_op = _calling(_host_multinomial, _second_shape, _second_dtype)


def _called(operation: Any, shape: tuple[int, ...], dtype: Any) -> Tensor:
    wide = mindspore.float64 if dtype == mindspore.float64 else mindspore.float32
    # the call back gets 0-d arrays as numbers
    drawn = ops.stop_gradient(operation(filled(shape if len(shape) else (1,), 0, wide)))
    return drawn.reshape(shape).astype(dtype)


def uniform(shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    """Draw from [0, 1)."""
    if compiling():
        return _called(_uniform_op, shape, dtype)
    return Tensor(_below_one(_rng.uniform(shape, generator=generator, dtype=drawn_in(dtype))), dtype)


def normal(shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    """Draw from the standard normal distribution."""
    if compiling():
        return _called(_normal_op, shape, dtype)
    return Tensor(_rng.normal(shape, generator=generator, dtype=drawn_in(dtype)), dtype)


def exponential(like: Tensor) -> Tensor:
    """Draw from the standard exponential distribution a tensor of the shape and dtype of `like`."""
    if compiling():
        return _called(_exponential_op, like.shape, like.dtype)
    return Tensor(_rng.exponential(like.shape), like.dtype)


def integers(low: int, high: int, shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    """Draw from low ... high - 1."""
    if compiling():
        like = filled(shape if len(shape) else (1,), 0, mindspore.int64)
        return _integers_op(like, filled((2,), (low, high), mindspore.int64)).reshape(shape).astype(dtype)
    return Tensor(_rng.integers(low, high, shape, generator), dtype)


def permutation(n: int, generator: Any, dtype: Any) -> Tensor:
    """Draw a permutation of 0 ... n - 1."""
    if compiling():
        return _permutation_op(filled((n,), 0, mindspore.int64)).astype(dtype)
    return Tensor(_rng.permutation(n, generator), dtype)


def keep(p: float, shape: tuple[int, ...], generator: Any, dtype: Any) -> Tensor:
    """Draw 1 with probability `p`, else 0."""
    if compiling():
        wide = mindspore.float64 if dtype == mindspore.float64 else mindspore.float32
        like = filled(shape if len(shape) else (1,), 0, wide)
        drawn = ops.stop_gradient(_bernoulli_op(like, filled((1,), p, mindspore.float64)))
        return drawn.reshape(shape).astype(dtype)
    return Tensor(_rng.bernoulli_mask(p, shape, generator), dtype)


def bernoulli(probabilities: Tensor, generator: Any) -> Tensor:
    """Draw 1 with the probabilities of a tensor, else 0."""
    if compiling():
        p = probabilities if probabilities.ndim else probabilities.reshape(1)
        return ops.stop_gradient(_bernoulli_op(p, p)).reshape(probabilities.shape)
    drawn = _rng.bernoulli_mask(probabilities.asnumpy(), probabilities.shape, generator)
    return Tensor(drawn, probabilities.dtype)


def multinomial(weights: Tensor, n: int, replacement: bool, generator: Any) -> Tensor:
    """Draw `n` indices from each row of weights."""
    if compiling():
        shape = tuple(weights.shape[:-1]) + (n,)
        return _multinomial_op(weights, filled(shape, 1 if replacement else 0, mindspore.int64))
    return Tensor(_rng.multinomial(weights.asnumpy(), n, replacement, generator))
