"""Normalization layers."""

from __future__ import annotations

import os
from typing import Any

import mindspore
import mindspore.mint.nn as _mint
import numpy as np
from mindspore import Parameter, Tensor, ops

from ...._device_target import IS_CPU
from ....nn.cell import Cell
from .. import functional as F
from . import initial

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
    "SyncBatchNorm",
]


def _start(layer: Any) -> None:
    """Set weight to 1, bias to 0 and the running statistics to those of no data."""
    _fill(layer, weight=1, bias=0)
    _restart_statistics(layer)


def _restart_statistics(layer: Any) -> None:
    _fill(layer, running_mean=0, running_var=1, num_batches_tracked=0)


def _fill(layer: Any, **values: int) -> None:
    for name, value in values.items():
        tensor = getattr(layer, name, None)
        if tensor is not None:
            initial.write(tensor, Tensor(np.full(tensor.shape, value), tensor.dtype))


class _BatchNorm(Cell):
    """The forward of PyTorch's batch norm: the running statistics move exactly once per call in training."""

    momentum: Any
    eps: float
    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        if not bias:
            self.bias = None

    def reset_parameters(self) -> None:
        """Restart the affine parameters and the running statistics."""
        _start(self)

    def construct(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        if self.training or self.running_mean is None:
            return F.batch_norm(
                input,
                self.running_mean,
                self.running_var,
                self.weight,
                self.bias,
                True,
                self._factor(),
                self.eps,
            )
        return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.eps)

    def _factor(self) -> Any:
        """Count the batch and return how far the running statistics move."""
        if not self.training or self.num_batches_tracked is None:
            return 0.0 if self.momentum is None else self.momentum
        ops.assign(self.num_batches_tracked, self.num_batches_tracked + 1)
        return 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum


class BatchNorm1d(_BatchNorm, _mint.BatchNorm1d):
    """Batch normalization of (N, C) or (N, C, L)."""


class BatchNorm2d(_BatchNorm, _mint.BatchNorm2d):
    """Batch normalization of (N, C, H, W)."""


class BatchNorm3d(_BatchNorm, _mint.BatchNorm3d):
    """Batch normalization of (N, C, D, H, W)."""


class SyncBatchNorm(_BatchNorm, _mint.SyncBatchNorm):
    """Batch normalization over the samples of all processes."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: str | None = None,
        dtype: Any = None,
    ) -> None:
        if IS_CPU:
            # mint's initializer asks for a process group, which only Ascend offers it
            _mint.BatchNorm1d.__init__(self, num_features, eps, momentum, affine, track_running_stats, dtype)
            self.add_flags(training=True)
            self.process_group = process_group
        else:
            Cell.__init__(self, num_features, eps, momentum, affine, track_running_stats, process_group, dtype)

    def construct(self, input: Tensor) -> Tensor:
        if not IS_CPU:
            return _mint.SyncBatchNorm.construct(self, input)
        if self.training and _process_count() > 1:
            raise NotImplementedError("mint.nn.SyncBatchNorm over several processes on CPU")
        return _BatchNorm.construct(self, input)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")


def _process_count() -> int:
    return int(os.environ.get("RANK_SIZE") or os.environ.get("WORLD_SIZE") or "1")


class LayerNorm(Cell, _mint.LayerNorm):
    """Normalization over the trailing dimensions."""

    def reset_parameters(self) -> None:
        """Restart the affine parameters."""
        _start(self)

    def construct(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class GroupNorm(Cell, _mint.GroupNorm):
    """Normalization of groups of channels."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_groups, num_channels, eps, affine, dtype)
        # mint keeps frozen parameters where PyTorch has none
        if not affine:
            self.weight = None
        if not (affine and bias):
            self.bias = None

    def reset_parameters(self) -> None:
        """Restart the affine parameters."""
        _start(self)

    def construct(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class RMSNorm(Cell):
    """Division by the root mean square over the trailing dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        ones = Tensor(np.ones(self.normalized_shape), mindspore.float32 if dtype is None else dtype)
        self.weight = Parameter(ones, name="weight") if elementwise_affine else None

    def reset_parameters(self) -> None:
        """Restart the weight."""
        _start(self)

    def construct(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class _InstanceNorm(Cell):
    """Normalization of each channel of each sample."""

    rank = 0

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        dtype = mindspore.float32 if dtype is None else dtype
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = Parameter(Tensor(np.ones(num_features), dtype), name="weight") if affine else None
        self.bias = Parameter(Tensor(np.zeros(num_features), dtype), name="bias") if affine and bias else None
        zeros, ones, count = Tensor(np.zeros(num_features), dtype), Tensor(np.ones(num_features), dtype), Tensor(0)
        self.register_buffer("running_mean", zeros if track_running_stats else None)
        self.register_buffer("running_var", ones if track_running_stats else None)
        self.register_buffer("num_batches_tracked", count if track_running_stats else None)

    def reset_running_stats(self) -> None:
        """Restart the running statistics."""
        _restart_statistics(self)

    def reset_parameters(self) -> None:
        """Restart the affine parameters and the running statistics."""
        _start(self)

    def construct(self, input: Tensor) -> Tensor:
        if input.ndim == self.rank + 1:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        if input.ndim != self.rank + 2:
            raise ValueError(f"expected {self.rank + 1}D or {self.rank + 2}D input (got {input.ndim}D input)")
        return self._normalized(input)

    def _normalized(self, x: Tensor) -> Tensor:
        use_input = self.training or self.running_mean is None
        return F.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, use_input, self.momentum, self.eps
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of (N, C, L) or (C, L)."""

    rank = 1


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of (N, C, H, W) or (C, H, W)."""

    rank = 2


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of (N, C, D, H, W) or (C, D, H, W)."""

    rank = 3


class LocalResponseNorm(Cell):
    """Normalization across neighbouring channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def construct(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)
