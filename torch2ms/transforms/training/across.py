"""A backward in one method, its forward in the calls before it: the method takes the forward as a function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.edits import Def, Edit, Insert, Item, Keep, New, Splice
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.entries import Entries
from torch2ms.transforms.training.events import Act, Event, find_events
from torch2ms.transforms.training.origins import Origin, Origins
from torch2ms.transforms.training.region import Region, Regions
from torch2ms.transforms.training.tree import Layout


class NotAcross(Exception):
    """The forward cannot be handed over; the message names the reason."""


@dataclass(frozen=True, slots=True)
class Across:
    """A method whose backward hangs on attributes that its callers set just before they call it."""

    method: ast.FunctionDef
    calls: tuple[Region, ...]  # in each caller: the statements that compute, closed by the call
    stays: frozenset[ast.stmt]  # statements among them that zero gradients and need not move

    def edits(self, name: str, loss: str | None, planned: list[Edit], moved: list[ast.stmt]) -> list[Edit]:
        """The method with one more parameter, and its callers.

        `planned` are the edits inside it, `moved` its statements that go into its own function; `loss` is what the callers'
        function returns where it has none.
        """
        arguments = ", ".join([ast.unparse(self.method.args), name])
        returns = f" -> {ast.unparse(self.method.returns)}" if self.method.returns is not None else ""
        spliced: dict[ast.stmt, tuple[Item, ...]] = {e.stmt: e.items for e in planned if isinstance(e, Splice)}
        inserts = [e for e in planned if isinstance(e, Insert) and e.stmt in spliced and e.stmt in self.method.body]
        body: list[Item] = []
        for stmt in self.method.body:
            body += [item for e in inserts if e.stmt is stmt and e.where == "before" for item in e.items]
            body += spliced.get(stmt, () if stmt in moved else (Keep(stmt),))
            body += [item for e in inserts if e.stmt is stmt and e.where == "after" for item in e.items]
        planned = [e for e in planned if e not in inserts]
        edits: list[Edit] = [Splice(self.method, (Def(f"{self.method.name}({arguments}){returns}", tuple(body)),))]
        edits += [Splice(stmt, ()) for stmt in self.method.body if stmt not in spliced]
        edits += [e for e in planned if not (isinstance(e, Splice) and e.stmt in self.method.body)]
        for region in self.calls:
            call = region.site.node
            assert isinstance(call, ast.Call)
            own = [stmt for stmt in region.stmts if stmt not in self.stays]
            inner: list[Item] = [Keep(stmt) for stmt in own]
            if loss is not None:
                inner.append(New(f"return {loss}"))
            slots = [f"${i + 1}" for i in range(len(call.args))]
            again = New(f"$0({', '.join([*slots, name])})", (call.func, *call.args))
            edits.append(Splice(region.close, (Def(f"{name}()", tuple(inner)), again)))
            edits += [Splice(stmt, ()) for stmt in own]
        return edits


def find_across(facts: Facts, entries: Entries, method: ast.AST, needs: Env) -> Across:
    """How a method gets what it needs from its callers."""
    if not isinstance(method, ast.FunctionDef) or method.decorator_list:
        raise NotAcross("the loss is computed in another function")
    cls = facts.parent(method)
    args = method.args
    if not isinstance(cls, ast.ClassDef) or args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
        raise NotAcross("the loss is computed in another function")
    if facts.names.qualified(cls) in facts.imported_elsewhere:
        raise NotAcross("the loss is computed in another method, and other files may call this one")
    calls = []
    zeros: set[ast.stmt] = set()
    for node in facts.names.parents:
        tensor = isinstance(node, ast.Attribute) and facts.kinds.of(node.value).kind in (Kind.TENSOR, Kind.PARAMETER)
        if isinstance(node, ast.Attribute) and node.attr == method.name and not tensor:
            calls.append(_region(facts, entries, method, node, needs, zeros))
    if not calls:
        raise NotAcross("the loss is computed in another method, and no call of this one is in sight")
    return Across(method, tuple(calls), frozenset(zeros))


def _region(
    facts: Facts, entries: Entries, method: ast.FunctionDef, node: ast.Attribute, needs: Env, zeros: set[ast.stmt]
) -> Region:
    """The statements before one call that compute what the method needs; those that zero gradients go to `zeros`."""
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or entries.callees.definition(call) is not method:
        raise NotAcross("the loss is computed in another method, and not all calls of this one are known")
    stmt = facts.parent(call)
    caller = facts.function(call)
    if not isinstance(stmt, ast.Expr) or call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        raise NotAcross("the loss is computed in another method, and this one is called inside an expression")
    assert isinstance(caller, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module))
    layout = Layout(caller)
    entry = entries.of(caller)
    carriers = Carriers(facts, entries.callees)
    carriers.run(layout.body, entry)
    events = find_events(facts, layout)
    zeros |= {event.stmt for event in events if event.act is Act.ZERO and event.bare}
    regions = Regions(facts, layout, carriers, events, set())
    region = regions.find_needs(Event(Act.BACKWARD, call, stmt, node), needs)
    origins = Origins(facts, layout, carriers, entry)
    if not region.stmts or any(origins.of(region, w) in (Origin.HERE, Origin.OUTSIDE) for w in region.shared):
        raise NotAcross("the loss is computed in another method, not just before this one is called")
    surface = regions.surface(region, region.stmts, [])
    if surface.aux or surface.outer or surface.parameters or regions.flow.jumps(region.stmts):
        raise NotAcross("the loss is computed in another method, together with other values")
    return region
