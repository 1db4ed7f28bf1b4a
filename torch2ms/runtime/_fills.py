"""What PyTorch's in-place draws write into a tensor, as new tensors of its shape and type.

The numbers are those that PyTorch draws on the CPU from the same state.
https://pytorch.org/docs/stable/torch.html#in-place-random-sampling
"""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from . import _rng
from .mint._cpu import draws
from .mint._trace import compiling

# `random_()` draws every whole number that the type holds without gaps
_WHOLE = {
    "Float16": 2**11 + 1, "BFloat16": 2**8 + 1, "Float32": 2**24 + 1, "Float64": 2**53 + 1, "UInt8": 2**8,
    "Int8": 2**7, "Int16": 2**15, "Int32": 2**31, "Int64": 2**63, "Bool": 2,
}  # fmt: skip
_FLOATING = (mindspore.float16, mindspore.bfloat16, mindspore.float32, mindspore.float64)
_TINY = float(np.finfo(np.float64).eps)




def _check(fits: bool, message: str) -> None:
    if not fits:
        raise RuntimeError(message)


def _check_floating(input: Tensor, name: str) -> None:
    _check(input.dtype in _FLOATING, f"{name} draws floating point numbers, but the tensor holds {input.dtype}")


def _as(like: Tensor, drawn: np.ndarray) -> Tensor:
    return Tensor(np.asarray(drawn), like.dtype)


def normal_like(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Draw from the normal distribution."""
    if compiling():
        return draws.normal(input.shape, None, input.dtype) * std + mean
    _check_floating(input, "normal_")
    _check(std >= 0, f"normal_ expects std >= 0, but found std={std}")
    return _as(input, _rng.normal(input.shape, mean, std, generator, draws.drawn_in(input.dtype)))


def uniform_like(input: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    """Draw from [low, high)."""
    if compiling():
        return draws.uniform(input.shape, None, input.dtype) * (high - low) + low
    _check_floating(input, "uniform_")
    _check(low <= high, f"uniform_ expects from <= to, but found from={low} and to={high}")
    return _as(input, _rng.uniform(input.shape, low, high, generator, draws.drawn_in(input.dtype)))


def exponential_like(input: Tensor, rate: float = 1.0, *, generator: Any = None) -> Tensor:
    """Draw from the exponential distribution."""
    if compiling():
        return draws.exponential(input) / rate
    _check_floating(input, "exponential_")
    _check(rate > 0, f"exponential_ expects lambda > 0, but found lambda={rate}")
    return _as(input, _rng.exponential(input.shape, rate, generator))


def bernoulli_like(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Draw 0 or 1, 1 with probability `p`: a number, or a tensor that broadcasts to the shape."""
    if isinstance(p, Tensor):
        return draws.bernoulli(p.broadcast_to(input.shape), generator).astype(input.dtype)
    return draws.keep(p, input.shape, generator, input.dtype)


def random_like(input: Tensor, *bounds: int, generator: Any = None) -> Tensor:
    """Draw whole numbers: below one bound, between two, or all that the type holds."""
    if not bounds and input.dtype == mindspore.int32 and not compiling():
        # 31 bits of one word, where a range as wide takes two
        words = _rng.stream(generator).bits(int(np.prod(input.shape)))
        return _as(input, (words & np.uint32(2**31 - 1)).reshape(input.shape))
    low, high = (0, _WHOLE[str(input.dtype)]) if not bounds else (0, *bounds)[-2:]
    return draws.integers(int(low), int(high), input.shape, generator, input.dtype)


def geometric_like(input: Tensor, p: float, *, generator: Any = None) -> Tensor:
    """Draw the number of the first success of trials that succeed with probability `p`."""
    _check(0 < p < 1, f"geometric_ expects p to be in (0, 1), but got p={p}")
    drawn = _host_uniform(input, generator)
    with np.errstate(divide="ignore"):
        return _as(input, np.ceil(np.log(drawn) / np.log1p(-p)))


def cauchy_like(input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Any = None) -> Tensor:
    """Draw from the Cauchy distribution."""
    _check_floating(input, "cauchy_")
    _check(sigma > 0, f"cauchy_ expects sigma > 0, but found sigma={sigma}")
    drawn = np.clip(_host_uniform(input, generator), _TINY, 1 - _TINY)
    return _as(input, median + sigma * np.tan(np.pi * (drawn - 0.5)))


def log_normal_like(input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Any = None) -> Tensor:
    """Draw numbers whose logarithm is normal with this mean and standard deviation."""
    _refuse_compiling()
    _check_floating(input, "log_normal_")
    _check(std > 0, f"log_normal_ expects std > 0, but found std={std}")
    # drawn one after the other, however many there are
    count = int(np.prod(input.shape))
    single = [float(_rng.normal((), mean, std, generator, np.float64)) for _ in range(count)]
    return _as(input, np.exp(np.array(single)).reshape(input.shape))


def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Draw numbers of events at the rates that `input` holds; other numbers than PyTorch's after the same seed."""
    _refuse_compiling()
    rates = input.asnumpy()
    _check(bool((rates >= 0).all()), "invalid Poisson rate, expected all elements to be >= 0")
    source = np.random.RandomState(int(_rng.integers(0, 2**32, (), generator)))
    return _as(input, source.poisson(rates))


def _host_uniform(input: Tensor, generator: Any) -> np.ndarray:
    _refuse_compiling()
    return _rng.uniform(input.shape, generator=generator, dtype=np.float64)


def _refuse_compiling() -> None:
    # numpy inside a graph would be drawn once, when the graph is compiled
    if compiling():
        raise RuntimeError("this distribution is drawn on the host and cannot be part of a compiled graph")
