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
        self._last = {shared.stmt: step.index for step in plan.steps for shared in step.pulls}
        several = len(self._last) > 1
        self._new = [shared for shared in self.shared.values() if shared.stmt not in plan.produced]
        for shared in self._new:
            plan.produced[shared.stmt] = plan.fresh.name(f"pull_{shared.name}" if several else "pull")
        self.pull = {name: plan.produced[shared.stmt] for name, shared in self.shared.items()}

    def edits(self) -> list[Edit]:
        """The productions."""
        return [edit for shared in self._new for edit in self._produce(shared)]

    def _produce(self, shared: Shared) -> list[Edit]:
        target = f"{shared.name}, {self.pull[shared.name]}"
        if shared.call is not None:
            parts: list[ast.expr] = [shared.call.func, *shared.call.args]
            given = ", ".join(f"${i}" for i in range(len(parts)))
            text = f"{target} = $vjp({given}, weights={shifted(self._weights, len(parts))})"
            return [Splice(shared.stmt, (New(text, (*parts, *self._parts)),))]
        forward = shared.forward
        function = self.plan.fresh.name(f"{shared.name}_fn")
        others = [name for name in forward.aux if name != shared.name]
        body: list[Item] = [New(line) for line in forward.declarations]
        body += [Keep(stmt) for stmt in forward.kept]
        body.append(New(f"return {', '.join([shared.name, *others])}"))
        made = Def(f"{function}({', '.join(forward.parameters)})", tuple(body))
        given = ", ".join([function, *forward.parameters])
        target += f", ({', '.join(others)},)" if others else ""
        aux = ", has_aux=True" if others else ""
        call = New(f"{target} = $vjp({given}, weights={self._weights}{aux})", self._parts)
        later = [Keep(stmt) for stmt in forward.later]
        moved = [Splice(stmt, ()) for stmt in (*forward.kept, *forward.later) if stmt is not shared.stmt]
        return [*moved, Splice(shared.stmt, (made, call, *later))]

    def whole(self, step: Step, variable: str) -> list[Item] | None:
        """The one statement of a backward on the value itself; None where its loss is computed from that."""
        if len(step.pulls) != 1 or step.own or step.event.more or step.forward.weighted or step.forward.kept:
            return None
        shared = step.pulls[0]
        if step.forward.loss != shared.name:
            return None
        keep = "" if self._last[shared.stmt] == step.index else ", retain_graph=True"
        call = f"{self.pull[shared.name]}($mint.ones_like({shared.name}){keep})"
        return [New(f"_, {variable} = {call}")]

    def back(self, step: Step, variable: str) -> list[Item]:
        """The statements that turn the gradients of the values into gradients of the weights, in `variable`."""
        items: list[Item] = []
        begun = step.own
        for shared in step.pulls:
            keep = "" if self._last[shared.stmt] == step.index else ", retain_graph=True"
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
