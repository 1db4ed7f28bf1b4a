"""autograd.Function becomes a Cell with bprop, where that is sound; else it goes on as the runtime's Function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Replace
from torch2ms.source import Span
from torch2ms.transforms.autograd_function.bprop import bprop_edits
from torch2ms.transforms.autograd_function.saved import Declined
from torch2ms.transforms.autograd_function.shape import read_shape


class AutogradFunction:
    """class F(autograd.Function) -> class F(nn.Cell) with construct and bprop; F.apply -> F().

    MindSpore knows a custom gradient as a method of a Cell. The runtime's Function takes what bprop cannot express; an
    instance of either is called like `F()(x)`, so that uses of a class of another file need not know which it became.
    """

    name = "autograd_function"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """Claims each Function class and each `F.apply`."""
        for node in facts.names.parents:
            if isinstance(node, ast.ClassDef) and not facts.skipped(node) and _is_function(node, facts):
                yield self._class(node, facts)
            elif isinstance(node, ast.Attribute) and node.attr == "apply" and not facts.skipped(node):
                owner = facts.names.of(node.value)
                if owner is not None and facts.project.is_function(owner):
                    yield Claim(self.name, (node,), (Replace(node, "$0()", (node.value,)),))

    def _class(self, node: ast.ClassDef, facts: Facts) -> Claim:
        try:
            if _has_subclass(node, facts):
                raise Declined("another Function inherits from it")
            shape = read_shape(node, facts)
            edits: list[Edit] = [*bprop_edits(shape, facts), Replace(shape.base, "$nn.Cell")]
        except Declined as reason:
            return self._on_tape(node, str(reason), facts)
        return Claim(
            self.name, (shape.base, *shape.forward.decorator_list, *shape.backward.decorator_list), tuple(edits)
        )

    def _on_tape(self, node: ast.ClassDef, reason: str, facts: Facts) -> Claim:
        direct = [base for base in node.bases if facts.names.of(base) == "torch.autograd.Function"]
        edits = tuple(Replace(base, "$Function") for base in direct)
        said = Diagnostic(
            "T2M204",
            Span.of(node),
            f"{node.name} becomes the runtime's Function: {reason}",
            "it runs in value_and_grad and on the tape, but not under @mindspore.jit",
        )
        return Claim(self.name, tuple(direct), edits, (said,))


def _is_function(node: ast.ClassDef, facts: Facts) -> bool:
    for base in node.bases:
        name = facts.names.of(base)
        if name is not None and (name == "torch.autograd.Function" or facts.project.is_function(name)):
            return True
    return False


def _has_subclass(node: ast.ClassDef, facts: Facts) -> bool:
    mine = next((name for name, cls in facts.project.classes.items() if name.rpartition(".")[2] == node.name), None)
    return mine is not None and any(
        mine in list(facts.project.bases(name))[1:] for name in facts.project.classes if name != mine
    )


TRANSFORM = AutogradFunction()
