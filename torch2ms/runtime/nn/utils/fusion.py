"""Batch normalisation folded into the layer before it, for evaluation: torch.nn.utils.fusion."""

from __future__ import annotations

import copy
from typing import Any

from mindspore import Parameter, Tensor, ops
from mindspore.nn import Cell

from ...grad_mode import no_grad


def _fused(layer: Cell, bn: Cell, channel_axis: int) -> Cell:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(layer)
    with no_grad():
        eps = Tensor(bn.eps, bn.running_var.dtype)
        scale = ops.rsqrt(bn.running_var + eps)
        scale = scale if bn.weight is None else scale * bn.weight
        bias = -bn.running_mean if layer.bias is None else layer.bias - bn.running_mean
        bias = bias * scale if bn.bias is None else bias * scale + bn.bias
        shape = [-1 if i == channel_axis else 1 for i in range(layer.weight.ndim)]
        values: dict[str, Any] = {"weight": layer.weight * scale.reshape(shape), "bias": bias}
        for name, value in values.items():
            setattr(fused, name, Parameter(value.astype(layer.weight.dtype), name=name))
    return fused


def fuse_conv_bn_eval(conv: Cell, bn: Cell, transpose: bool = False) -> Cell:
    """Return a convolution that computes both."""
    return _fused(conv, bn, 1 if transpose else 0)


def fuse_linear_bn_eval(linear: Cell, bn: Cell) -> Cell:
    """Return a linear layer that computes both."""
    if linear.weight.shape[0] != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    return _fused(linear, bn, 0)
