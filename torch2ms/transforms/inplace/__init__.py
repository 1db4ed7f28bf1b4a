"""In-place writes, `out=` and views: bound anew, assigned, written through an index, or refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import How, Write
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Insert, New
from torch2ms.transforms.inplace.statements import Writer
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined


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
        functions = [
            n for n in ast.walk(facts.tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module))
        ]
        for mutator in around.mutators.values():
            yield Claim(self.name, (), (Insert(mutator.node.body[-1], "after", (New(f"return {mutator.parameter}"),)),))
        for function in functions:
            writes = [w for w in facts.aliases(function).writes if not facts.skipped(w.node)]
            writer = Writer(facts, around, writes)
            for write in writes:
                yield from _claims(writer, write)


def _claims(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    handler = {
        How.METHOD: writer.method,
        How.AUGMENTED: writer.augmented,
        How.ITEM: writer.item,
        How.OUT: writer.out,
        How.INPLACE: writer.inplace,
        How.DATA: writer.data,
        How.CALL: writer.call,
    }.get(write.how)
    if handler is None:
        return
    try:
        yield from handler(write)
    except Declined as reason:
        yield writer.refused(write, reason)


TRANSFORM = InPlace()
