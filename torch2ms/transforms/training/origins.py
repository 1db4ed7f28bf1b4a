"""Where a value comes from that carries gradient into a region from outside."""

from __future__ import annotations

import ast
import enum

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.callees import made_leaf
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.region import Region
from torch2ms.transforms.training.tree import Layout, own_nodes


class Origin(enum.Enum):
    """The four places."""

    LEAF = "leaf"  # a tensor that requires gradient itself: a weight
    EARLIER = "earlier"  # an earlier iteration, or before the loop: PyTorch raises unless the graph is retained
    HERE = "here"  # the same iteration, before the region
    OUTSIDE = "outside"  # another function


class Origins:
    """Answers for one function or module body."""

    def __init__(self, facts: Facts, layout: Layout, carriers: Carriers, entry: Env) -> None:
        self.facts = facts
        self.layout = layout
        self.carriers = carriers
        self.entry = entry
        self._flow = facts.flow(layout.scope)

    def of(self, region: Region, where: str) -> Origin:
        """The origin of a path at the start of a region."""
        if self._is_leaf(where, region):
            return Origin.LEAF
        start = region.block[region.start]
        producers = self.producers(start, where)
        loop = self.layout.loop(start)
        if any(self._same_round(stmt, start, loop) for stmt in producers):
            return Origin.HERE
        if not producers and (loop is None or where in self.entry or where.startswith("self.")):
            return Origin.OUTSIDE
        return Origin.EARLIER

    def producers(self, start: ast.stmt, where: str) -> list[ast.stmt]:
        """The statements that may have given the path its value when `start` runs, and gave it one with gradient."""
        if not where.startswith("self."):
            base = where.partition(".")[0]
            found = [stmt for stmt in self._flow.reaching(base, start) if isinstance(stmt, ast.stmt)]
        else:
            found = [s for s in self.layout.places if where in _attributes(s) | self._left(s)]
        return [stmt for stmt in found if stmt in self.layout.places and self._gives(stmt, where)]

    def _left(self, stmt: ast.stmt) -> Env:
        return frozenset() if hasattr(stmt, "body") else self.carriers.left_behind(stmt)

    def _gives(self, stmt: ast.stmt, where: str) -> bool:
        if isinstance(stmt, (ast.For, ast.AsyncFor)):
            return self.carriers.carries(stmt.iter, self.carriers.before[stmt])
        walk = Carriers(self.facts, self.carriers.callees)
        after = walk.run([stmt], self.carriers.before[stmt] - {where})
        return any(p == where or where.startswith(p + ".") or p.startswith(where + ".") for p in after)

    def _same_round(self, stmt: ast.stmt, start: ast.stmt, loop: ast.stmt | None) -> bool:
        """Whether a producer runs in the same round of the innermost loop as the region, before it."""
        if stmt is loop:
            return True
        if stmt.lineno > start.lineno or stmt is start:
            return False
        return loop is None or loop in self.layout.around(stmt)

    def _is_leaf(self, where: str, region: Region) -> bool:
        for node in own_nodes(ast.Module([*region.stmts, region.close], [])):
            if isinstance(node, (ast.Name, ast.Attribute)) and dotted(node) == where:
                if self.facts.kinds.of(node).kind is Kind.PARAMETER:
                    return True
                if isinstance(node, ast.Name):
                    return made_leaf(self.facts, node)
        return False


def _attributes(stmt: ast.stmt) -> set[str]:
    """Paths of attributes that a statement itself assigns."""
    if hasattr(stmt, "body"):
        return set()
    stores = (n for n in own_nodes(stmt) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    return {p for n in stores if (p := dotted(n))}
