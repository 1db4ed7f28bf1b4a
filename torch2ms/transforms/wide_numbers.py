"""Python floats beside float64 tensors keep their digits: MindSpore rounds them to float32 first."""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Replace

_WIDE = ("double", "float64")


class WideNumbers:
    """`x * 0.1` of a float64 tensor; programs whose default is float64 have operators of their own."""

    name = "wide_numbers"
    after: tuple[str, ...] = ("training", "no_grad", "autograd_function", "inplace")
    gives_way = True

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each number that float32 does not hold."""
        if not any(word in facts.source.text for word in _WIDE) or facts.project.habits.sets_default_dtype:
            return
        for node in facts.names.parents:
            for number in _beside(facts, node):
                if not facts.skipped(node) and _loses_digits(facts, number):
                    made = "$mindspore.tensor($0, dtype=$mindspore.float64)"
                    yield Claim(self.name, (number,), (Replace(number, made, (number,)),))


def _beside(facts: Facts, node: ast.AST) -> Iterator[ast.expr]:
    """The operands that stand beside a float64 tensor."""
    pairs: tuple[tuple[ast.expr, ast.expr], ...]
    match node:
        case ast.BinOp(left=a, right=b):
            pairs = ((a, b), (b, a))
        case ast.AugAssign(target=a, value=b):
            pairs = ((a, b),)
        case ast.Compare(left=a, comparators=[b]):
            pairs = ((a, b), (b, a))
        case _:
            return
    for tensor, other in pairs:
        info = facts.kinds.of(tensor)
        if info.is_tensor and info.dtype == "float64":
            yield other


def _loses_digits(facts: Facts, number: ast.expr) -> bool:
    value = number.operand if isinstance(number, ast.UnaryOp) else number
    if isinstance(value, ast.Constant):
        return isinstance(value.value, float) and not _is_single(value.value)
    info = facts.kinds.of(number)
    return info.kind is Kind.NUMBER and info.certain and info.dtype == "float32"


def _is_single(value: float) -> bool:
    try:
        return struct.unpack("f", struct.pack("f", value))[0] == value
    except OverflowError:
        return False


TRANSFORM = WideNumbers()
