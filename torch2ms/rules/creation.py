"""Functions that make tensors."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.zeros(*size, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False, names=None)", "mint.zeros(size, dtype=dtype)"),
    Api("torch.zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format)", "mint.zeros_like(input, dtype=dtype)"),
    Api("torch.ones(*size, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False, names=None)", "mint.ones(size, dtype=dtype)"),
    Api("torch.ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format)", "mint.ones_like(input, dtype=dtype)"),
    Api("torch.empty(*size, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False, memory_format=torch.contiguous_format, names=None)", "mint.empty(*size, dtype=dtype)"),
    Api("torch.empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format)", "mint.empty_like(input, dtype=dtype)"),
    Api("torch.full(size, fill_value, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)", "mint.full(size, fill_value, dtype=dtype)"),
    Api("torch.full_like(input, fill_value, *, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False, memory_format=torch.preserve_format)", "mint.full_like(input, fill_value, dtype=dtype)"),
    Api("torch.arange(start=0, end=None, step=1, *, out=None, dtype=None, layout=torch.strided, device=None, pin_memory=False, requires_grad=False)", "mint.arange(start, end, step, dtype=dtype)"),
    Api("torch.range", None, "use torch.arange, which leaves out the end"),
    Api("torch.linspace(start, end, steps, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.linspace(start, end, steps, dtype=dtype)"),
    Api("torch.logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.logspace(start, end, steps, base, dtype=dtype)"),
    Api("torch.eye(n, m=None, *, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.eye(n, m, dtype=dtype)"),
    Api("torch.from_numpy(ndarray)", "mindspore.from_numpy((_ := ndarray))"),
    Api("torch.complex(real, imag, *, out=None)", "mint.complex(real, imag)"),
    Api("torch.polar(abs, angle, *, out=None)", "mint.polar(abs, angle)"),
    Api("torch.heaviside(input, values, *, out=None)", "mint.heaviside(input, values)"),
    Api("torch.hann_window(window_length, periodic=True, *, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.hann_window(window_length, periodic, dtype=dtype)"),
    Api("torch.hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=torch.strided, device=None, pin_memory=False, requires_grad=False)", "mint.hamming_window(window_length, periodic, alpha, beta, dtype=dtype)"),
    Api("torch.bartlett_window(window_length, periodic=True, *, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.bartlett_window(window_length, periodic, dtype=dtype)"),
    Api("torch.blackman_window(window_length, periodic=True, *, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.blackman_window(window_length, periodic, dtype=dtype)"),
    Api("torch.kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=torch.strided, device=None, requires_grad=False)", "mint.kaiser_window(window_length, periodic, beta, dtype=dtype)"),
    Api("torch.tril_indices(row, col, offset=0, *, dtype=torch.long, device='cpu', layout=torch.strided)", "ops.tril_indices(row, col, offset, dtype=dtype)"),
    Api("torch.triu_indices(row, col, offset=0, *, dtype=torch.long, device='cpu', layout=torch.strided)", "ops.triu_indices(row, col, offset, dtype=dtype)"),
    Api("torch.vander(x, N=None, increasing=False)", "mint.vander(x, N, increasing)"),
    Api("torch.from_dlpack", None, "use torch.from_numpy"),
    Api("torch.frombuffer", None, "use numpy.frombuffer and torch.from_numpy"),
    Api("torch.empty_strided", None, "use torch.empty; MindSpore tensors have no user-defined strides"),
    Api("torch.empty_permuted", None, "use torch.empty and permute"),
)
