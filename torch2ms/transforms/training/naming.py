"""Names of the new functions and gradients of a scope."""

from __future__ import annotations

import ast
import re

from torch2ms.analysis.effects import dotted
from torch2ms.transforms.training.gradients import Group, Style
from torch2ms.transforms.training.plans import ScopePlan, Step


def function_name(plan: ScopePlan, step: Step) -> str:
    """`forward_fn`; where a scope has several, after the loss: `errD_fake_fn`."""
    losses = [s.forward.loss for s in plan.steps]
    loss = step.forward.loss
    if len(plan.steps) == 1 or loss is None or losses.count(loss) > 1:
        return plan.fresh.name("forward_fn")
    return plan.fresh.name(f"{loss.rpartition('.')[2]}_fn")


def gradient_name(plan: ScopePlan, group: Group) -> str:
    """`grads`, `gradsD` beside others, or a tuple of names where an update by hand names its tensors."""
    if group.manual is not None and group.style is not Style.SLOTS and group.manual.names:
        names = [f"{name.id}_grad" for name in group.manual.names]
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    several = len(plan.gradients.groups) > 1 and group.optimizers
    return plan.fresh.name(f"grads{_suffix(group.optimizers[0].owner)}" if several else "grads")


def _suffix(optimizer: ast.expr | None) -> str:
    """What tells an optimizer's name from others: `D` of optimizerD, `_d` of opt_d and of d_optimizer."""
    name = (dotted(optimizer) if optimizer is not None else None) or ""
    last = name.rpartition(".")[2]
    front = re.fullmatch(r"(?:optimizer|optim|opt)(_\w+|[A-Z0-9]\w*)", last)
    if front:
        return front.group(1)
    back = re.fullmatch(r"(\w+?)_(?:optimizer|optim|opt)", last)
    return f"_{back.group(1)}" if back else ""
