"""Fourier transforms of overlapping frames of a signal, and back.

https://docs.pytorch.org/docs/stable/generated/torch.stft.html
"""

from __future__ import annotations

import math
from typing import Any

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .. import fft
from .._trace import compiling
from ..nn import _device as F
from .numeric import complex, view_as_real

__all__ = ["istft", "stft"]


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Return (batch, frequencies, frames) of a signal (batch, length); with return_complex=False two parts at the end."""
    if input.is_complex() or (window is not None and window.is_complex()):
        raise NotImplementedError("mint.stft of complex numbers")
    if return_complex is None:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs")
    if align_to_window:
        raise NotImplementedError("mint.stft(align_to_window=True)")
    x = input if input.ndim == 2 else input.unsqueeze(0)
    if center:
        x = F.pad(x.unsqueeze(0), (n_fft // 2, n_fft // 2), pad_mode).squeeze(0)
    hop = n_fft // 4 if hop_length is None else hop_length
    count = 1 + (x.shape[-1] - n_fft) // hop
    frames = mint.index_select(x, 1, _places(count, hop, n_fft)).reshape((x.shape[0], count, n_fft))
    frames = frames * _padded(window, win_length, n_fft, x.dtype)
    norm = "ortho" if normalized else None
    found = fft.rfft(frames, norm=norm) if onesided in (None, True) else fft.fft(frames, norm=norm)
    found = found.swapaxes(1, 2)
    found = found if input.ndim == 2 else found.squeeze(0)
    return found if return_complex else view_as_real(found)


def _places(frames: int, hop: int, length: int) -> Tensor:
    """The places of the elements of all frames, one frame after the other."""
    starts = mint.arange(frames, dtype=mindspore.int64) * hop
    return (starts.unsqueeze(-1) + mint.arange(length, dtype=mindspore.int64)).reshape(-1)


def _padded(window: Tensor | None, win_length: int | None, n_fft: int, dtype: Any) -> Tensor:
    """The window in the middle of `n_fft` zeros."""
    length = n_fft if win_length is None else win_length
    found = mint.ones((length,), dtype=dtype) if window is None else window
    left = (n_fft - length) // 2
    return F.pad(found, (left, n_fft - length - left)) if length < n_fft else found


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """Return the signal of (batch, frequencies, frames), by the least squares of its overlapping frames."""
    if return_complex:
        raise NotImplementedError("mint.istft(return_complex=True)")
    if not input.is_complex():
        raise RuntimeError("istft requires a complex-valued input tensor")
    x = (input if input.ndim == 3 else input.unsqueeze(0)).swapaxes(1, 2)
    hop = n_fft // 4 if hop_length is None else hop_length
    if x.shape[-1] == n_fft and onesided is not True and n_fft > 1:
        parts = [mint.narrow(part, -1, 0, n_fft // 2 + 1) for part in (ops.real(x), ops.imag(x))]
        x = complex(*parts)
    frames = fft.irfft(x, n_fft, norm="ortho" if normalized else None)
    shape = _padded(window, win_length, n_fft, frames.dtype)
    signal = _overlapped(frames * shape, hop)
    weight = _overlapped(mint.broadcast_to(shape * shape, (1, frames.shape[1], n_fft)), hop)
    start, end = (n_fft // 2 if center else 0), signal.shape[-1] - (n_fft // 2 if center else 0)
    if length is not None:
        end = min(start + length, signal.shape[-1])
    signal, weight = (mint.narrow(t, 1, start, end - start) for t in (signal, weight))
    if not compiling() and float(mint.amin(mint.abs(ops.stop_gradient(weight))).asnumpy()) <= 1e-11:
        raise RuntimeError("window overlap add min: 1")
    found = signal / weight
    if length is not None and length > end - start:
        found = F.pad(found, (0, length - (end - start)))
    return found if input.ndim == 3 else found.squeeze(0)


def _overlapped(frames: Tensor, hop: int) -> Tensor:
    """The sum of frames (batch, count, length), each `hop` elements after the one before."""
    batch, count, length = frames.shape
    places = mint.broadcast_to(_places(count, hop, length), (batch, count * length))
    total = mint.zeros((batch, length + hop * (count - 1)), dtype=frames.dtype)
    return mint.scatter_add(total, 1, places, frames.reshape((batch, math.prod((count, length)))))
