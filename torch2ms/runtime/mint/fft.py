"""PyTorch's fourier transforms on the kernels of `mindspore.ops`, with integers, booleans and single dimensions.

https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mindspore
from mindspore import Tensor, ops

from .._lower import lifting as _lifting

Dims = int | Sequence[int] | None


def _floating(x: Tensor) -> Tensor:
    return x.astype(mindspore.float32) if x.dtype == mindspore.bool_ else x


def _numbers(x: Tensor) -> Tensor:
    if x.dtype == mindspore.bool_:
        # PyTorch's result is the conjugate of what it gives for the same numbers as floats
        raise NotImplementedError("mint.fft: Hermitian transforms of booleans: convert to floats first")
    return x


def _dims(dim: Dims) -> Any:
    return (dim,) if isinstance(dim, int) else dim


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the transform along one dimension, `n` points of it."""
    return ops.fft(_floating(input), n, dim, norm)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of `fft`."""
    return ops.ifft(_floating(input), n, dim, norm)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the half of the transform of real numbers that determines the rest."""
    return ops.rfft(_floating(input), n, dim, norm)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of `rfft`."""
    return ops.irfft(_floating(input), n, dim, norm)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the real transform of half a Hermitian signal."""
    return ops.hfft(_floating(input), n, dim, norm)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Return the inverse of `hfft`."""
    return ops.ihfft(_numbers(input), n, dim, norm)


def fftn(input: Tensor, s: Any = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """Return the transform along several dimensions, all of them by default."""
    return ops.fftn(_floating(input), s, _dims(dim), norm)


def ifftn(input: Tensor, s: Any = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """Return the inverse of `fftn`."""
    return ops.ifftn(_floating(input), s, _dims(dim), norm)


def rfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """Return the half of the transform of real numbers that determines the rest, halved along the last dimension."""
    return ops.rfftn(_floating(input), s, _dims(dim), norm)


def ihfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """Return the inverse of `hfftn`."""
    return ops.ihfftn(_numbers(input), s, _dims(dim), norm)


def fft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the transform of the last two dimensions."""
    return ops.fft2(_floating(input), s, _dims(dim), norm)


def ifft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse of `fft2`."""
    return ops.ifft2(_floating(input), s, _dims(dim), norm)


def rfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """Return `rfftn` of the last two dimensions."""
    return ops.rfft2(_floating(input), s, _dims(dim), norm)


def irfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse of `rfft2`."""
    return ops.irfft2(_floating(input), s, _dims(dim), norm)


def hfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the real transform of half a Hermitian signal of two dimensions."""
    return ops.hfft2(_floating(input), s, _dims(dim), norm)


def ihfft2(input: Tensor, s: Any = None, dim: Dims = (-2, -1), norm: str | None = None) -> Tensor:
    """Return the inverse of `hfft2`."""
    return ops.ihfft2(_numbers(input), s, _dims(dim), norm)


def irfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """Return the inverse of `rfftn`, one dimension after the other."""
    *others, (last, points) = _lengths(input, s, dim)
    x = input
    for d, n in others:
        x = ifft(x, n, d, norm)
    return irfft(x, points, last, norm)


def hfftn(input: Tensor, s: Any = None, dim: Dims = None, norm: str | None = None) -> Tensor:
    """Return the real transform of a signal that is Hermitian in its last dimension, one dimension after the other."""
    *others, (last, points) = _lengths(input, s, dim)
    x = _numbers(input)
    for d, n in others:
        x = fft(x, n, d, norm)
    return hfft(x, points, last, norm)


def _lengths(x: Tensor, s: Any, dim: Dims) -> list[tuple[int, int | None]]:
    """Return the dimensions to transform and how many points of each, None for all of them."""
    sizes = None if s is None else ((s,) if isinstance(s, int) else tuple(s))
    if dim is None:
        dims = tuple(range(x.ndim)) if sizes is None else tuple(range(x.ndim - len(sizes), x.ndim))
    else:
        dims = tuple(_dims(dim))
    if not dims:
        raise RuntimeError("at least one axis must be transformed")
    points = (None,) * len(dims) if sizes is None else tuple(None if n == -1 else n for n in sizes)
    return list(zip(dims, points))


globals().update(_lifting.lift_functions(globals()))
