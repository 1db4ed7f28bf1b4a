"""Decisions about the training steps of one function or module body, before any edit is written."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training.across import Across
from torch2ms.transforms.training.events import Event
from torch2ms.transforms.training.given import Given
from torch2ms.transforms.training.gradients import Gradients, Group, Style
from torch2ms.transforms.training.pieces import Forward, Fresh
from torch2ms.transforms.training.shared import Shared
from torch2ms.transforms.training.tree import Layout
from torch2ms.transforms.training.weights import Weights


class Declined(Exception):
    """A step cannot take a form; the message names the reason."""


class Impossible(Declined):
    """Neither can the tape run it: it is refused."""


@dataclass(slots=True)
class Step:
    """One backward with everything decided."""

    index: int
    event: Event
    group: Group
    forward: Forward
    weights: Weights
    first: bool  # its gradients begin a sum
    loop: ast.stmt | None
    across: Across | None = None  # its forward is handed over by the callers
    pulls: tuple[Shared, ...] = ()  # values from before it through which it reaches the weights
    own: bool = True  # it also reaches them directly
    handed: str = ""  # the name of the forward that callers hand over


@dataclass(slots=True)
class ScopePlan:
    """One function or module body."""

    facts: Facts
    layout: Layout
    events: list[Event]
    groups: Gradients | None  # None for a closure that an optimizer runs
    fresh: Fresh
    given: Given | None = None
    steps: list[Step] = field(default_factory=list)
    declined: list[tuple[Event, str]] = field(default_factory=list)
    refused: list[tuple[Event, str]] = field(default_factory=list)
    # the statements that became vjp calls, with the names of their pullbacks
    produced: dict[ast.stmt, str] = field(default_factory=dict)
    # why the function of a backward is not compiled although that was asked; empty where it is
    uncompiled: dict[ast.expr, str] = field(default_factory=dict)

    @property
    def gradients(self) -> Gradients:
        """The groups of a scope that takes its gradients itself."""
        assert self.groups is not None
        return self.groups

    @property
    def taped(self) -> bool:
        """Whether a step of the scope runs on the gradient tape."""
        return bool(self.declined) and self.facts.options.tape

    def zeros(self, group: Group) -> list[int]:
        """The zeroings of a group whose gradients are local that no group with slots needs."""
        slots = [other for other in self.gradients.groups if other.style is Style.SLOTS]
        return [index for index in group.zeros if not any(index in other.zeros for other in slots)]

    def of_group(self, group: Group) -> list[Step]:
        """The steps of a group in source order."""
        return [step for step in self.steps if step.group is group]
