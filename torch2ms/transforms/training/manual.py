"""Updates written by hand: `p -= lr * p.grad` in the function of the backward, over a loop of parameters or by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.edits import Edit, New, Replace, Splice
from torch2ms.transforms.training.events import Act, Event
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.tree import Layout

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**",
}  # fmt: skip
_METHODS = {"add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}


@dataclass(frozen=True, slots=True)
class Manual:
    """All reads of `.grad` of a function: in loops over one set of parameters (`iterable`), or of `names`."""

    reads: tuple[int, ...]
    zeros: tuple[int, ...]
    loops: tuple[ast.For, ...]
    iterable: ast.expr | None
    names: tuple[ast.Name, ...]

    def keys(self, events: list[Event]) -> set[str]:
        """What its zeroings are called on."""
        return {events[i].key for i in self.zeros}

    def anchor(self, layout: Layout, event: Event) -> ast.stmt:
        """The statement at which an event counts: the loop over parameters around it."""
        for owner in layout.around(event.stmt):
            if owner in self.loops:
                return owner
        return event.stmt


def find_manuals(facts: Facts, layout: Layout, events: list[Event]) -> list[Manual]:
    """The updates by hand of a function, one for each loop that holds them; what is used in another way is left out."""
    rounds: dict[ast.stmt | None, list[int]] = {}
    for index, event in enumerate(events):
        if event.act is Act.READ:
            loop = _loop(layout, event)
            rounds.setdefault(layout.loop(loop or event.stmt), []).append(index)
    found = (_manual(facts, layout, events, reads, outer) for outer, reads in rounds.items())
    return [manual for manual in found if manual is not None]


def _manual(
    facts: Facts, layout: Layout, events: list[Event], reads: list[int], outer: ast.stmt | None
) -> Manual | None:
    if any(not _plain_read(facts, events[i]) for i in reads):
        return None
    loops = {i: _loop(layout, events[i]) for i in reads}
    keys = {events[i].key for i in reads}
    beside = [
        i for i, e in enumerate(events) if e.act is Act.ZERO and (outer is None or outer in layout.around(e.stmt))
    ]
    if all(loops.values()):
        whole = {event.stmt for event in events if event.act is Act.ZERO}
        every = [
            loop
            for loop in _all_loops(layout, keys, [loop for loop in loops.values() if loop], outer)
            if loop not in whole
        ]
        iterables = {ast.dump(loop.iter) for loop in every}
        if len(iterables) != 1 or any(not isinstance(loop.target, ast.Name) for loop in every):
            return None
        zeros = tuple(i for i in beside if any(o in every for o in layout.around(events[i].stmt)))
        return Manual(tuple(reads), zeros, tuple(every), every[0].iter, ())
    if any(loops.values()) or not all(isinstance(events[i].owner, ast.Name) for i in reads):
        return None
    if any(Owners(facts).is_loop_variable(events[i].owner) for i in reads):
        return None
    names = {events[i].key: events[i].owner for i in reads}
    zeros = tuple(i for i in beside if events[i].key in names)
    if zeros and any(zeros[0] < i < zeros[-1] for i in reads):
        return None
    return Manual(tuple(reads), zeros, (), None, tuple(names.values()))  # type: ignore[arg-type]


def _plain_read(facts: Facts, event: Event) -> bool:
    """Whether the gradient is only looked at: not assigned, not changed in place."""
    node = event.node
    assert isinstance(node, ast.Attribute)
    if not isinstance(node.ctx, ast.Load) or isinstance(facts.function(node), ast.Lambda):
        return False
    outer = facts.parent(node)
    while isinstance(outer, ast.Attribute):
        if outer.attr.endswith("_") or not isinstance(outer.ctx, ast.Load):
            return False
        outer = facts.parent(outer)
    return not (isinstance(outer, ast.Subscript) and not isinstance(outer.ctx, ast.Load))


def _loop(layout: Layout, event: Event) -> ast.For | None:
    """The loop whose variable the event's object is."""
    for owner in layout.around(event.stmt):
        if isinstance(owner, ast.For) and isinstance(owner.target, ast.Name) and owner.target.id == event.key:
            return owner
    return None


