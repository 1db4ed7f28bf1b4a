"""Nested tuples, lists and dictionaries of values, taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def leaves(tree: Any) -> list[Any]:
    """Return what stands in a nested structure, in order."""
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, (list, tuple)):
        return [leaf for value in tree for leaf in leaves(value)]
    return [tree]


def mapped(change: Callable[[Any], Any], tree: Any) -> Any:
    """Return the same structure with each leaf changed."""
    if isinstance(tree, dict):
        return type(tree)((key, mapped(change, value)) for key, value in tree.items())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(mapped(change, value) for value in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(mapped(change, value) for value in tree)
    return change(tree)


def rebuilt(tree: Any, values: list[Any]) -> Any:
    """Return the structure of `tree` with other leaves."""
    rest = iter(values)
    return mapped(lambda _: next(rest), tree)
