"""Marks and slots of tensors."""

from __future__ import annotations

from collections.abc import Iterable

from mindspore import Parameter, Tensor, bfloat16, float32, ops


def requires_grad(tensor: Tensor) -> bool:
    """Return whether the tensor takes part in a gradient; MindSpore sets its mark on integer results, too."""
    wanted = tensor.requires_grad if isinstance(tensor, Parameter) else tensor._requires_grad
    return bool(wanted) and is_differentiable(tensor)


def is_differentiable(tensor: Tensor) -> bool:
    """Return whether the dtype is floating-point or complex."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def set_requires_grad(tensor: Tensor, value: bool = True) -> Tensor:
    """Make a tensor a leaf that wants a gradient (or not)."""
    tensor._requires_grad = value
    return tensor


def zero_grad(parameters: Iterable[Parameter], set_to_none: bool = True) -> None:
    """Clear the gradient slots."""
    for p in parameters:
        p._grad = None if set_to_none or p._grad is None else ops.zeros_like(p._grad)


def is_leaf(tensor: Tensor) -> bool:
    """Return whether the tensor is no result of a recorded operation."""
    return bool(tensor._is_leaf)


def get_grad(tensor: Tensor) -> Tensor | None:
    """Return what is in the gradient slot."""
    return tensor._grad


def set_grad(tensor: Tensor, value: Tensor | None) -> None:
    """Put a gradient, or None, into the slot."""
    tensor._grad = value


def mark_buffer(tensor: Tensor) -> None:
    """Tell `@mindspore.jit` that the tensor is state, as `register_buffer` does."""
    tensor._is_buffer = True


def ones_like(tensor: Tensor) -> Tensor:
    """Return ones, as the gradient of a result by itself; the CPU has no kernel that makes them in bfloat16."""
    if tensor.itemsize == 2 and tensor.dtype == bfloat16:
        return ops.cast(ops.ones(tensor.shape, float32), bfloat16)
    return ops.ones_like(tensor)
