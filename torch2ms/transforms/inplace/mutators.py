"""Functions whose writes to an argument a gradient would hide: they return the tensor as well, and every caller binds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch2ms.analysis.aliases import How, Sharing
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.nodes import walk
from torch2ms.edits import Claim, Insert, New, Replace, Splice
from torch2ms.transforms.inplace.values import in_place_name, target_of

if TYPE_CHECKING:
    from torch2ms.transforms.inplace.surroundings import Surroundings

_WHOLE = (How.METHOD, How.AUGMENTED, How.INPLACE, How.OUT)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Mutator:
    """A function of the file whose callers are all seen, and the parameter that it writes.

    `gives`: it returns something of its own, too, so that a call gives a pair of that and the tensor.
    `arguments`: what each call gives for the parameter.
    """

    node: ast.FunctionDef
    parameter: str
    arguments: dict[ast.Call, ast.expr]
    gives: bool

    def returned(self, template: str) -> str:
        """The return statement for a value."""
        return f"return {template}, {self.parameter}" if self.gives else f"return {self.parameter}"

    def claims(self, around: Surroundings) -> Iterator[Claim]:
        """What changes in the function; a return whose value is a write, or the call of a mutator, belongs to that."""
        calls = {call for mutator in around.mutators.values() for call in mutator.arguments}
        for stmt in _returns(self.node):
            if stmt.value is None or not (stmt.value in calls or _written_name(around, stmt.value)):
                new = New(self.returned("$0"), (stmt.value,)) if stmt.value is not None else New(self.returned("None"))
                yield Claim("inplace", (stmt,), (Splice(stmt, (new,)),), provenance=None)
        if self.node.returns is not None:
            edit = Replace(self.node.returns, "tuple" if self.gives else "$mindspore.Tensor")
            yield Claim("inplace", (self.node.returns,), (edit,), provenance=None)
        last = self.node.body[-1]
        if not isinstance(last, (ast.Return, ast.Raise)):
            yield Claim("inplace", (), (Insert(last, "after", (New(self.returned("None")),)),))


def mutators(around: Surroundings) -> dict[str, Mutator]:
    """The functions that can be restructured, by qualified name."""
    found = {}
    facts = around.facts
    if facts.is_starred:
        return {}
    for node in facts.tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and not facts.skipped(node):
            mutator = _mutator(around, node)
            if mutator is not None:
                found[facts.names.qualified(node)] = mutator
    return found


def _mutator(around: Surroundings, node: ast.FunctionDef) -> Mutator | None:
    facts = around.facts
    qualified = facts.names.qualified(node)
    parameters = {a.arg: a for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    whole = {
        w.target.id
        for w in facts.aliases(node).writes
        if w.how in _WHOLE and isinstance(w.target, ast.Name) and w.target.id in parameters and w.certain and w.flag is None
    }
    written = whole | around.lost.parameters(qualified)
    if len(written) != 1 or qualified in facts.imported_elsewhere:
        return None
    (name,) = written
    info = facts.kinds.of(parameters[name]) if name in parameters else None
    if info is None or name not in whole and not (info.kind in TENSOR_KINDS and info.certain):
        return None
    if name in facts.aliases(node).effects.keeps:
        return None  # something else holds the tensor, too
    if _is_bound(node, name) or name in facts.flow(node).shared or not _returns_are_plain(around, node):
        return None
    gives = any(r.value is not None for r in _returns(node))
    mutator = Mutator(node, name, {}, gives)
    for call in _calls(around, node):
        argument = _argument(mutator, call)
        if argument is None or not _may_bind(around, mutator, call, argument):
            return None
        mutator.arguments[call] = argument
    uses = sum(isinstance(n, ast.Name) and n.id == node.name and isinstance(n.ctx, ast.Load) for n in walk(facts.tree))
    return mutator if mutator.arguments and uses == len(mutator.arguments) else None


def _is_bound(node: ast.FunctionDef, name: str) -> bool:
    """Whether the function gives the name another tensor, or deletes it; `name += 1` writes into the one it has."""
    augmented = {n.target for n in walk(node) if isinstance(n, ast.AugAssign)}
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) and n not in augmented
        for n in walk(node)
    )


def _returns(node: ast.FunctionDef) -> Iterator[ast.Return]:
    """The return statements of the function itself."""
    stack: list[ast.AST] = [*node.body]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Return):
            yield current
        elif not isinstance(current, _INNER):
            stack += ast.iter_child_nodes(current)


def _written_name(around: Surroundings, value: ast.expr) -> bool:
    """Whether a value is `x.add_(1)`, perhaps a chain of such calls."""
    return isinstance(value, ast.Call) and in_place_name(value) is not None and isinstance(target_of(around.facts, value), ast.Name)


def _returns_are_plain(around: Surroundings, node: ast.FunctionDef) -> bool:
    """Whether nothing is written in what a return gives, but by methods of a name and by calls that are the value."""
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) or isinstance(n, ast.Try) and n.finalbody for n in walk(node)):
        return False  # what `finally` writes comes after the value of a return
    writes = around.facts.aliases(node).writes
    for stmt in _returns(node):
        if stmt.value is None:
            continue
        inside = set(walk(stmt.value))
        if any(
            w.node in inside and not (w.node is stmt.value and w.how is How.CALL or _written_name(around, stmt.value))
            for w in writes
        ):
            return False
    return True


def _calls(around: Surroundings, node: ast.FunctionDef) -> Iterator[ast.Call]:
    names = around.facts.names
    qualified = names.qualified(node)
    for call in walk(around.facts.tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == node.name:
            if names.of(call.func) in (qualified, None) and names.binder(call.func) is not None:
                yield call


def _argument(mutator: Mutator, call: ast.Call) -> ast.expr | None:
    """What a call gives for the parameter."""
    args = mutator.node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    position = names.index(mutator.parameter) if mutator.parameter in names else len(call.args)
    if position < len(call.args):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == mutator.parameter), None)


def _may_bind(around: Surroundings, mutator: Mutator, call: ast.Call, argument: ast.expr) -> bool:
    """Whether the tensor that the call gives back can be bound where it stands."""
    facts = around.facts
    if not isinstance(argument, (ast.Name, ast.Attribute)):
        return False
    stmt = facts.parent(call)
    alone = isinstance(stmt, ast.Expr)
    if mutator.gives:
        if around.is_free(call) or around.is_unseen(call) or not isinstance(argument, ast.Name):
            return False
        assigned = isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and stmt.value is call
        alone = alone or assigned or isinstance(stmt, ast.Return)
    aliases = facts.aliases(facts.function(call))
    others = [a for a in (*call.args, *(k.value for k in call.keywords)) if a is not argument]
    return alone and not any(aliases.sharing(argument, a) >= Sharing.MAYBE for a in others)
