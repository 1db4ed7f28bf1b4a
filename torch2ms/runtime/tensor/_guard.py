"""Calls on objects of unknown kind: a tensor gets PyTorch's meaning, everything else its own method."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from mindspore import Tensor
from mindspore.nn import Cell

# PyTorch takes numpy's names of these arguments, too
_OTHER_NAMES = {"axis": "dim", "keepdims": "keepdim"}
# what a module does for methods that the emitted code otherwise drops or spells differently
_OF_CELLS: dict[str, Callable[..., Any]] = {}


# what PyTorch's Size has and a tuple, which stands for it, lacks
_OF_SHAPES: dict[str, Callable[[tuple[int, ...]], Any]] = {"numel": math.prod}


def of_cells(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give modules a meaning for a method that MindSpore's Cell lacks."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        _OF_CELLS[name] = function
        return function

    return add


def guard(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of (object, arguments of PyTorch's method `name`)."""

    @functools.wraps(function)
    def ask(obj: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(obj, Tensor):
            for other, usual in _OTHER_NAMES.items():
                if other in kwargs:
                    kwargs[usual] = kwargs.pop(other)
            return function(obj, *args, **kwargs)
        if isinstance(obj, Cell) and name in _OF_CELLS:
            return _OF_CELLS[name](obj, *args, **kwargs)
        if isinstance(obj, tuple) and not args and name in _OF_SHAPES:
            return _OF_SHAPES[name](obj)
        return getattr(obj, name)(*args, **kwargs)

    return ask


def own_method(name: str) -> Callable[..., Any]:
    """Return a function that calls the tensor's own method, which agrees with PyTorch's."""

    def call(obj: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(obj, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = f"Call the object's method `{name}`."
    return call


def refuse_in_place(name: str) -> Callable[..., Any]:
    """Return a function for an in-place method, which is never right on a tensor."""

    def refuse(obj: Tensor, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"Tensor.{name} changes a tensor that other names may see, and MindSpore leaves it unchanged on some devices: "
            f"assign the result of {name.rstrip('_')} instead"
        )

    refuse.__name__ = name
    return refuse
