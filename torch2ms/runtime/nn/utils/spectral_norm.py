"""Weights divided by their largest singular value: torch.nn.utils.spectral_norm.

https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.spectral_norm.html
"""

from __future__ import annotations

from typing import Any

from mindspore import Parameter, Tensor, ops
from mindspore.nn import Cell

from ... import _backend, _rng, mint
from ...grad_mode import no_grad
from ...mint._cpu.draws import drawn_in
from ...mint.nn import functional as F


class SpectralNorm:
    """Computes the weight before every call of the cell; in training a step of the power iteration comes first."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def matrix(self, weight: Tensor) -> Tensor:
        """Return the weight as (size of dim, everything else)."""
        if self.dim != 0:
            order = (self.dim, *(d for d in range(weight.ndim) if d != self.dim))
            weight = weight.permute(*order)
        return weight.reshape(weight.shape[0], -1)

    def compute_weight(self, cell: Cell, iterate: bool) -> Tensor:
        """Return the weight over its largest singular value."""
        weight = getattr(cell, self.name + "_orig")
        u, v = getattr(cell, self.name + "_u"), getattr(cell, self.name + "_v")
        matrix = self.matrix(weight)
        if iterate:
            with no_grad():
                for _ in range(self.iterations):
                    v = F.normalize(mint.mv(mint.transpose(matrix, 0, 1), u), dim=0, eps=self.eps)
                    u = F.normalize(mint.mv(matrix, v), dim=0, eps=self.eps)
                setattr(cell, self.name + "_u", ops.stop_gradient(u))
                setattr(cell, self.name + "_v", ops.stop_gradient(v))
        u, v = ops.stop_gradient(u), ops.stop_gradient(v)
        return weight / mint.sum(u * mint.mv(matrix, v))

    def __call__(self, cell: Cell, inputs: Any) -> None:
        setattr(cell, self.name, self.compute_weight(cell, cell.training))


def spectral_norm(
    module: Cell, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Cell:
    """Replace the parameter `name` by `name_orig`, with buffers `name_u` and `name_v` of the power iteration."""
    if name in getattr(module, "_spectral_norms", {}):
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    if dim is None:
        dim = 1 if type(module).__name__ in ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d") else 0
    fn = SpectralNorm(name, n_power_iterations, dim, eps)
    _backend.replaced()
    weight = module._params.pop(name)
    values = Tensor(weight.asnumpy())
    rows, columns = fn.matrix(values).shape
    u, v = (F.normalize(Tensor(_rng.normal(n, dtype=drawn_in(weight.dtype)), weight.dtype), dim=0, eps=eps) for n in (rows, columns))
    module.insert_param_to_cell(name + "_orig", Parameter(values, name=name + "_orig"))
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    setattr(module, name, values)
    handle = module.register_forward_pre_hook(fn)
    object.__setattr__(module, "_spectral_norms", {**getattr(module, "_spectral_norms", {}), name: (fn, handle)})
    return module


def remove_spectral_norm(module: Cell, name: str = "weight") -> Cell:
    """Make the normalised weight a parameter again."""
    norms = dict(getattr(module, "_spectral_norms", {}))
    if name not in norms:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    fn, handle = norms.pop(name)
    weight = fn.compute_weight(module, False)
    handle.remove()
    _backend.replaced()
    module._params.pop(name + "_orig")
    for suffix in ("_u", "_v"):
        module._buffers.pop(name + suffix)
    if name in module.__dict__:
        delattr(module, name)
    module.insert_param_to_cell(name, Parameter(weight.asnumpy(), name=name))
    object.__setattr__(module, "_spectral_norms", norms)
    return module
