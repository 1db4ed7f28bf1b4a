"""Stands in the emitted code where a PyTorch API has no counterpart, and raises when it is reached."""

from __future__ import annotations

from typing import Any, NoReturn


def unsupported(api: str, source: str = "", advice: str = "", *_args: object, **_kwargs: object) -> NoReturn:
    """Raise NotImplementedError for a PyTorch API that was not converted.

    `api` is its full name, `source` the original line, `advice` what to do instead. Further arguments are accepted
    so that the arguments of the original call can stay where they were.
    """
    lines = [f"{api} was not converted to MindSpore."]
    if source:
        lines.append(f"  original: {source.strip()}")
    if advice:
        lines.append(f"  instead:  {advice}")
    raise NotImplementedError("\n".join(lines))


def unsupported_api(api: str, source: str = "", advice: str = "") -> type:
    """Return an object that may be kept where PyTorch's API was: in a registry, as a default, as a type to test for.

    Nothing is an instance of it. Calling it, deriving from it, reading an attribute of it, its truth value and its
    comparison with plain values raise NotImplementedError, as `unsupported` does.
    """
    return _Unsupported(api, (), {"_said": (api, source, advice)})


class _Unsupported(type):
    """The type of the objects that stand for an API without a counterpart."""

    _said: tuple[str, str, str]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_kwargs: Any) -> _Unsupported:
        """Make one such object; a class derived from one raises."""
        for base in bases:
            if isinstance(base, _Unsupported):
                unsupported(*base._said)
        return super().__new__(cls, name, bases, namespace)

    def __call__(cls, *_args: Any, **_kwargs: Any) -> NoReturn:
        unsupported(*cls._said)

    def __getattr__(cls, name: str) -> NoReturn:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        unsupported(*cls._said)

    def __bool__(cls) -> NoReturn:
        unsupported(*cls._said)

    def __eq__(cls, other: object) -> bool:
        # a function or class of the converted program is never PyTorch's; a plain value might have been equal
        return cls is other or other is not None and not callable(other) and unsupported(*cls._said)

    def __hash__(cls) -> int:
        return id(cls)

    def __repr__(cls) -> str:
        return f"<unsupported {cls.__name__}>"
