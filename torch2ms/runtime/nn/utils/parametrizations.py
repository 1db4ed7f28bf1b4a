"""Ready parametrizations: torch.nn.utils.parametrizations.

https://docs.pytorch.org/docs/stable/nn.html#torch.nn.utils.parametrizations.spectral_norm
"""

from __future__ import annotations

from typing import Any

from mindspore import Tensor, ops
from mindspore.nn import Cell as _Cell

from ... import _rng, mint
from ...grad_mode import no_grad
from ...mint.nn import functional as F
from ..cell import Cell
from .parametrize import register_parametrization
from .weight_norm import _norm_except


class _WeightNorm(Cell):
    """(length, direction) -> weight."""

    def __init__(self, dim: int | None) -> None:
        super().__init__()
        # PyTorch takes -1, too, for the norm over everything
        self.dim = None if dim == -1 else dim

    def construct(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / _norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return length and direction of a weight."""
        return _norm_except(weight, self.dim), weight


class _OldNames:
    """Lets checkpoints of the older weight_norm load."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, cell: Any, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{self.name}_{part}" for part in "gv"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{self.name}.original{i}"] = state_dict.pop(key)


def weight_norm(module: _Cell, name: str = "weight", dim: int | None = 0) -> _Cell:
    """Compute a weight from its length (`original0`) and direction (`original1`)."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module.register_load_state_dict_pre_hook(_OldNames(name))
    return module


class _SpectralNorm(Cell):
    """The weight over its largest singular value; in training a step of the power iteration comes first."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got {n_power_iterations}")
        self.dim, self.eps, self.n_power_iterations = dim % weight.ndim, eps, n_power_iterations
        if weight.ndim > 1:
            matrix = self._matrix(weight)
            for name, size in zip(("_u", "_v"), matrix.shape):
                drawn = Tensor(_rng.normal(size), matrix.dtype)
                self.register_buffer(name, F.normalize(drawn, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        """Return the weight as (size of dim, everything else)."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.ndim) if d != self.dim))
        return weight.reshape(weight.shape[0], -1)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            u, v = self._u, self._v
            for _ in range(times):
                u = F.normalize(mint.mv(matrix, v), dim=0, eps=self.eps)
                v = F.normalize(mint.mv(mint.transpose(matrix, 0, 1), u), dim=0, eps=self.eps)
            self._u, self._v = ops.stop_gradient(u), ops.stop_gradient(v)

    def construct(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        return weight / mint.sum(self._u * mint.mv(matrix, self._v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return the weight as it is."""
        return value


def spectral_norm(
    module: _Cell, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> _Cell:
    """Divide a weight by its largest singular value."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__ in ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d") else 0
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))


def orthogonal(
    module: _Cell, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> _Cell:
    """Refuse: the maps onto orthogonal matrices need kernels that MindSpore lacks on the CPU."""
    raise NotImplementedError(
        "parametrizations.orthogonal: MindSpore has no Householder product or matrix exponential on every device; "
        "initialise with nn.init.orthogonal_ and add a penalty on weight @ weight.T - 1"
    )
