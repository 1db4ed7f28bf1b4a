"""The vjp form: a shared value is produced by `vjp`, each backward that hangs on it pulls its gradient back."""

from __future__ import annotations

import ast
import re

from torch2ms.edits import Def, Edit, Item, Keep, New, Splice
from torch2ms.transforms.training.plans import ScopePlan, Step
from torch2ms.transforms.training.shared import Shared


class Producers:
    """The `vjp` calls of one group of steps; `pull` is the name that each value's pullback got."""

    def __init__(self, plan: ScopePlan, steps: list[Step], weights: str, parts: tuple[ast.expr, ...]) -> None:
        self.plan = plan
        self._weights = weights
        self._parts = parts
        self.shared: dict[str, Shared] = {shared.name: shared for step in steps for shared in step.pulls}
        self._last = {shared.name: step.index for step in steps for shared in step.pulls}
        several = len(self.shared) > 1
        self.pull = {name: plan.fresh.name(f"pull_{name}" if several else "pull") for name in self.shared}

    def edits(self) -> list[Edit]:
        """The productions."""
        return [edit for shared in self.shared.values() for edit in self._produce(shared)]

    def _produce(self, shared: Shared) -> list[Edit]:
        target = f"{shared.name}, {self.pull[shared.name]}"
        if shared.call is not None:
            parts: list[ast.expr] = [shared.call.func, *shared.call.args]
            given = ", ".join(f"${i}" for i in range(len(parts)))
            text = f"{target} = $vjp({given}, weights={shifted(self._weights, len(parts))})"
            return [Splice(shared.stmt, (New(text, (*parts, *self._parts)),))]
        function = self.plan.fresh.name(f"{shared.name}_fn")
        body: list[Item] = [Keep(stmt) for stmt in shared.region.stmts]
        made = Def(f"{function}()", (*body, New(f"return {shared.name}")))
        call = New(f"{target} = $vjp({function}, weights={self._weights})", self._parts)
        moved = [Splice(stmt, ()) for stmt in shared.region.stmts]
        return [*moved, Splice(shared.region.close, (made, call, Keep(shared.region.close)))]

    def back(self, step: Step, variable: str) -> list[Item]:
        """The statements that turn the gradients of the values into gradients of the weights, in `variable`."""
        items: list[Item] = []
        begun = step.own
        for shared in step.pulls:
            keep = "" if self._last[shared.name] == step.index else ", retain_graph=True"
            call = f"{self.pull[shared.name]}({self.slope(shared)}{keep})"
            if not begun:
                items.append(New(f"_, {variable} = {call}"))
                begun = True
            else:
                items.append(New(f"{variable} = $accumulate({variable}, {call}[1])"))
        return items

    @staticmethod
    def slope(shared: Shared) -> str:
        """The name of the gradient of a loss with respect to a value."""
        return f"grad_{shared.name}"


def shifted(template: str, count: int) -> str:
    """A template whose parts come after `count` others."""
    return re.sub(r"\$(\d+)", lambda match: f"${int(match.group(1)) + count}", template)
