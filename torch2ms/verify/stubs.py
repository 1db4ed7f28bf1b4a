"""Empty shells for packages that a script imports but that do not matter for its numbers, such as loggers."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any


class _Anything:
    """Takes every call and every attribute and answers with itself or another shell."""

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def __call__(self, *args: Any, **options: Any) -> _Anything:
        return self

    def __getattr__(self, name: str) -> _Anything:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> _Anything:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


def install(name: str) -> None:
    """Make `import name` (dotted names too) give an empty shell."""
    parts = name.split(".")
    for i in range(len(parts)):
        path = ".".join(parts[: i + 1])
        if path in sys.modules and i + 1 < len(parts):
            continue
        module = types.ModuleType(path)
        module.__getattr__ = _attribute  # type: ignore[method-assign]
        module.__path__ = []
        sys.modules[path] = module
        if i:
            setattr(sys.modules[".".join(parts[:i])], parts[i], module)


def _attribute(name: str) -> type[_Anything]:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything
