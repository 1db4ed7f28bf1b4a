"""A write keeps the dtype of its tensor; the expression in its place need not."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.diagnostics import Diagnostic
from torch2ms.source import Span

# the method without its underscore gives booleans
_BOOLEAN = frozenset(
    "eq_ ne_ lt_ le_ gt_ ge_ greater_ greater_equal_ less_ less_equal_ not_equal_ logical_and_ logical_or_ logical_xor_ "
    "logical_not_".split()
)
_MIXED = re.compile(r"\b(?:double|float64|half|float16|bfloat16|DoubleTensor|HalfTensor|BFloat16Tensor|from_numpy)\b")
_WIDTH = {
    "bool": 0, "uint8": 1, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "bfloat16": 5, "float32": 6, "float64": 7,
}  # fmt: skip


def boolean_template(facts: Facts, method: str, call: ast.Call, receiver: ast.expr) -> str | None:
    """The template of a comparison that is written into a tensor of numbers; None for any other method."""
    if method not in _BOOLEAN or call.keywords or len(call.args) != (method != "logical_not_"):
        return None
    text = f"$mint.{method[:-1]}({', '.join(f'${i}' for i in range(len(call.args) + 1))})"
    return text if facts.kinds.of(receiver).dtype == "bool" else f"{text}.to($0.dtype)"


def widens(facts: Facts, target: ast.expr, *operands: ast.expr) -> bool:
    """Whether an operation with these operands may give a dtype above that of the target.

    A dtype that is not known counts as float32, unless the other one is known and the file speaks of further types, or
    the program changes the default one.
    """
    dtype = facts.kinds.of(target).dtype
    own = _WIDTH.get(dtype or "float32", 9)
    for known in _dtypes(facts, operands):
        one_known = (known is None) != (dtype is None) and known not in ("bool", "int64") and dtype != "float64"
        if _WIDTH.get(known or "", 0) > own or one_known and _is_mixed(facts):
            return True
        # what counts as float32 may be made with another default
        if known in (None, "float32") and dtype in (None, "float32") and facts.project.habits.sets_default_dtype:
            return True
    return False


def doubts(facts: Facts, target: ast.expr, node: ast.AST, *operands: ast.expr) -> list[Diagnostic]:
    """What to say where neither dtype is known in a file that speaks of several floating-point types."""
    if facts.kinds.of(target).dtype is not None or not any(d is None for d in _dtypes(facts, operands)):
        return []
    if not _is_mixed(facts):
        return []
    name = ast.unparse(target)
    message = f"{name} takes the dtype of the result; right if what is written to it has no wider dtype"
    return [Diagnostic("T2M302", Span.of(node), message, f"append .to({name}.dtype) if it may have one")]


def _is_mixed(facts: Facts) -> bool:
    """Whether a program has floating-point types beside float32, as far as the file tells."""
    return facts.project.habits.sets_default_dtype or _speaks_of_others(facts.source.text)


@lru_cache(maxsize=4)
def _speaks_of_others(text: str) -> bool:
    """Whether a source speaks of floating-point types beside float32, or takes arrays of numpy, which has float64."""
    return _MIXED.search(text) is not None


def _dtypes(facts: Facts, operands: tuple[ast.expr, ...]) -> list[str | None]:
    infos = [facts.kinds.of(operand) for operand in operands]
    return [info.dtype for info in infos if info.kind in TENSOR_KINDS]
