"""`ctx.needs_input_grad`: bprop always computes the gradients of tensors; what is no tensor has none."""

from __future__ import annotations

import ast

from torch2ms.edits import Edit, Item, Keep, Replace, Splice
from torch2ms.transforms.autograd_function.saved import Declined, Used
from torch2ms.transforms.autograd_function.shape import Shape


class NeedsInputGrad:
    """Decides every condition on needs_input_grad.

    True for an input without a default, `name is not None` for one that defaults to None, False for one that defaults
    to a number, a string or a bool.
    """

    def __init__(self, shape: Shape, used: Used) -> None:
        self._shape = shape
        self._needs = used.needs
        self.edits: list[Edit] = []
        self._unwrapped: set[ast.stmt] = set()
        self._gone: set[ast.stmt] = set()
        decided: set[ast.expr] = set()
        for stmt in shape.backward.body:
            if isinstance(stmt, ast.If) and not stmt.orelse:
                decided |= self._condition(stmt)
        for node, i in self._needs.items():
            if node not in decided:
                self.edits.append(Replace(node, self._answer(i)))
        self._drop_initial_values()

    def items(self, stmt: ast.stmt) -> list[Item]:
        """What stands for a statement of backward."""
        if stmt in self._gone:
            return []
        if stmt in self._unwrapped and isinstance(stmt, ast.If):
            return [Keep(inner) for inner in stmt.body]
        return [Keep(stmt)]

    def _answer(self, i: int | None) -> str:
        if i is None or not -len(self._shape.inputs) <= i < len(self._shape.inputs):
            raise Declined("needs_input_grad is indexed beyond the inputs")
        name = self._shape.inputs[i]
        default = self._shape.defaults.get(name)
        if default is None:
            return "True"
        if isinstance(default, ast.Constant):
            return f"{name} is not None" if default.value is None else "False"
        raise Declined(f"it is not known whether {name} is a tensor")

    def _condition(self, stmt: ast.If) -> set[ast.expr]:
        test = stmt.test
        operands = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        mine = [o for o in operands if o in self._needs]
        answers = {o: self._answer(self._needs[o]) for o in mine}
        if "False" in answers.values():
            self._gone.add(stmt)
            self.edits.append(Splice(stmt, ()))
            return {n for n in ast.walk(test) if isinstance(n, ast.expr)}
        certain = [o for o in mine if answers[o] == "True"]
        rest = [o for o in operands if o not in certain]
        if not certain:
            return set()
        if not rest:
            self._unwrapped.add(stmt)
        else:
            self.edits.append(Replace(test, " and ".join(f"${i}" for i in range(len(rest))), tuple(rest)))
        return set(certain)

    def _drop_initial_values(self) -> None:
        """`a = b = None` goes where the unwrapped bodies assign all of them anyway."""
        assigned = {
            n.id
            for stmt in self._unwrapped
            if isinstance(stmt, ast.If)
            for inner in stmt.body
            if isinstance(inner, (ast.Assign, ast.AnnAssign))
            for n in ast.walk(inner)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        for stmt in self._shape.backward.body:
            if isinstance(stmt, ast.Assign) and _all_none(stmt.value):
                targets = {n.id for t in stmt.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                if targets and targets <= assigned:
                    self._gone.add(stmt)


def _all_none(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return all(_all_none(e) for e in value.elts)
    return isinstance(value, ast.Constant) and value.value is None
