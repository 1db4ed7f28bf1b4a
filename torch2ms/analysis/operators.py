"""The kind of the result of an operator."""

from __future__ import annotations

import ast

from torch2ms.analysis.lattice import (
    BOTTOM,
    MAYBE_TENSOR,
    NDARRAY,
    NUMBER,
    OTHER,
    STRING,
    TENSOR,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join,
    sequence,
    uncertain,
)
from torch2ms.analysis.python_kinds import iterate


def binary(left: KindInfo, right: KindInfo, op: ast.operator) -> KindInfo:
    """The kind of `left op right`."""
    a, b = left.kind, right.kind
    if a in TENSOR_KINDS or b in TENSOR_KINDS:
        if a is Kind.STRING:
            return STRING
        sure = (
            a in TENSOR_KINDS
            and left.certain
            and not left.optional
            or b in TENSOR_KINDS
            and right.certain
            and not right.optional
        )
        both = left.is_tensor or right.is_tensor
        info = TENSOR if left.dtype is None or left.dtype != right.dtype else KindInfo(Kind.TENSOR, dtype=left.dtype)
        if sure:
            return info
        return KindInfo(Kind.TENSOR, optional=True) if both else uncertain(info)
    if a is Kind.NUMBER and b is Kind.NUMBER:
        return left if left.dtype == right.dtype and not isinstance(op, ast.Div) else NUMBER
    if a is Kind.STRING and isinstance(op, (ast.Mod, ast.Add, ast.Mult)):
        return STRING
    if a is Kind.NDARRAY or b is Kind.NDARRAY:
        other = right if a is Kind.NDARRAY else left
        return NDARRAY if other.kind in (Kind.NDARRAY, Kind.NUMBER, Kind.SEQUENCE, Kind.OTHER) else UNKNOWN
    if a in (Kind.SEQUENCE, Kind.SIZE) and b in (Kind.SEQUENCE, Kind.SIZE):
        if left.items is not None and right.items is not None and isinstance(op, ast.Add):
            return sequence(items=(*left.items, *right.items))
        return sequence(join(iterate(left), iterate(right)))
    if isinstance(op, ast.Mult) and Kind.NUMBER in (a, b):
        for info in (left, right):
            if info.kind in (Kind.SEQUENCE, Kind.SIZE):
                return sequence(iterate(info))
            if info.kind is Kind.STRING:
                return STRING
    for info, other in ((left, right), (right, left)):
        if other.kind is Kind.NUMBER and (type(info) is Origin or info is BOTTOM):
            return info  # numbers, arrays and tensors stay what they are
        if type(info) is Origin and info.likely:
            return MAYBE_TENSOR
    if a is Kind.OTHER and b in (Kind.OTHER, Kind.NUMBER) or b is Kind.OTHER and a is Kind.NUMBER:
        return OTHER
    return BOTTOM if BOTTOM in (left, right) else UNKNOWN
