"""In-place writes, `out=` and views: bound anew, assigned, written through an index, or refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import How, Write
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim
from torch2ms.transforms.inplace.arguments import call, inplace, out
from torch2ms.transforms.inplace.augmented import augmented
from torch2ms.transforms.inplace.copies import Copies
from torch2ms.transforms.inplace.data import data
from torch2ms.transforms.inplace.items import item
from torch2ms.transforms.inplace.methods import function, method, reshaped
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined, in_place_name
from torch2ms.transforms.inplace.views import kept_cast
from torch2ms.transforms.inplace.writer import Writer


class InPlace:
    """Writes into tensors, in the order of the source.

    MindSpore's in-place methods leave the tensor as it is on CPU, `+=` only binds the name anew, and a write through a
    view is lost inside a gradient. So the value is computed out of place and gets to its place in a way that both
    plain code and gradients see. What a rule refuses (T2M301) is what this transform declines.
    """

    name = "inplace"
    after: tuple[str, ...] = ("training", "no_grad", "autograd_function")
    gives_way = True

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each write that needs another form."""
        around = Surroundings(facts)
        functions: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.Module] = [facts.tree]
        reshaping: dict[ast.AST, list[ast.Call]] = {}
        for node in facts.names.parents:
            if type(node) is ast.FunctionDef or type(node) is ast.AsyncFunctionDef:
                functions.append(node)
            elif type(node) is ast.Call and in_place_name(node) in _RESHAPING:
                reshaping.setdefault(facts.function(node), []).append(node)
        copies = Copies(facts)
        for scope in functions:
            writes = [w for w in facts.aliases(scope).writes if not facts.skipped(w.node)]
            writer = Writer(facts, around, writes)
            for write in writes:
                yield from copies.before(write)
                yield from _claims(writer, write)
            yield from _reshaped(writer, facts, reshaping.get(scope, []))
        yield from map(kept_cast, around.written_casts)
        for mutator in around.mutators.values():
            yield from mutator.claims(around)  # a return at the end comes behind what follows the last write


_HANDLERS = {
    How.METHOD: method,
    How.AUGMENTED: augmented,
    How.ITEM: item,
    How.OUT: out,
    How.INPLACE: inplace,
    How.DATA: data,
    How.CALL: call,
    How.FUNCTION: function,
}


def _claims(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    handler = _HANDLERS.get(write.how)
    if handler is None:
        return
    try:
        yield from handler(writer, write)
    except Declined as reason:
        yield writer.refused(write, reason)


_RESHAPING = frozenset("detach_ squeeze_ unsqueeze_ transpose_ t_ swapaxes_ swapdims_".split())


def _reshaped(writer: Writer, facts: Facts, calls: list[ast.Call]) -> Iterator[Claim | Diagnostic]:
    """Methods that change the object, not its values."""
    for node in calls:
        if facts.skipped(node):
            continue
        assert isinstance(node.func, ast.Attribute)
        info = facts.kinds.of(node.func.value)
        if info.known and not info.is_tensor or facts.names.of(node.func) is not None:
            continue
        try:
            yield from reshaped(writer, node)
        except Declined as reason:
            yield writer.refused(Write(node, node.func.value, How.METHOD), reason)


TRANSFORM = InPlace()
