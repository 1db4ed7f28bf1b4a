"""The layers whose parameters have the default type where no `dtype` is given."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from .. import _default_dtype, nn
from ..mint import nn as layers
from ..nn import lazy

_RUNTIME = __name__.rpartition("._double.")[0]


def _place(cls: type) -> int | None:
    """The place of `dtype` among the arguments, which constructors may hand on to a base; None where none takes it."""
    for base in cls.__mro__:
        made = vars(base).get("__init__")
        names = list(inspect.signature(made).parameters) if made is not None else []
        if "dtype" in names:
            return names.index("dtype") - 1
        if made is not None and names != ["self", "args", "kwargs"]:
            return None
    return None


def _typed(made: Callable[..., None], place: int) -> Callable[..., None]:
    """A constructor that passes the default type where it gets none."""

    @functools.wraps(made)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if _default_dtype.is_double() and len(args) <= place and kwargs.get("dtype") is None:
            kwargs["dtype"] = _default_dtype.get_default_dtype()
        made(self, *args, **kwargs)

    return __init__


def _lazy(made: Callable[..., None]) -> Callable[..., None]:
    """The constructor of a layer that is made later, of the type that is the default now."""

    @functools.wraps(made)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = _default_dtype.get_default_dtype()
        made(self, *args, **kwargs)

    return __init__


def _classes() -> Iterator[Any]:
    """The runtime's layer classes; those of `nn` are loaded when they are first asked for."""
    values = [*vars(layers).values(), *(getattr(nn, name) for name in nn._LAYERS)]
    classes = [value for value in values if isinstance(value, type) and value.__module__.startswith(_RUNTIME)]
    yield from dict.fromkeys(classes)


def install() -> None:
    """Change the constructors."""
    for cls in list(_classes()):
        place = _place(cls)
        if place is not None:
            cls.__init__ = _typed(cls.__init__, place)
    lazy._Lazy.__init__ = _lazy(lazy._Lazy.__init__)  # type: ignore[method-assign]
