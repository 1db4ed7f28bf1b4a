"""Functions that make tensors of the default type where none is given."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mindspore import Tensor

from .. import _default_dtype, mint
from ._operands import is_whole

Function = Callable[..., Any]


def made(function: Function, place: int | None = None) -> Function:
    """A function whose `dtype` may be passed at a place among the positional arguments."""

    @functools.wraps(function)
    def make(*args: Any, **kwargs: Any) -> Any:
        typed = place is not None and len(args) > place
        if not typed and kwargs.get("dtype") is None and _default_dtype.is_double():
            kwargs["dtype"] = _default_dtype.get_default_dtype()
        return function(*args, **kwargs)

    return make


def full(function: Function) -> Function:
    @functools.wraps(function)
    def create(size: Any, fill_value: Any, **kwargs: Any) -> Any:
        if kwargs.get("dtype") is None and isinstance(fill_value, complex):
            kwargs["dtype"] = _default_dtype.default_complex()
        elif kwargs.get("dtype") is None and not isinstance(fill_value, (int, Tensor)):
            kwargs["dtype"] = _default_dtype.get_default_dtype()
        return function(size, fill_value, **kwargs)

    return create


def arange(function: Function) -> Function:
    @functools.wraps(function)
    def create(*args: Any, **kwargs: Any) -> Any:
        bounds = [*args, *(kwargs[name] for name in ("start", "end", "step") if name in kwargs)]
        if kwargs.get("dtype") is None and not all(n is None or isinstance(n, int) or is_whole(n) for n in bounds):
            kwargs["dtype"] = _default_dtype.get_default_dtype()
        return function(*args, **kwargs)

    return create


def normal(function: Function) -> Function:
    @functools.wraps(function)
    def draw(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Any:
        if not _default_dtype.is_double() or isinstance(mean, Tensor) or isinstance(std, Tensor):
            return function(mean, std, size, generator)
        drawn = mint.randn(() if size is None else size, generator=generator)
        return drawn * std + mean

    return draw
