"""A value that several backwards hang on (a GAN's fakes): produced once, its gradient pulled back through what made it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.events import Act, Event
from torch2ms.transforms.training.origins import Origin, Origins
from torch2ms.transforms.training.region import Region, Regions
from torch2ms.transforms.training.tree import Layout


class NotShared(Exception):
    """A value cannot be produced by vjp; the message names the reason."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A name, the region whose last statement gives it its value, and the call that it is where that is all."""

    name: str
    region: Region
    call: ast.Call | None

    @property
    def stmt(self) -> ast.stmt:
        """The statement that gives the value."""
        return self.region.stmts[-1]


def find_shared(facts: Facts, layout: Layout, regions: Regions, origins: Origins, region: Region, where: str) -> Shared:
    """How the value at a path, on which the loss of a region hangs, is made."""
    start = region.block[region.start]
    if "." in where:
        raise NotShared(f"the loss hangs on {where}, computed before the step")
    producers = origins.producers(start, where)
    if len(producers) != 1:
        raise NotShared(f"the loss hangs on {where}, which is computed in several places")
    stmt = producers[0]
    place = layout.places[stmt]
    if place.block is not region.block and layout.within(region.close, place.block) is None:
        raise NotShared(f"the loss hangs on {where}, computed under another condition")
    simple = isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
    if not simple or place.index + 1 >= len(place.block):
        raise NotShared(f"the loss hangs on {where}, computed before the step")
    name = ast.copy_location(ast.Name(where, ast.Load()), stmt)
    made = regions.find_needs(Event(Act.BACKWARD, name, place.block[place.index + 1], name), frozenset({where}))
    for path in made.shared:
        if origins.of(made, path) in (Origin.HERE, Origin.OUTSIDE):
            raise NotShared(f"the loss hangs on {where}, and that on {path}")
    return Shared(where, made, _module_call(facts, made, stmt))


def _module_call(facts: Facts, region: Region, stmt: ast.stmt) -> ast.Call | None:
    """The call of a module with plain arguments that is the whole production."""
    assert isinstance(stmt, ast.Assign)
    call = stmt.value
    if len(region.stmts) != 1 or not isinstance(call, ast.Call) or call.keywords:
        return None
    if dotted(call.func) is None or facts.kinds.of(call.func).kind is not Kind.MODULE:
        return None
    return None if any(isinstance(arg, ast.Starred) for arg in call.args) else call
