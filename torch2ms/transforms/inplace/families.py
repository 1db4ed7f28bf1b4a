"""A tensor and its named views inside a gradient: one is written, the others are derived from it again.

No MindSpore primitive writes through a live view and keeps the gradient. So the write goes to one tensor, and what is
read later of its family is made anew from that: `heads[drop] = 0` is followed by `h = heads.view(h.shape)`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from torch2ms.analysis.aliases import Derivation, How, Write
from torch2ms.analysis.facts import Facts
from torch2ms.edits import Edit, Insert, Item, New, Splice

_RESHAPING = frozenset("view view_as unsqueeze squeeze unflatten".split())
_SWAPPING = frozenset("transpose swapaxes swapdims t".split())
_DERIVING = (How.METHOD, How.AUGMENTED, How.ITEM, How.INPLACE)
_LONGEST = 8
_Path = list[tuple[str, Derivation]]


@dataclass(frozen=True, slots=True)
class Derived:
    """The items that follow one write, the names that they settle, and edits elsewhere.

    `mixes`: an item takes a part of the base from before the write, so that the write itself must leave the base alone.
    """

    settled: frozenset[str]
    items: tuple[Item, ...] = ()
    edits: tuple[Edit, ...] = ()
    mixes: bool = False

    def after(self, stmt: ast.stmt) -> tuple[Edit, ...]:
        """The edits, with the items behind a statement that stays."""
        return (*self.edits, Insert(stmt, "after", self.items)) if self.items else self.edits


NOTHING = Derived(frozenset())


@dataclass(slots=True)
class _Plan:
    """What is up to date after the write, and the statements that make it so."""

    fresh: set[str]
    quiet: bool = False
    items: list[Item] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    mixes: bool = False


class Families:
    """The named views of one function."""

    def __init__(self, facts: Facts, function: ast.AST, writes: Sequence[Write]) -> None:
        self._facts = facts
        self._aliases = facts.aliases(function)  # type: ignore[arg-type]
        self._flow = facts.flow(function)  # type: ignore[arg-type]
        self._moved: set[ast.stmt] = set()
        # what they bind is read by an item
        self._kept: set[ast.stmt] = set()
        self._written: dict[ast.stmt, str] = {}
        for write in writes:
            target = write.target
            if write.how is How.METHOD and isinstance(target, ast.Subscript):
                target = target.value
            if isinstance(target, ast.Name) and write.certain and write.how in _DERIVING:
                self._written[facts.statement(target)] = target.id

    def after(
        self, stmt: ast.stmt, target: str, sure: list[str], perhaps: list[str], quiet: bool = False
    ) -> Derived | None:
        """What to do after a write to `target` for other names, which share its storage for sure or perhaps.

        `quiet`: the write stands under no_grad, so that all of them keep the graphs that they have.
        None where it is not known for one that surely does; one that perhaps does is settled where it can be.
        """
        own = self._path(target, stmt)
        root = own[-1][1].base if own else target
        paths = {name: self._path(name, stmt) for name in (*sure, *perhaps)}
        others = [name for name, path in paths.items() if (path[-1][1].base if path else name) == root]
        if any("." in name or name not in others for name in sure):
            return None
        needed = [name for name in others if self._needed(name, target, stmt)]
        # a later write may be the one that takes a part of the base
        plan = _Plan({target}, quiet, mixes=any(_mixes(*step, quiet) for step in own))
        steps = list(own)
        while any(not self._reached(name, paths[name], plan.fresh) for name in needed):
            if not steps:
                return None
            member, derivation = steps.pop(0)
            plan.items.append(_back(member, derivation, quiet))
            plan.fresh.add(derivation.base)
        for name in sorted(needed, key=lambda n: len(paths[n])):
            self._forward(name, paths[name], plan, stmt)
        return Derived(frozenset({root, target, *others}), tuple(plan.items), tuple(plan.edits), plan.mixes)

    def _path(self, name: str, stmt: ast.stmt) -> _Path:
        """The views from a name up to the tensor that they all show."""
        found: _Path = []
        seen = {name}
        while len(found) < _LONGEST:
            step = self._aliases.derivation_at(name, stmt)
            if step is None or step.base in seen:
                break
            found.append((name, step))
            name = step.base
            seen.add(name)
        return found

    def _reached(self, name: str, path: _Path, fresh: set[str]) -> bool:
        return name in fresh or any(step.base in fresh for _, step in path)

    def _forward(self, name: str, path: _Path, plan: _Plan, stmt: ast.stmt) -> None:
        """Derives a name again from the nearest tensor that is up to date."""
        missing: _Path = []
        for member, step in path:
            if member in plan.fresh:
                break
            missing.append((member, step))
        if name in plan.fresh:
            return
        for member, step in reversed(missing):
            keeps = (plan.quiet or step.cut) and not step.holds
            value = f"$tensor.overwritten({member}, $0)" if keeps else "$0"
            if keeps:
                self._kept.add(step.stmt)
            plan.items.append(New(f"{member} = {value}", (step.view,)))
            plan.fresh.add(member)
            if step.alone and not keeps and self._moves(member, step.stmt, stmt):
                plan.edits.append(Splice(step.stmt, ()))

    def _moves(self, name: str, made: ast.stmt, stmt: ast.stmt) -> bool:
        """Whether the first making of a view may go, since nothing reads it before the write."""
        block = self._block(stmt)
        if block is None or made not in block:
            return False
        between = block[block.index(made) + 1 : block.index(stmt) + 1]
        if made in self._moved | self._kept or any(_reads(s, name) for s in between):
            return False
        self._moved.add(made)
        return True

    def _block(self, stmt: ast.stmt) -> list[ast.stmt] | None:
        above = self._facts.parent(stmt)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and stmt in block:
                return block
        return None

    def _needed(self, name: str, written: str, stmt: ast.stmt) -> bool:
        """Whether `name` must be right directly after the write: it is read before the next write to the same tensor."""
        block = self._block(stmt)
        if block is None:
            return True
        for later in block[block.index(stmt) + 1 :]:
            if _reads(later, name):
                return True
            if self._written.get(later) == written:
                return False
            if not isinstance(later, (ast.Assign, ast.AugAssign, ast.Expr)) or self._written.get(later):
                return True
            if isinstance(later, ast.Assign):
                bound = {n.id for t in later.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                if name in bound or written in bound:
                    return name not in bound
        return True


def _reads(stmt: ast.stmt, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(stmt))


def _back(member: str, step: Derivation, quiet: bool = False) -> New:
    """The statement that gives the base from its view; where no gradient runs from one to the other, the base keeps its graph."""
    if not quiet and not step.cut:
        return _made_of(member, step)
    new = _made_of(member, step)
    value = new.template.removeprefix(f"{step.base} = ")
    if value == new.template:
        value = f"$tensor.replaced({step.base}, lambda {step.base}: $0, {member})"
    return New(f"{step.base} = $tensor.overwritten({step.base}, {value})", new.parts)


def _made_of(member: str, step: Derivation) -> New:
    """The base as a tensor of which the view is a part that gradients run through."""
    base = step.base
    match step.view:
        case ast.Name():
            return New(f"{base} = {member}")
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if (
            method in _RESHAPING and name == base
        ):
            return New(f"{base} = {member}.view({base}.shape)")
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=args, keywords=[]) if (
            method in _SWAPPING and name == base
        ):
            slots = ", ".join(f"${i}" for i in range(len(args)))
            return New(f"{base} = {member}.{method}({slots})", tuple(args))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="detach"), args=[]) if name == base:
            return New(f"{base} = {member}")
        case ast.Attribute(value=ast.Name(id=name), attr="T" | "mT" as method) if name == base:
            return New(f"{base} = {member}.{method}")
        case ast.Subscript(value=ast.Name(id=name), slice=index) if (
            name == base and not isinstance(index, ast.Tuple) and is_partial(index)
        ):
            return New(f"$0 = {member}", (step.view,))
    return New(f"{base} = $tensor.replaced({base}, lambda {base}: $0, {member})", (step.view,))


def _mixes(member: str, step: Derivation, quiet: bool = False) -> bool:
    """Whether the base is made from itself with the view in its place."""
    template = _back(member, step, quiet).template
    return "replaced" in template or template.startswith("$0")


def is_partial(index: ast.expr) -> bool:
    """Whether an index surely leaves something out, or takes one row; writing by it is right in a gradient."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(_leaves_out(part) for part in parts)


def _leaves_out(part: ast.expr) -> bool:
    match part:
        case ast.Slice(lower=ast.Constant(value=int(n))) if n > 0:
            return True
        case ast.Slice(upper=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n)))) if n > 0:
            return True
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub()):
            return True
    return False


def takes_all(index: ast.expr) -> bool:
    """Whether an index surely takes the whole tensor."""
    match index:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case ast.Constant(value=value):
            return value is ...
        case ast.Tuple(elts=elements):
            return all(takes_all(e) for e in elements)
    return False
