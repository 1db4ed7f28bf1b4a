"""What the CPU kernels share: dtypes, dimensions, argument tuples, result tuples, constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import twice

FLOATS = (mindspore.float32, mindspore.float64, mindspore.float16, mindspore.bfloat16)
INTEGERS = (mindspore.int8, mindspore.int16, mindspore.int32, mindspore.int64, mindspore.uint8)
COMPLEX = (mindspore.complex64, mindspore.complex128)


# below this many elements the number of operations decides about speed, above it what each of them costs
SMALL = 16384


class ValuesIndices(NamedTuple):
    """What PyTorch's `max`, `sort`, `topk` and their like return along a dimension."""

    values: Any
    indices: Any


def is_float(x: Any) -> bool:
    """Return whether the dtype is a real floating-point one."""
    return x.dtype in FLOATS


def as_float(x: Any) -> Any:
    """Return integers and booleans as float32, the rest unchanged: PyTorch's promotion of its float functions."""
    return x if x.dtype in FLOATS or x.dtype in COMPLEX else x.astype(mindspore.float32)


def check_probability(p: float) -> None:
    """Raise ValueError for what is no probability of a dropout."""
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def exactly(function: Callable[[Any], Any], x: Any) -> Any:
    """Return `function(x)`, computed in float64 where `x` holds shorter floats, in the dtype of `x`.

    MindSpore's CPU kernels are vectorized approximations in float32. Where exp is near 1 or log near 0 and only the
    difference counts, nothing of the result is left: expm1 of 1e-7 is 0, log1p of it off by 5 %.
    """
    if x.dtype in (mindspore.float32, mindspore.float16, mindspore.bfloat16):
        return function(x.astype(mindspore.float64)).astype(x.dtype)
    return function(x)


def long(x: Any) -> Any:
    """Return the tensor as int64, PyTorch's dtype of indices."""
    return x.astype(mindspore.int64)


def dims(x: Any, dim: Any) -> tuple[int, ...]:
    """Return `dim` (None, an int or a sequence; None and () mean all) as non-negative ints, ascending."""
    return _dims(x.ndim, dim)


@ops.constexpr(check=False)
def _dims(rank: int, dim: Any) -> tuple[int, ...]:
    given = () if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if len(given) == 0:
        return tuple(range(rank))
    for d in given:
        if not -max(rank, 1) <= d < max(rank, 1):
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {d})")
    return tuple(sorted(d % rank for d in given)) if rank else ()


def axis(x: Any, dim: int) -> int:
    """Return `dim` as a non-negative int; a 0-d tensor counts as 1-d."""
    rank = x.ndim if x.ndim > 0 else 1
    if dim < -rank or dim >= rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})")
    return dim % rank


def times(value: Any, n: int) -> tuple[Any, ...]:
    """Return a tuple of `n` numbers from a number, a sequence of one or a sequence of `n`."""
    if not isinstance(value, (tuple, list)):
        return (value,) * n
    return tuple(value) * n if len(value) == 1 else tuple(value)


def product(numbers: Any) -> int:
    """Return the product of ints."""
    result = 1
    for number in numbers:
        result = result * number
    return result


def like(x: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return `shape` with -1 resolved, for a reshape of a tensor that may be empty."""
    known = product([n for n in shape if n != -1])
    total = product(x.shape)
    return tuple([n if n != -1 else (total // known if known else 0) for n in shape])


@ops.constexpr(check=False)
def filled(shape: Any, value: Any, dtype: Any) -> Tensor:
    """Return a tensor made on the host, a constant of a compiled graph."""
    return Tensor(np.full(shape, value), dtype)


@ops.constexpr(check=False)
def indices(start: int, stop: int, step: int = 1) -> Tensor:
    """Return an int64 range made on the host, a constant of a compiled graph."""
    return Tensor(np.arange(start, stop, step, dtype=np.int64))


def has_nan(x: Any) -> bool:
    """Return whether a float tensor holds nan; not for compiled graphs, whose values are not known."""
    return x.dtype in FLOATS and bool(np.isnan(x.asnumpy()).any()) if x.dtype != mindspore.bfloat16 else False


def spread(x: Any, before: int, after: int) -> Any:
    """Repeat a vector (n,) to (before, n, after); MindSpore's broadcasting arithmetic is 30 times slower than this."""
    rows = mint.tile(x.reshape((1, -1)), (before, 1)) if before > 1 else x
    return mint.tile(rows.reshape((-1, 1)), (1, after)) if after > 1 else rows


@ops.constexpr(check=False)
def _bases(shape: tuple[int, ...], places: tuple[int, ...], dim: int) -> Tensor:
    """Return the flat index of each place as far as it does not depend on the index along `dim`."""
    base = np.zeros(places, np.int64)
    for d in range(len(shape)):
        if d != dim:
            line = np.arange(places[d], dtype=np.int64) * int(np.prod(shape[d + 1 :], dtype=np.int64))
            base += line.reshape([-1 if i == d else 1 for i in range(len(shape))])
    return Tensor(base)


def pick(x: Any, dim: int, places: Any) -> Any:
    """Return x[..., places, ...] along `dim`, one index per element of `places`."""
    if not twice():
        return mint.gather(x, dim, places)
    # the gradient of gather has none itself, that of a gather from a flat tensor has
    flat = places * product(x.shape[dim + 1 :]) + _bases(x.shape, places.shape, dim)
    return ops.gather(x.reshape(-1), flat.reshape(-1), 0).reshape(places.shape)


@ops.constexpr(check=False)
def image_size(size: Any) -> Tensor:
    """Return the size of an image as the tensor that `ops.fold` takes."""
    return Tensor(np.asarray(size, np.int32))


def zeros_of(shape: Any, x: Any) -> Any:
    """Return zeros of the dtype of `x`."""
    return filled(shape, 0, x.dtype)


def number_like(value: float, x: Any) -> Any:
    """Return a scalar operand that keeps double precision: MindSpore rounds Python floats to float32."""
    return filled((), value, x.dtype) if x.dtype == mindspore.float64 else value


def safe_sqrt(x: Any) -> Any:
    """Return the square root with PyTorch's subgradient 0 at 0 of `norm` and `std`."""
    zero = x == 0
    return mint.where(zero, x, mint.sqrt(mint.where(zero, ops.ones_like(x), x)))
