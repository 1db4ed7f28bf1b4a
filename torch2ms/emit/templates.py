"""Templates as libcst trees: each distinct text is parsed once, then filled with the parts of the file."""
from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import libcst as cst

from torch2ms.emit.nodes import fields, fitted, inside
from torch2ms.emit.placeholders import SLOT

# where a placeholder stands below a node: field -> slot, or field -> {index: slot}
Slots = Any


def _slots(node: cst.CSTNode) -> Slots:
    if isinstance(node, cst.Name):
        match = SLOT.fullmatch(node.value)
        if match:
            return int(match.group(1))
    found: dict[str, Slots] = {}
    for field in fields(type(node)):
        value = getattr(node, field)
        if isinstance(value, cst.CSTNode):
            inner = _slots(value)
        elif isinstance(value, (list, tuple)):
            inner = {i: s for i, item in enumerate(value) if isinstance(item, cst.CSTNode) and (s := _slots(item)) is not None} or None
        else:
            inner = None
        if inner is not None:
            found[field] = inner
    return found or None


@lru_cache(maxsize=2048)
def _expression(source: str) -> tuple[cst.BaseExpression, Slots]:
    node = cst.parse_expression(source)
    return node, _slots(node)


@lru_cache(maxsize=2048)
def _statements(source: str) -> tuple[tuple[cst.CSTNode, Slots], ...]:
    module = cst.parse_module(source)
    first, *others = module.body
    first = first.with_changes(leading_lines=[*module.header, *first.leading_lines])
    return tuple((node, _slots(node)) for node in (first, *others))


def _fill(node: Any, slots: Slots, parts: Sequence[Any], bracketed: bool) -> Any:
    changes = {}
    for field, inner in slots.items():
        value = getattr(node, field)
        within = bracketed or inside(node, field)
        if isinstance(value, cst.CSTNode):
            changes[field] = _fitted(value, inner, parts, node, field, within)
        else:
            changes[field] = [_fitted(v, inner[i], parts, node, field, within) if i in inner else v for i, v in enumerate(value)]
    return node.with_changes(**changes)


def _fitted(node: Any, slots: Slots, parts: Sequence[Any], parent: Any, field: str, bracketed: bool) -> Any:
    if not isinstance(slots, int):
        return _fill(node, slots, parts, bracketed)
    part = parts[slots]
    if isinstance(parent, cst.Arg) and isinstance(part, cst.GeneratorExp) and not part.lpar:
        part = part.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return fitted(part, parent, field, bracketed)


def expression(source: str, parts: Sequence[Any]) -> Any:
    """An expression template, spelled, with its parts put in."""
    node, slots = _expression(source)
    if slots is None:
        return node
    return parts[slots] if isinstance(slots, int) else _fill(node, slots, parts, False)


def statements(source: str, parts: Sequence[Any]) -> list[Any]:
    """A template of one or more statements, spelled, with its parts put in: lines of a block."""
    return [node if slots is None else _fill(node, slots, parts, False) for node, slots in _statements(source)]


