"""The parts of an emitted step: the function, its call, and what it gives."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.edits import Def, Item, Keep, New
from torch2ms.transforms.training.events import Event, backward_gradient
from torch2ms.transforms.training.region import Region, Surface


class Fresh:
    """Hands out names that the file does not use, and remembers them."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def name(self, wanted: str) -> str:
        """`wanted`, with underscores behind it where it is taken."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted

    def reused(self, wanted: str, given: set[str]) -> str:
        """The same, but a name in `given`, made for the same purpose before, may be used again."""
        while wanted in self._taken and wanted not in given:
            wanted += "_"
        self._taken.add(wanted)
        given.add(wanted)
        return wanted


@dataclass(frozen=True, slots=True)
class Forward:
    """The function to differentiate: its statements, parameters, and the values it returns beside the loss."""

    region: Region
    kept: list[ast.stmt]
    later: list[ast.stmt]
    parameters: tuple[str, ...]
    aux: tuple[str, ...]
    declarations: tuple[str, ...]  # `nonlocal h`, `global total`
    inputs: tuple[str, ...]  # names that the statements read from outside
    jit: bool = False  # it is compiled

    @property
    def loss(self) -> str | None:
        """The path that is the loss; None for an expression."""
        return None if self.weighted or self.region.site.more else dotted(self.region.site.owner)

    @property
    def weighted(self) -> bool:
        """Whether backward was given a gradient of its own."""
        return _gradient(self.region.site) is not None

    @property
    def others(self) -> tuple[str, ...]:
        """What is returned after the loss."""
        return tuple(name for name in self.aux if name != self.loss)

    def with_parameters(self, names: tuple[str, ...]) -> Forward:
        """The same function with other parameters."""
        return replace(self, parameters=names)

    @property
    def has_aux(self) -> str:
        """The argument that says so."""
        return ", has_aux=True" if self.others else ""

    @property
    def target(self) -> str:
        """What the first result is assigned to: `loss`, `(loss, out)`, `_`."""
        return f"({', '.join((self.first, *self.others))})" if self.others else self.first

    @property
    def first(self) -> str:
        """Where the loss goes; an attribute of another result, `out.loss`, comes with that result."""
        held = self.loss is not None and "." in self.loss and self.loss.partition(".")[0] in self.others
        return "_" if held or not self.loss else self.loss

    def define(self, name: str, first: str = "") -> Def:
        """The function under a name; `first` is a function that it calls before anything else."""
        site = self.region.site
        body: list[Item] = [New(line) for line in self.declarations]
        body += [New(f"{first}()")] if first else []
        body += [Keep(stmt) for stmt in self.kept]
        parts: list[ast.expr] = []
        result = " + ".join(_term(event, parts) for event in (*site.more, site))
        body.append(New(f"return {', '.join((result, *self.others))}", tuple(parts)))
        decorators = ("$mindspore.jit",) if self.jit else ()
        return Def(f"{name}({', '.join(self.parameters)})", tuple(body), decorators)


def _gradient(event: Event) -> ast.expr | None:
    given = backward_gradient(event.node) if isinstance(event.node, ast.Call) else None
    return None if isinstance(given, ast.Constant) and given.value is None else given


def _term(event: Event, parts: list[ast.expr]) -> str:
    """What one backward adds to the loss, over the parts that it appends."""
    parts.append(event.owner)
    gradient = _gradient(event)
    if gradient is None:
        return f"${len(parts) - 1}"
    parts.append(gradient)
    return f"(${len(parts) - 2} * $ops.stop_gradient(${len(parts) - 1})).sum()"


def declarations(facts: Facts, region: Region, surface: Surface) -> tuple[str, ...]:
    """How the function reaches the names around it that it binds."""
    scope = facts.names.table.scope_of[facts.function(region.close)]
    at_module = isinstance(scope.node, ast.Module)
    globals_ = [name for name in surface.outer if at_module or name in scope.globals]
    nonlocals = [name for name in surface.outer if name not in globals_]
    found = (("global", globals_), ("nonlocal", nonlocals))
    return tuple(f"{word} {', '.join(names)}" for word, names in found if names)
