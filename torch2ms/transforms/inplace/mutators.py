"""Functions that write all of an argument: they return the new value, and every caller binds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.aliases import How
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk

_WHOLE = (How.METHOD, How.AUGMENTED, How.INPLACE, How.OUT)


@dataclass(frozen=True, slots=True)
class Mutator:
    """A function of the file whose callers are all seen; `position` is that of the argument that it writes."""

    node: ast.FunctionDef
    parameter: str
    position: int
    calls: tuple[ast.Call, ...]


def mutators(facts: Facts) -> dict[str, Mutator]:
    """The functions that can be restructured, by qualified name."""
    found = {}
    for node in facts.tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and not facts.skipped(node):
            mutator = _mutator(facts, node)
            if mutator is not None:
                found[facts.names.qualified(node)] = mutator
    return found


def _mutator(facts: Facts, node: ast.FunctionDef) -> Mutator | None:
    parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    written = {
        w.target.id
        for w in facts.aliases(node).writes
        if w.how in _WHOLE and isinstance(w.target, ast.Name) and w.target.id in parameters and w.certain
    }
    if len(written) != 1 or _leaves(node):
        return None
    (name,) = written
    calls = tuple(_calls(facts, node))
    position = parameters.index(name)
    if not calls or facts.is_starred or facts.names.qualified(node) in facts.imported_elsewhere:
        return None
    uses = sum(
        isinstance(n, ast.Name) and n.id == node.name and isinstance(n.ctx, ast.Load) for n in walk(facts.tree)
    )
    if uses != len(calls):
        return None
    for call in calls:
        plain = len(call.args) > position and not any(isinstance(a, ast.Starred) for a in call.args)
        if (
            not plain
            or not isinstance(facts.parent(call), ast.Expr)
            or not isinstance(call.args[position], (ast.Name, ast.Attribute))
        ):
            return None
    return Mutator(node, name, position, calls)


def _calls(facts: Facts, node: ast.FunctionDef) -> Iterator[ast.Call]:
    name = facts.names.qualified(node)
    for call in walk(facts.tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == node.name:
            if facts.names.of(call.func) in (name, None) and facts.names.binder(call.func) is not None:
                yield call


def _leaves(node: ast.FunctionDef) -> bool:
    """Whether the function returns something itself, or leaves early."""
    return any(isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom)) for n in walk(node))
