"""autograd.Function becomes a Cell with bprop, where that is sound; else it goes on as the runtime's Function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, DropDecorator, Edit, Replace
from torch2ms.source import Span
from torch2ms.transforms.autograd_function.bprop import bprop_edits
from torch2ms.transforms.autograd_function.dirty import dirty_positions, refusals, said_of_value
from torch2ms.transforms.autograd_function.saved import Declined
from torch2ms.transforms.autograd_function.shape import ONCE, is_harmless, read_shape


class AutogradFunction:
    """class F(autograd.Function) -> class F(nn.Cell) with construct and bprop; F.apply -> F().

    MindSpore knows a custom gradient as a method of a Cell. The runtime's Function takes what bprop cannot express. Both
    can be called like `F()(x)` and like `F.apply(x)`, so that uses of a class of another file need not know which it
    became.
    """

    name = "autograd_function"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """Claims each Function class and each `F.apply`."""
        nodes = [n for n in facts.names.parents if type(n) in (ast.ClassDef, ast.Attribute) and not facts.skipped(n)]
        kept: dict[str, tuple[int, ...]] = {}  # the classes that stay Functions, and which arguments they write
        for node in nodes:
            if isinstance(node, ast.ClassDef) and _is_function(node, facts):
                claim = self._class(node, facts)
                if claim.diagnostics:
                    kept[facts.names.qualified(node)] = dirty_positions(node)
                yield claim
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr == "apply":
                owner = facts.names.of(node.value)
                if owner is None or not facts.project.is_function(owner):
                    continue
                above = facts.parent(node)
                if owner not in kept:
                    yield Claim(self.name, (node,), (Replace(node, "$0()", (node.value,)),))
                elif kept[owner] and isinstance(above, ast.Call) and above.func is node:
                    yield from refusals(owner.rpartition(".")[2], above, kept[owner], facts)
                elif kept[owner]:
                    yield said_of_value(owner.rpartition(".")[2], node)

    def _class(self, node: ast.ClassDef, facts: Facts) -> Claim:
        try:
            _check_uses(node, facts)
            shape = read_shape(node, facts)
            edits: list[Edit] = [*bprop_edits(shape, facts), Replace(shape.base, "$nn.Cell")]
        except Declined as reason:
            return self._on_tape(node, str(reason), facts)
        decorators = [d for function in shape.functions for d in function.decorator_list]
        return Claim(self.name, (shape.base, *decorators), tuple(edits))

    def _on_tape(self, node: ast.ClassDef, reason: str, facts: Facts) -> Claim:
        direct = [base for base in node.bases if facts.names.of(base) == "torch.autograd.Function"]
        edits: list[Edit] = [Replace(base, "$Function") for base in direct]
        held: list[ast.AST] = [*direct]
        for decorator in (d for s in node.body if isinstance(s, ast.FunctionDef) for d in s.decorator_list):
            if facts.names.of(decorator) == ONCE:
                edits.append(Replace(decorator, "$once_differentiable"))
                held.append(decorator)
            elif is_harmless(decorator, facts) and facts.names.of(decorator) != "builtins.staticmethod":
                edits.append(DropDecorator(decorator))
                held.append(decorator)
        said = Diagnostic(
            "T2M204",
            Span.of(node),
            f"{node.name} becomes the runtime's Function: {reason}",
            "it runs in value_and_grad and on the tape, but not under @mindspore.jit",
        )
        return Claim(self.name, tuple(held), tuple(edits), (said,))


def _is_function(node: ast.ClassDef, facts: Facts) -> bool:
    for base in node.bases:
        name = facts.names.of(base)
        if name is not None and (name == "torch.autograd.Function" or facts.project.is_function(name)):
            return True
    return False


def _check_uses(node: ast.ClassDef, facts: Facts) -> None:
    """A class that is more than applied stays a Function: only that has `apply` on the class."""
    mine = facts.names.qualified(node)
    if any(mine in list(facts.project.bases(name))[1:] for name in facts.project.classes if name != mine):
        raise Declined("another Function inherits from it")
    for use in facts.names.parents:
        if isinstance(use, ast.Name) and isinstance(use.ctx, ast.Load) and use.id == node.name:
            above = facts.parent(use)
            applied = isinstance(above, ast.Attribute) and above.attr == "apply"
            if not applied and not (isinstance(above, ast.Call) and above.func is use) and _means(use, node, facts):
                raise Declined(f"the class is used as a value in line {use.lineno}")


def _means(use: ast.Name, node: ast.ClassDef, facts: Facts) -> bool:
    binder = facts.names.binder(use)
    return binder is not None and node in binder.bindings[use.id]


TRANSFORM = AutogradFunction()
