"""Functions that draw random numbers."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.rand(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)", "mint.rand(*size, generator=generator, dtype=dtype)"),
    Api("torch.rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format)", "mint.rand_like(input, dtype=dtype)"),
    Api("torch.randn(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)", "mint.randn(*size, generator=generator, dtype=dtype)"),
    Api("torch.randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=torch.preserve_format)", "mint.randn_like(input, dtype=dtype)"),
    Api("torch.randint_like(input, low=0, high=None, *, generator=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False, memory_format=torch.preserve_format)", "mint.randint_like(input, low, high, generator=generator, dtype=dtype)"),
    Api("torch.randperm(n, *, generator=None, out=None, dtype=torch.int64, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)", "mint.randperm(n, generator=generator, dtype=dtype)"),
    Api("torch.normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)", "mint.normal(mean, std, size, generator=generator)"),
    Api("torch.multinomial(input, num_samples, replacement=False, *, generator=None, out=None)", "mint.multinomial(input, num_samples, replacement, generator=generator)"),
    Api("torch.poisson(input, generator=None)", "random.poisson(input, generator)"),
)
