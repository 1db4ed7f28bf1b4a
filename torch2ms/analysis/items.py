"""The kinds of what indexing and iterating gives."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torch2ms.analysis.cells import Key
from torch2ms.analysis.lattice import (
    BOTTOM,
    MAYBE_TENSOR,
    NUMBER,
    PARAMETER,
    SIZE,
    TENSOR,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    first_in_place,
    join,
    join_all,
    mapping,
    record,
    required,
    sequence,
    uncertain,
)
from torch2ms.analysis.python_kinds import iterate
from torch2ms.analysis.torch_objects import OPTIMIZER_STATE, PARAM_GROUP

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator


def subscript(ev: Evaluator, node: ast.Subscript) -> KindInfo:
    """The kind of `value[slice]`."""
    container = ev.eval(node.value)
    index = ev.eval(node.slice)
    return item_of(ev, container, node.slice, index)


def item_of(ev: Evaluator, info: KindInfo, key: ast.expr, index: KindInfo) -> KindInfo:
    """What indexing gives."""
    kind = info.kind
    if kind in TENSOR_KINDS:
        result = TENSOR if info.dtype is None else KindInfo(Kind.TENSOR, dtype=info.dtype)
        return result if info.certain else uncertain(result)
    if kind is Kind.SEQUENCE:
        return _sequence_item(info, key)
    if kind is Kind.SIZE:
        return SIZE if isinstance(key, ast.Slice) else NUMBER
    if kind is Kind.MAPPING:
        return _mapping_item(ev, info, key)
    if kind in (Kind.NDARRAY, Kind.STRING):
        return info
    if kind is Kind.MODULE:
        return _module_item(ev, info, key, index)
    if kind in (Kind.DATASET, Kind.OTHER):
        return _user_item(ev, info, index) or (info if kind is Kind.OTHER and not info.cls else UNKNOWN)
    if type(info) is Origin and info.likely:
        return MAYBE_TENSOR
    return BOTTOM if info is BOTTOM else UNKNOWN


def _mapping_item(ev: Evaluator, info: KindInfo, key: ast.expr) -> KindInfo:
    constant = key.value if isinstance(key, ast.Constant) else None
    if info.keys is not None and info.items is not None and constant in info.keys:
        return info.items[info.keys.index(str(constant))]
    if info.cls == OPTIMIZER_STATE.cls:
        return ev.read(state_key(key)) if isinstance(key, ast.Constant) else UNKNOWN
    if info.cls == PARAM_GROUP.cls:
        return sequence(PARAMETER) if constant == "params" else NUMBER
    return info.element if info.element is not None else UNKNOWN


def _module_item(ev: Evaluator, info: KindInfo, key: ast.expr, index: KindInfo) -> KindInfo:
    """An item of a container of modules."""
    if info.items is not None and info.element is not None:
        item = _sequence_item(info, key)
        return item if not isinstance(key, ast.Slice) else replace(info, element=item.element, items=item.items)
    if isinstance(key, ast.Slice):
        return info
    if info.element is not None and info.element is not BOTTOM:
        return required(info.element)
    return _user_item(ev, info, index) or KindInfo(Kind.MODULE)


def with_item(info: KindInfo, key: ast.expr, value: KindInfo) -> KindInfo:
    """A dict after `d[key] = value`."""
    element = join(info.element, value) if info.element is not None else None
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        if info.keys is not None and info.items is not None:
            return record({**dict(zip(info.keys, info.items, strict=True)), key.value: value})
        if info.element is BOTTOM:
            return record({key.value: value})
    return mapping(element)


def state_key(key: ast.Constant) -> Key:
    """The fact that holds an entry of the state of optimizers."""
    return ("attribute", OPTIMIZER_STATE.cls, str(key.value))


def _sequence_item(info: KindInfo, key: ast.expr) -> KindInfo:
    items = info.items
    if isinstance(key, ast.Slice):
        if items is not None and key.step is None:
            low, high = _integer(key.lower, 0), _integer(key.upper, len(items))
            if low is not None and high is not None:
                return sequence(element=info.element, items=items[low:high])
        return sequence(info.element, starts=first_in_place(info) if key.lower is None else None)
    at = _integer(key, None)
    if items is not None and at is not None and -len(items) <= at < len(items):
        return items[at]
    return info.element if info.element is not None else UNKNOWN


def _integer(node: ast.expr | None, default: int | None) -> int | None:
    match node:
        case None:
            return default
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def _user_item(ev: Evaluator, info: KindInfo, index: KindInfo) -> KindInfo | None:
    if info.element is not None:
        return info.element
    found = [ev.engine.call_method(ev, cls, "__getitem__", [index]) for cls in info.classes]
    known = [f for f in found if f is not None]
    return join_all(known) if known and len(known) == len(found) else None


def iterate_object(ev: Evaluator, info: KindInfo) -> KindInfo:
    """What iterating an object of a class gives, by its `__iter__` or `__getitem__`."""
    results = []
    for cls in info.classes:
        iterator = ev.engine.call_method(ev, cls, "__iter__", [])
        if iterator is not None:
            results.append(
                ev.iterate(iterator)
                if iterator.cls != cls
                else ev.engine.call_method(ev, cls, "__next__", []) or UNKNOWN
            )
            continue
        item = ev.engine.call_method(ev, cls, "__getitem__", [NUMBER])
        results.append(iterate(KindInfo(info.kind, element=item)) if item is not None else iterate(info))
    return join_all(results) if results else UNKNOWN
