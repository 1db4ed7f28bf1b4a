"""Conversions to integers and truth values: PyTorch's end the graph there, MindSpore's pass a gradient of 1 on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Replace
from torch2ms.transforms.inplace.quiet import Quiet

_METHODS = frozenset("long int bool byte short char".split())
_RENAMED = {"char": "to($mindspore.int8)"}  # MindSpore has no method of this name
_TYPES = frozenset(
    "long int int64 int32 short int16 int8 uint8 bool LongTensor IntTensor ShortTensor ByteTensor BoolTensor".split()
)
# functions and modules that take indices or labels, which carry no gradient
_INDEXED = frozenset(
    "gather scatter scatter_ scatter_add scatter_add_ index_select index_add index_add_ index_fill index_copy take one_hot embedding "
    "cross_entropy nll_loss bincount unique repeat_interleave Embedding EmbeddingBag CrossEntropyLoss NLLLoss item tolist numpy "
    "eq ne gt lt ge le argmax argmin any all".split()
)


class Casts:
    """`x.long()` of what may carry gradient becomes `ops.stop_gradient(x).long()`, where a gradient can run."""

    name = "casts"
    after: tuple[str, ...] = ("training", "no_grad", "autograd_function", "inplace")
    gives_way = True

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each conversion."""
        quiet: Quiet | None = None
        for node in facts.names.parents:
            cast = _cast(facts, node)
            if cast is None or facts.skipped(node) or not _may_be_float(facts, cast.func.value):  # type: ignore[attr-defined]
                continue
            quiet = quiet or Quiet(facts)
            if quiet.is_free(cast) or _is_index(facts, cast):
                continue
            assert isinstance(cast.func, ast.Attribute)
            slots = ", ".join(f"${i + 1}" for i in range(len(cast.args)))
            text = f"$ops.stop_gradient($0).{_RENAMED.get(cast.func.attr) or f'{cast.func.attr}({slots})'}"
            yield Claim(self.name, (cast, cast.func), (Replace(cast, text, (cast.func.value, *cast.args)),))


def _cast(facts: Facts, node: ast.AST) -> ast.Call | None:
    """The node, if it is a tensor's conversion to a type without gradients."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.keywords:
        return None
    if facts.kinds.of(node.func.value).kind not in TENSOR_KINDS:
        return None
    if node.func.attr in _METHODS and not node.args:
        return node
    if node.func.attr in ("to", "type") and len(node.args) == 1:
        name = facts.names.of(node.args[0]) or ""
        if name.startswith("torch.") and name.rpartition(".")[2] in _TYPES:
            return node
    return None


def _may_be_float(facts: Facts, value: ast.expr) -> bool:
    if isinstance(value, ast.Compare):
        return False
    dtype = facts.kinds.of(value).dtype
    if dtype is not None:
        return "float" in dtype or dtype in ("double", "half")
    return not (isinstance(value, ast.Name) and _is_loaded(facts, value))


def _is_loaded(facts: Facts, name: ast.Name) -> bool:
    """Whether the name is what a loop takes from a loader."""
    for node in ast.walk(facts.function(name)):
        if isinstance(node, ast.For) and any(
            isinstance(n, ast.Name) and n.id == name.id for n in ast.walk(node.target)
        ):
            parts = [n for n in ast.walk(node.iter) if isinstance(n, (ast.Name, ast.Attribute))]
            if any(facts.kinds.of(n).kind in (Kind.LOADER, Kind.DATASET) for n in parts):
                return True
    return False


def _is_index(facts: Facts, value: ast.expr, followed: bool = True) -> bool:
    """Whether a value is only used as an index, as labels, or where Python takes it out of the tensor."""
    above = facts.parent(value)
    if isinstance(above, ast.Tuple) and isinstance(facts.parent(above), ast.Subscript):
        return True
    if isinstance(above, ast.Subscript):
        return above.slice is value
    if isinstance(above, ast.Compare):
        return True
    if isinstance(above, ast.Attribute):
        return above.attr in _INDEXED
    if isinstance(above, ast.keyword):
        above = facts.parent(above)
    if isinstance(above, ast.Call):
        return _takes_indices(facts, above)
    if followed and isinstance(above, ast.Assign) and all(isinstance(t, ast.Name) for t in above.targets):
        names = {t.id for t in above.targets if isinstance(t, ast.Name)}
        loads = [
            n
            for n in ast.walk(facts.function(value))
            if isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load)
        ]
        return all(_is_index(facts, load, False) for load in loads)
    return False


def _takes_indices(facts: Facts, call: ast.Call) -> bool:
    func = call.func
    last = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    classes = facts.kinds.of(func).classes
    return last in _INDEXED or any(name.rpartition(".")[2] in _INDEXED for name in classes)


TRANSFORM = Casts()
