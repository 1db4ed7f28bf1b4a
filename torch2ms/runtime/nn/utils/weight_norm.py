"""Weights as a direction and a length: torch.nn.utils.weight_norm.

https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.weight_norm.html
"""

from __future__ import annotations

from typing import Any

from mindspore import Parameter, Tensor
from mindspore.nn import Cell

from ... import _backend, mint


def _norm_except(weight: Tensor, dim: int | None) -> Tensor:
    """The 2-norm over all dimensions but `dim`, which stays; over all for None."""
    axes = [i for i in range(weight.ndim) if dim is None or i != dim % weight.ndim]
    squares = mint.sum(weight * weight, tuple(axes), dim is not None) if axes else weight * weight
    return mint.sqrt(squares)


class WeightNorm:
    """Computes the weight before every call of the cell."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, cell: Cell) -> Tensor:
        """Return g * v / |v|."""
        g, v = getattr(cell, self.name + "_g"), getattr(cell, self.name + "_v")
        return v * (g / _norm_except(v, self.dim))

    def __call__(self, cell: Cell, inputs: Any) -> None:
        setattr(cell, self.name, self.compute_weight(cell))


def weight_norm(module: Cell, name: str = "weight", dim: int | None = 0) -> Cell:
    """Replace the parameter `name` by `name_g` (length) and `name_v` (direction).

    Raises:
        RuntimeError: the parameter is normalised already.
    """
    if name in getattr(module, "_weight_norms", {}):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    fn = WeightNorm(name, dim)
    _backend.replaced()
    weight = module._params.pop(name)
    values = Tensor(weight.asnumpy())
    module.insert_param_to_cell(name + "_g", Parameter(_norm_except(values, dim).asnumpy(), name=name + "_g"))
    module.insert_param_to_cell(name + "_v", Parameter(values, name=name + "_v"))
    setattr(module, name, fn.compute_weight(module))
    handle = module.register_forward_pre_hook(fn)
    object.__setattr__(module, "_weight_norms", {**getattr(module, "_weight_norms", {}), name: (fn, handle)})
    return module


def remove_weight_norm(module: Cell, name: str = "weight") -> Cell:
    """Make the computed weight a parameter again."""
    norms = dict(getattr(module, "_weight_norms", {}))
    if name not in norms:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    fn, handle = norms.pop(name)
    weight = fn.compute_weight(module)
    handle.remove()
    _backend.replaced()
    for suffix in ("_g", "_v"):
        module._params.pop(name + suffix)
    if name in module.__dict__:
        delattr(module, name)
    module.insert_param_to_cell(name, Parameter(weight.asnumpy(), name=name))
    object.__setattr__(module, "_weight_norms", norms)
    return module
