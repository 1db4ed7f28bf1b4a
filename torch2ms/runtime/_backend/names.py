"""Names of parameters, which a compiled function needs to be different."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from mindspore import Parameter

from .recording import executor


def call(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call `fn`; where it is a jitted function of several networks with equal names in them, give them other names.

    MindSpore refuses to compile such a function. The names of parameters mean nothing to PyTorch's semantics, and a
    function that was refused has not run.
    """
    if not getattr(fn, "__wrapped_by_jit__", False):
        return fn(*args, **kwargs)
    ex = executor()
    flags = ex.grad_flag(), ex.enable_grad()
    try:
        return fn(*args, **kwargs)
    except RuntimeError as error:
        if "already exists. Please set a unique name" not in str(error):
            raise
    _name_apart()
    # which the failed compilation has turned off
    ex.set_grad_flag(flags[0])
    ex.set_enable_grad(flags[1])
    return fn(*args, **kwargs)


def _name_apart() -> None:
    taken: dict[str, int] = {}
    # by type: isinstance asks weak references for what they refer to
    for parameter in [value for value in gc.get_objects() if issubclass(type(value), Parameter)]:
        count = taken.get(parameter.name, 0)
        taken[parameter.name] = count + 1
        if count:
            parameter.name = f"{parameter.name}.copy{count}"
