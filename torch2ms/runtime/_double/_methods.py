"""The operators and methods of Tensor that promote integers or take Python's floats."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mindspore import Parameter, Tensor

from .. import mint
from ._functions import ARITHMETIC, EXACT, FLOATING, filled
from ._kernels import divided
from ._operands import divisor, floating, is_whole, pair

Method = Callable[..., Any]

_OPERATORS = "add sub mul truediv floordiv mod pow".split()
_COMPARED = "eq ne lt le gt ge".split()
# methods that give what the function of the name gives
_LED = frozenset("where clamp clip addcmul addcdiv lerp scatter".split())
# methods that write a number, and its place among their arguments
_FILLING = {"masked_fill": 2, "index_fill": 3, "__setitem__": 2}


def _forward(method: Method, quotient: bool) -> Method:
    @functools.wraps(method)
    def operate(self: Tensor, other: Any) -> Any:
        a, b = pair(self, other)
        if quotient:
            a, b = floating(a), floating(b)
            b = divisor(a, b)
        return method(a, b)

    return operate


def _reflected(method: Method, forward: Method, quotient: bool) -> Method:
    @functools.wraps(method)
    def operate(self: Tensor, other: Any) -> Any:
        b, a = pair(other, self)
        if quotient:
            a, b = floating(a), floating(b)
        return forward(b, a) if isinstance(b, Tensor) else method(a, b)

    return operate


def _in_place(method: Method, quotient: bool) -> Method:
    @functools.wraps(method)
    def operate(self: Tensor, other: Any) -> Any:
        # integers stay what they are: PyTorch raises where the result would be of another type
        b = other if is_whole(self) else pair(self, other)[1]
        return method(self, divisor(self, b) if quotient else b)

    return operate


def _led(name: str, method: Method) -> Method:
    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if name == "where":
            return mint.where(args[0], self, *args[1:], **kwargs)
        return getattr(mint, name)(self, *args, **kwargs)

    return call


def _floats(method: Method) -> Method:
    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return method(floating(self), *args, **kwargs)

    return call


def _own(kind: type, name: str, usual: dict[str, Method]) -> Method:
    method: Method = getattr(kind, name)
    return usual[name] if method is getattr(object, name, None) else method


def install() -> None:
    """Change the methods of Tensor and Parameter."""
    # Parameter is no subclass of Tensor, and finds some comparisons in object alone
    own = {f"__{name}__": getattr(Tensor, f"__{name}__") for name in (*_OPERATORS, *_COMPARED)}
    for kind in (Tensor, Parameter):
        forward = {name: _own(kind, f"__{name}__", own) for name in (*_OPERATORS, *_COMPARED)}
        forward |= {name: divided(forward[name], EXACT[name]) for name in ("floordiv", "mod")}
        for name, method in forward.items():
            setattr(kind, f"__{name}__", _forward(method, name == "truediv"))
        for name in _OPERATORS:
            if hasattr(kind, f"__r{name}__"):
                reflected = _reflected(getattr(kind, f"__r{name}__"), forward[name], name == "truediv")
                setattr(kind, f"__r{name}__", reflected)
            if name in EXACT:
                setattr(kind, f"__i{name}__", getattr(kind, f"__{name}__"))
            elif hasattr(kind, f"__i{name}__"):
                setattr(kind, f"__i{name}__", _in_place(getattr(kind, f"__i{name}__"), name == "truediv"))
        for name in (*ARITHMETIC, *_LED):
            if hasattr(kind, name) and hasattr(mint, name):
                setattr(kind, name, _led(name, getattr(kind, name)))
        for name, place in _FILLING.items():
            if hasattr(kind, name):
                setattr(kind, name, filled(getattr(kind, name), place))
        for name in FLOATING:
            if hasattr(kind, name):
                setattr(kind, name, _floats(getattr(kind, name)))