def _all_loops(layout: Layout, keys: set[str], reading: list[ast.For], outer: ast.stmt | None) -> list[ast.For]:
    """The loops that read gradients, and others over the same set with the same variable (`p.grad.zero_()`)."""
    sets = {ast.dump(loop.iter) for loop in reading}
    found = [
        s for s in layout.places if isinstance(s, ast.For) and ast.dump(s.iter) in sets and layout.loop(s) is outer
    ]
    return [s for s in found if isinstance(s.target, ast.Name) and s.target.id in keys]


def manual_edits(
    facts: Facts, events: list[Event], manual: Manual, variable: str, weights: str, parts: tuple[ast.expr, ...]
) -> list[Edit]:
    """Reads of `.grad` become the local gradients, updates become `ops.assign`, zeroing disappears."""
    edits: list[Edit] = []
    reading = {loop for i in manual.reads for loop in manual.loops if _holds(loop, events[i].stmt)}
    for loop in manual.loops:
        name = loop.target.id  # type: ignore[attr-defined]
        if loop not in reading:
            edits.append(Splice(loop, ()))
            continue
        edits.append(Replace(loop.target, f"{name}, {name}_grad"))
        edits.append(Replace(loop.iter, f"zip({weights}, {variable})", parts))
    for index in manual.reads:
        node: ast.expr = events[index].node
        outer = facts.parent(node)
        if isinstance(outer, ast.Attribute) and outer.attr == "data":
            node = outer
        edits.append(Replace(node, f"{events[index].key}_grad"))
    for stmt in dict.fromkeys(events[i].stmt for i in manual.reads):
        update = assignment(stmt)
        if update is not None:
            edits.append(update)
    edits += [
        Splice(events[i].stmt, ())
        for i in manual.zeros
        if not any(_holds(loop, events[i].stmt) for loop in set(manual.loops) - reading)
    ]
    return edits


def _holds(loop: ast.stmt, stmt: ast.stmt) -> bool:
    return any(node is stmt for node in ast.walk(loop))


def assignment(stmt: ast.stmt) -> Splice | None:
    """`p -= e`, `p.data.add_(e, alpha=a)`, `p.data = e`, `p.copy_(e)` as `ops.assign(p, ...)`; None for anything else."""
    match stmt:
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in OPERATORS and _weight(target):
            return Splice(stmt, (New(f"$ops.assign($0, $0 {OPERATORS[type(op)]} $1)", (_weight(target), value)),))  # type: ignore[arg-type]
        case ast.Assign(targets=[ast.Attribute(attr="data", value=owner)], value=value):
            return Splice(stmt, (New("$ops.assign($0, $1)", (owner, value)),))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method)) as call) if _weight(target):
            return _method_update(stmt, _weight(target), method, call)
    return None


def _weight(target: ast.expr) -> ast.expr | None:
    """The parameter that a target means: `p` of `p` and of `p.data`."""
    if isinstance(target, ast.Attribute) and target.attr == "data":
        return target.value
    return target if dotted(target) is not None else None


def _method_update(stmt: ast.stmt, weight: ast.expr | None, method: str, call: ast.Call) -> Splice | None:
    assert weight is not None
    alpha = [k.value for k in call.keywords if k.arg == "alpha"]
    if method == "copy_" and len(call.args) == 1:
        return Splice(stmt, (New("$ops.assign($0, $1)", (weight, call.args[0])),))
    if method not in _METHODS or len(call.keywords) != len(alpha) or not 1 <= len(call.args) <= 2:
        return None
    if len(call.args) == 2:  # add_(alpha, other), the spelling before PyTorch 1.5
        alpha, value = [call.args[0]], call.args[1]
    else:
        value = call.args[0]
    if not alpha:
        return Splice(stmt, (New(f"$ops.assign($0, $0 {_METHODS[method]} $1)", (weight, value)),))
    return Splice(stmt, (New(f"$ops.assign($0, $0 {_METHODS[method]} $1 * $2)", (weight, alpha[0], value)),))
