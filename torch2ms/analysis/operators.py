"""The kind of the result of an operator."""

from __future__ import annotations

import ast

from torch2ms.analysis.lattice import (
    BOTTOM,
    MAYBE_TENSOR,
    NDARRAY,
    NUMBER,
    OTHER,
    SIZE,
    STRING,
    TENSOR,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    grown,
    join,
    sequence,
    uncertain,
)
from torch2ms.analysis.python_kinds import iterate


def binary(left: KindInfo, right: KindInfo, op: ast.operator) -> KindInfo:
    """The kind of `left op right`."""
    a, b = left.kind, right.kind
    if a is Kind.STRING and isinstance(op, (ast.Mod, ast.Add, ast.Mult)):
        return STRING
    if b is Kind.STRING and isinstance(op, ast.Add) and a is not Kind.NDARRAY:
        return OTHER  # a tensor and a string have no sum
    if a in TENSOR_KINDS or b in TENSOR_KINDS:
        return _of_tensors(left, right)
    if a is Kind.NUMBER and b is Kind.NUMBER:
        return left if left.dtype == right.dtype and not isinstance(op, ast.Div) else NUMBER
    if a is Kind.NDARRAY or b is Kind.NDARRAY:
        other = right if a is Kind.NDARRAY else left
        return NDARRAY if other.kind in (Kind.NDARRAY, Kind.NUMBER, Kind.SEQUENCE, Kind.OTHER) else UNKNOWN
    if a in (Kind.SEQUENCE, Kind.SIZE, Kind.STRING) or b in (Kind.SEQUENCE, Kind.SIZE, Kind.STRING):
        return _of_sequences(left, right, op)
    for info, other in ((left, right), (right, left)):
        if other.kind is Kind.NUMBER and (type(info) is Origin or info is BOTTOM):
            return info  # numbers, arrays and tensors stay what they are
        if type(info) is Origin and info.likely:
            return MAYBE_TENSOR
    if a is Kind.OTHER and b in (Kind.OTHER, Kind.NUMBER) or b is Kind.OTHER and a is Kind.NUMBER:
        return OTHER
    return BOTTOM if BOTTOM in (left, right) else UNKNOWN


def _of_tensors(left: KindInfo, right: KindInfo) -> KindInfo:
    """At least one operand is a tensor, perhaps or for sure."""
    info = TENSOR if left.dtype is None or left.dtype != right.dtype else KindInfo(Kind.TENSOR, dtype=left.dtype)
    for tensor, number in ((left, right), (right, left)):
        if tensor.dtype == "float64" and tensor.is_tensor and number.kind is Kind.NUMBER and number.dtype is not None:
            info = KindInfo(Kind.TENSOR, dtype="float64")
    if any(operand.is_tensor and not operand.optional for operand in (left, right)):
        return info
    return KindInfo(Kind.TENSOR, optional=True) if left.is_tensor or right.is_tensor else uncertain(info)


def _of_sequences(left: KindInfo, right: KindInfo, op: ast.operator) -> KindInfo:
    """At least one operand is a list, tuple or string: `+` joins, `*` repeats."""
    sequences = (Kind.SEQUENCE, Kind.SIZE)
    if Kind.SIZE in (left.kind, right.kind) and isinstance(op, (ast.Add, ast.Mult)):
        if {left.kind, right.kind} <= {*sequences, Kind.NUMBER}:
            return SIZE  # a Size with more in it is a Size, which constructors do not take for data
    if left.kind in sequences and right.kind in sequences:
        if left.items is not None and right.items is not None and isinstance(op, ast.Add):
            return sequence(items=(*left.items, *right.items))
        return grown(left, right, join(iterate(left), iterate(right)))
    if isinstance(op, ast.Mult):
        for info, other in ((left, right), (right, left)):
            if other.kind is Kind.NUMBER:
                return STRING if info.kind is Kind.STRING else sequence(iterate(info))
    return BOTTOM if BOTTOM in (left, right) else UNKNOWN
