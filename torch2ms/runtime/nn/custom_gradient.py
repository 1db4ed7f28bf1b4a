"""Calls of a Cell with `bprop`, the counterpart of an autograd.Function, in PyNative mode.

MindSpore hands `bprop` the arguments of `construct`, but None in place of a function or a Cell, and the tensors of a list
one by one; where some outputs are no tensors it hands over a single gradient. Such calls go through the runtime's
Function, which keeps every object as it is.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from mindspore import Tensor
from mindspore.nn import Cell as _Cell

from .. import _backend
from ..function import Function

_PLAIN = (int, float, complex, str, bytes, type(None))


def call(cell: _Cell, args: tuple[Any, ...]) -> Any:
    """Run `cell.construct(*args)` and tie its result to `cell.bprop`."""
    if not all(map(_is_handed_over, args)):
        return _Bprop.apply(cell, *args)
    with _backend.grad_mode(False):
        output = cell.construct(*args)
    if isinstance(output, Tensor) or _is_tuple_of_tensors(output):
        return _backend.call_custom_bprop(cell, output, args)
    return _Bprop.apply(_Computed(cell, output), *args)


def _is_handed_over(argument: Any) -> bool:
    if isinstance(argument, tuple):
        return all(isinstance(inner, _PLAIN) for inner in argument)
    return isinstance(argument, (Tensor, *_PLAIN))


def _is_tuple_of_tensors(output: Any) -> bool:
    return isinstance(output, tuple) and len(output) > 1 and all(isinstance(o, Tensor) for o in output)


class _Computed:
    """A cell whose `construct` has run already."""

    def __init__(self, cell: _Cell, output: Any) -> None:
        self.bprop = cell.bprop
        self._output = output

    def construct(self, *args: Any) -> Any:
        return self._output


class _Bprop(Function):
    """A Function made of the methods of a cell."""

    @staticmethod
    def forward(ctx: Any, cell: Any, *args: Any) -> Any:
        output = cell.construct(*args)
        outputs = output if isinstance(output, tuple) else (output,)
        values = (*args, *outputs)
        ctx.bprop, ctx.inputs, ctx.is_tuple = cell.bprop, len(args), isinstance(output, tuple)
        ctx.others = [None if isinstance(value, Tensor) else value for value in values]
        ctx.places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        ctx.save_for_backward(*(values[i] for i in ctx.places))
        return output

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        values = list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            values[i] = tensor
        args, outputs = values[: ctx.inputs], tuple(values[ctx.inputs :])
        output, gradient = (outputs, grads) if ctx.is_tuple else (outputs[0], grads[0])
        results = ctx.bprop(*args, output, gradient)
        return None, *(results if isinstance(results, tuple) else (results,))


class Apply:
    """Decorates `apply` of Cell: the class itself has an instance of it there, if it has a `bprop`.

    PyTorch's `F.apply` is an attribute of the class, and a class may be reached in ways that no reader of the text can
    follow: `FUNCTIONS[name].apply(x)`.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        functools.update_wrapper(self, method)  # type: ignore[arg-type]
        self._method = method

    def __get__(self, cell: _Cell | None, owner: type[_Cell]) -> Any:
        if cell is not None:
            return types.MethodType(self._method, cell)
        return owner() if hasattr(owner, "bprop") else self._method
