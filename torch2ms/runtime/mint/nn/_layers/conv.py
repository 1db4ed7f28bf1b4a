"""Convolutions and transposed convolutions."""

from __future__ import annotations

from typing import Any

import mindspore.mint.nn as _mint
from mindspore import Parameter, Tensor
from mindspore.nn import Cell as _Cell

from ....nn.cell import Cell
from .. import functional as F
from . import initial

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


def _single(value: Any) -> Any:
    """The number of `stride=[2]`, which PyTorch takes for all dimensions; everything else as it is."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


class _Conv(Cell):
    """What the convolution layers share: PyTorch's initial values."""

    weight: Any
    bias: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        args, kwargs = tuple(map(_single, args)), {name: _single(value) for name, value in kwargs.items()}
        with initial.numpy_untouched():
            super().__init__(*args, **kwargs)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        initial.reset_weight_and_bias(self.weight, self.bias)


class Conv1d(_Conv, _mint.Conv1d):
    """Convolution over (N, C, L) or (C, L)."""

    def construct(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            x = F.pad(input, self._reversed_padding, mode=self.padding_mode)
            return F.conv1d(x, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv, _mint.Conv2d):
    """Convolution over (N, C, H, W) or (C, H, W)."""

    def construct(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            x = F.pad(input, self._reversed_padding, mode=self.padding_mode)
            return F.conv2d(x, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv3d(_Conv, _mint.Conv3d):
    """Convolution over (N, C, D, H, W) or (C, D, H, W)."""

    def construct(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            x = F.pad(input, self._reversed_padding, mode=self.padding_mode)
            return F.conv3d(x, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)
        return F.conv3d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


def _extra(layer: Any, input: Tensor, output_size: Any) -> tuple[int, ...]:
    """Return the output padding that leads to `output_size`."""
    n = len(layer.kernel_size)
    if output_size is None:
        return tuple(layer.output_padding)
    wanted = tuple(output_size)[-n:]
    sizes = tuple(input.shape)[-n:]
    found = []
    for i in range(n):
        smallest = (
            (sizes[i] - 1) * layer.stride[i] - 2 * layer.padding[i] + layer.dilation[i] * (layer.kernel_size[i] - 1) + 1
        )
        if not smallest <= wanted[i] < smallest + layer.stride[i]:
            raise ValueError(
                f"requested an output size of {wanted}, but dimension {i} can be {smallest} to "
                f"{smallest + layer.stride[i] - 1} for an input of {sizes}"
            )
        found.append(wanted[i] - smallest)
    return tuple(found)


class ConvTranspose2d(_Conv, _mint.ConvTranspose2d):
    """Transposed convolution over (N, C, H, W) or (C, H, W)."""

    def construct(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = _extra(self, input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class _ConvTransposeNd(_Conv):
    """Transposed convolution of another number of dimensions than mint has."""

    rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        if in_channels % groups or out_channels % groups:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        _Cell.__init__(self)
        self.add_flags(training=True)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.padding, self.output_padding, self.dilation = [
            (v,) * self.rank if isinstance(v, int) else tuple(v)
            for v in (kernel_size, stride, padding, output_padding, dilation)
        ]
        self.padding_mode = padding_mode
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        bound = initial.fan_in(shape) ** -0.5
        self.weight = Parameter(initial.uniform(shape, bound, dtype), name="weight")
        self.bias = Parameter(initial.uniform((out_channels,), bound, dtype), name="bias") if bias else None


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over (N, C, L) or (C, L)."""

    rank = 1

    def construct(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = _extra(self, input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over (N, C, D, H, W) or (C, D, H, W)."""

    rank = 3

    def construct(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = _extra(self, input, output_size)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )
