"""The functions of `runtime.mint` that ask for the default type, promote integers or take Python's floats."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from mindspore import Tensor

from .. import _default_dtype, mint
from ._creation import arange, full, made, normal
from ._kernels import diff, divided, lerp, nan_to_num, product, real_transform, single
from ._operands import divisor, floating, is_whole, number, pair

Function = Callable[..., Any]

_MADE = (
    "empty eye linspace logspace ones zeros rand randn bartlett_window blackman_window hamming_window hann_window "
    "kaiser_window"
).split()
FLOATING = (
    "acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh erf erfc erfinv exp exp2 "
    "expm1 log log10 log1p log2 reciprocal rsqrt sigmoid sin sinh sqrt tan tanh sinc logit digamma lgamma polygamma "
    "mvlgamma i0 angle deg2rad rad2deg copysign atan2 arctan2 logaddexp logaddexp2 logsumexp true_divide nanmean cov corrcoef"
).split()
ARITHMETIC = (
    "add sub subtract mul multiply div divide floor_divide remainder fmod pow rsub maximum minimum fmax fmin xlogy "
    "eq ne not_equal gt greater ge greater_equal lt less le less_equal"
).split()
_QUOTIENTS = ("div", "divide", "xlogy")
# numpy's functions for divisions that round, by the names of functions and operators
EXACT: dict[str, Function] = {
    "div": np.floor_divide, "divide": np.floor_divide, "floor_divide": np.floor_divide, "floordiv": np.floor_divide,
    "remainder": np.mod, "mod": np.mod, "fmod": np.fmod,
}  # fmt: skip
# functions of the Fourier transform that move numbers, or make them of none
_MOVING = frozenset("fftshift ifftshift fftfreq rfftfreq".split())
_HERMITIAN = frozenset("ihfft ihfft2 ihfftn hfftn".split())


def _floats(function: Function) -> Function:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(floating, args), **{name: floating(value) for name, value in kwargs.items()})

    return call


def _operands(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any] | None:
    """Take the two operands out of the arguments."""
    given = [*args[:2]]
    for name in ("input", "other", "exponent", "end", "self"):
        if len(given) < 2 and name in kwargs:
            given.append(kwargs.pop(name))
    return (given[0], given[1]) if len(given) == 2 else None


def _arithmetic(function: Function, quotient: bool = False) -> Function:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        rest = dict(kwargs)
        found = _operands(args, rest)
        if found is None:
            return function(*args, **kwargs)
        a, b = pair(*found)
        if quotient and rest.get("rounding_mode") is None:
            a, b = floating(a), floating(b)
            b = divisor(a, b) if isinstance(a, Tensor) else b
        alpha = rest.pop("alpha", 1)
        # the second operand by hand: the kernel rounds the factor to float32
        if alpha != 1:
            b = mint.mul(b, alpha) if isinstance(b, Tensor) else b * alpha
        return function(a, b, *args[2:], **rest)

    return call


def _where(function: Function) -> Function:
    @functools.wraps(function)
    def where(condition: Any, *values: Any, **named: Any) -> Any:
        given = [*values, *(named[name] for name in ("input", "other") if name in named)]
        if len(given) != 2:
            return function(condition, *values, **named)
        a, b = given
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            return function(condition, *pair(a, b))
        if isinstance(a, float) or isinstance(b, float):
            kind = _default_dtype.get_default_dtype()
            return function(condition, Tensor(a, kind), Tensor(b, kind))
        return function(condition, a, b)

    return where


def _clamp(function: Function) -> Function:
    @functools.wraps(function)
    def clamp(input: Tensor, min: Any = None, max: Any = None) -> Any:
        bounds = [bound for bound in (min, max) if bound is not None]
        if is_whole(input) and any(isinstance(bound, float) for bound in bounds):
            input = floating(input)
        if all(number(bound, input.dtype) is bound for bound in bounds):
            return function(input, min, max)
        made = [b if b is None or isinstance(b, Tensor) else Tensor(b, input.dtype) for b in (min, max)]
        return function(input, *made)

    return clamp


def filled(function: Function, place: int, name: str = "value") -> Function:
    """A number that is written into a tensor, at a place among the arguments."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        dtype = args[0].dtype if args and isinstance(args[0], Tensor) else None
        given = list(args)
        if len(given) > place:
            given[place] = number(given[place], dtype)
        elif name in kwargs:
            kwargs[name] = number(kwargs[name], dtype)
        return function(*given, **kwargs)

    return call


def scatter(function: Function) -> Function:
    """A number that is written to places along a dimension."""

    @functools.wraps(function)
    def call(input: Tensor, dim: int, index: Tensor, src: Any, *args: Any, **kwargs: Any) -> Any:
        if number(src, input.dtype) is not src:
            src = mint.full(index.shape, src, dtype=input.dtype)
        return function(input, dim, index, src, *args, **kwargs)

    return call


def _wrapped(name: str, function: Function) -> Function | None:
    if name in _MADE:
        return made(function, 2 if name == "eye" else None)
    if name in FLOATING:
        return _floats(function)
    if name in ARITHMETIC:
        if name in EXACT:
            function = divided(function, EXACT[name], "floor" if name in _QUOTIENTS else None)
        return _arithmetic(function, name in _QUOTIENTS)
    special: dict[str, Callable[[Function], Function]] = {
        "full": full, "arange": arange, "normal": normal, "where": _where, "clamp": _clamp, "clip": _clamp, "lerp": lerp,
        "addcmul": functools.partial(product, combine="mul"), "addcdiv": functools.partial(product, combine="div"),
        "masked_fill": functools.partial(filled, place=2), "index_fill": functools.partial(filled, place=3),
        "scatter": scatter, "diff": diff, "nan_to_num": nan_to_num,
        "grid_sample": single, "grid_sampler": single,
    }  # fmt: skip
    return special[name](function) if name in special else None


def install() -> None:
    """Change the functions, in every module of `mint` that has them."""
    from ..mint import _device, fft, signal, special
    from ..mint.nn import functional

    for module in (mint, _device, functional):
        for name, function in list(vars(module).items()):
            wrapped = _wrapped(name, function) if callable(function) else None
            if wrapped is not None:
                setattr(module, name, wrapped)
    for name in signal.__all__:
        setattr(signal, name, made(getattr(signal, name)))
    for module in (special, fft):
        for name, function in list(vars(module).items()):
            if callable(function) and not name.startswith("_") and name not in _MOVING and not isinstance(function, type):
                setattr(module, name, real_transform(function) if name in _HERMITIAN else _floats(function))
