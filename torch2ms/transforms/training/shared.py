"""A value that several backwards hang on (a GAN's fakes): produced once, its gradient pulled back through what made it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.events import Act, Event
from torch2ms.transforms.training.origins import Origin, Origins
from torch2ms.transforms.training.pieces import Forward
from torch2ms.transforms.training.region import Region, Regions
from torch2ms.transforms.training.tree import Layout


class NotShared(Exception):
    """A value cannot be produced by vjp; the message names the reason."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A name, the region whose last statement gives it its value, and the call that it is where that is all.

    `forward` is the region as a function, where it is more than a call.
    """

    name: str
    region: Region
    call: ast.Call | None
    forward: Forward

    @property
    def stmt(self) -> ast.stmt:
        """The statement that gives the value."""
        return self.region.stmts[-1]


def find_made(layout: Layout, regions: Regions, origins: Origins, region: Region, where: str) -> Region:
    """The region that makes the value at a path, on which the loss of another region hangs."""
    start = region.block[region.start]
    if "." in where:
        raise NotShared(f"the loss hangs on {where}, computed before the step")
    producers = origins.producers(start, where)
    if len(producers) != 1:
        raise NotShared(f"the loss hangs on {where}, which is computed in several places")
    # the statement around the producer that stands in a list which leads to the region
    around = [producers[0], *layout.around(producers[0])]
    stmts = [s for s in around if layout.within(region.close, layout.places[s].block) is not None]
    if not stmts or any(
        isinstance(s, (ast.For, ast.AsyncFor, ast.While, ast.If, ast.Try)) for s in around[: around.index(stmts[0]) + 1]
    ):
        raise NotShared(f"the loss hangs on {where}, computed under another condition")
    place = layout.places[stmts[0]]
    if place.index + 1 >= len(place.block):
        raise NotShared(f"the loss hangs on {where}, computed before the step")
    name = ast.copy_location(ast.Name(where, ast.Load()), stmts[0])
    made = regions.find_needs(Event(Act.BACKWARD, name, place.block[place.index + 1], name), frozenset({where}))
    for path in made.shared:
        if origins.of(made, path) in (Origin.HERE, Origin.OUTSIDE):
            raise NotShared(f"the loss hangs on {where}, and that on {path}")
    return made


def module_call(facts: Facts, region: Region) -> ast.Call | None:
    """The call of a module with plain arguments that is the whole of a region: `fake = netG(noise)`."""
    stmt = region.stmts[-1]
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        return None
    call = stmt.value
    if len(region.stmts) != 1 or not isinstance(call, ast.Call) or call.keywords:
        return None
    if dotted(call.func) is None or facts.kinds.of(call.func).kind is not Kind.MODULE:
        return None
    return None if any(isinstance(arg, ast.Starred) for arg in call.args) else call
