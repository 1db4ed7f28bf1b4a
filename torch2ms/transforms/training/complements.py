"""Parameters of one module picked by name, where the picks leave nothing out: `if cond` beside `if not cond`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts

Paths = Callable[[ast.expr], "str | None"]

# what tests of a name are made of: they give the same answer for the same name, in each of the groups
_PURE_METHODS = frozenset("startswith endswith split find count lower".split())
_PURE_FUNCTIONS = frozenset("any all len".split())
_OPEN = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Constant)
_REGISTERS = frozenset("add_module register_module register_parameter setattr __setattr__".split())
_NAME = "<name>"


@dataclass(frozen=True, slots=True)
class Pick:
    """`[p for n, p in module.named_parameters() if test]`; the test as a text in which the name has no name of its own."""

    module: str
    test: str
    negated: bool


def whole_modules(facts: Facts, path: Paths, exprs: Iterable[ast.expr]) -> frozenset[str]:
    """The paths of the modules all of whose parameters are in the expressions that pick among them.

    Two picks are opposite tests of the name, or one leaves out what begins with the name of a child and another
    expression is the parameters of that child.
    """
    held = [_params(expr) for expr in exprs]
    picks = [pick for expr in held if (pick := _pick(facts, path, expr)) is not None]
    children = {where for expr in held if (where := _all_of(path, expr))}
    found = {p.module for p in picks if Pick(p.module, p.test, not p.negated) in picks}
    return frozenset(found | {p.module for p in picks if _leaves_child(facts, p, children)})


def _all_of(path: Paths, expr: ast.expr) -> str | None:
    """The module in `module.parameters()`."""
    match expr:
        case ast.Call(func=ast.Attribute(value=owner, attr="parameters"), args=[], keywords=[]):
            return path(owner)
    return None


def _leaves_child(facts: Facts, pick: Pick, children: set[str]) -> bool:
    """Whether all that a pick leaves out are parameters of a child whose parameters are there, too."""
    for child in children:
        module, _, name = child.rpartition(".")
        if module != pick.module or not pick.negated:
            continue
        if pick.test == _begins_with(name + "."):
            return True
        if pick.test == _begins_with(name) and _is_only_prefix(facts, name) and _is_plain_class(facts, module):
            return True
    return False


def _begins_with(prefix: str) -> str:
    return _text(ast.parse(f"name.startswith({prefix!r})", mode="eval").body, "name")


def _is_only_prefix(facts: Facts, name: str) -> bool:
    """Whether no other attribute that the file assigns begins with a name, and nothing is registered by a text."""
    for node in facts.names.parents:
        if isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store) and node.attr != name and node.attr.startswith(name):
                return False
            if node.attr in _REGISTERS:
                return False
        elif isinstance(node, ast.Name) and node.id in _REGISTERS:
            return False
    return True


def _is_plain_class(facts: Facts, module: str) -> bool:
    """Whether a variable is made once, of a class of this file that has no base but torch's Module."""
    if any(isinstance(n, ast.arg) and n.arg == module for n in facts.names.parents):
        return False
    names = [n for n in facts.names.parents if isinstance(n, ast.Name) and n.id == module]
    made = [facts.parent(n) for n in names if isinstance(n.ctx, ast.Store)]
    if len(made) != 1 or not isinstance(made[0], ast.Assign) or not isinstance(made[0].value, ast.Call):
        return False
    func = made[0].value.func
    scope = facts.names.binder(func) if isinstance(func, ast.Name) else None
    bound = scope.bindings.get(func.id, []) if scope and isinstance(func, ast.Name) else []
    if len(bound) != 1 or not isinstance(bound[0], ast.ClassDef):
        return False
    cls = bound[0]
    if any(isinstance(n, ast.FunctionDef) and n.name.endswith("parameters") for n in cls.body):
        return False
    return not cls.decorator_list and [facts.names.of(base) for base in cls.bases] == ["torch.nn.Module"]


def _params(expr: ast.expr) -> ast.expr:
    """What a group holds: the value of `params` where it is a dictionary."""
    if isinstance(expr, ast.Dict):
        for key, value in zip(expr.keys, expr.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "params":
                return value
    return expr


def _pick(facts: Facts, path: Paths, expr: ast.expr) -> Pick | None:
    if not isinstance(expr, (ast.ListComp, ast.GeneratorExp)) or len(expr.generators) != 1:
        return None
    match expr.elt, expr.generators[0]:
        case (
            ast.Name(id=taken),
            ast.comprehension(
                target=ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=parameter)]),
                iter=ast.Call(func=ast.Attribute(value=owner, attr="named_parameters"), args=[], keywords=[]),
                ifs=[test],
            ),
        ) if taken == parameter != name and (module := path(owner)):
            return _tested(facts, module, name, test)
    return None


def _tested(facts: Facts, module: str, name: str, test: ast.expr) -> Pick | None:
    negated = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    if not _is_pure(facts, test, name):
        return None
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn) and len(test.ops) == 1:
        test, negated = ast.Compare(test.left, [ast.In()], test.comparators), not negated
    return Pick(module, _text(test, name), negated)


def _is_pure(facts: Facts, test: ast.expr, name: str) -> bool:
    """Whether a test is one of the name alone: constants, lists that are written out, methods of texts, any and all."""
    own = {name} | {n.id for n in ast.walk(test) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(test):
        if isinstance(node, _OPEN):
            return False
        if isinstance(node, ast.Attribute) and not _is_method(facts, node):
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _PURE_FUNCTIONS:
            return False
        if isinstance(node, ast.Name) and node.id not in own and not _is_fixed(facts, node):
            return False
    return True


def _is_method(facts: Facts, node: ast.Attribute) -> bool:
    call = facts.parent(node)
    return isinstance(call, ast.Call) and call.func is node and node.attr in _PURE_METHODS


def _is_fixed(facts: Facts, node: ast.Name) -> bool:
    """Whether a name is one of the functions, or a list that is assigned once and so the same in each of the groups."""
    scope = facts.names.binder(node)
    bound = scope.bindings.get(node.id, []) if scope else []
    if not bound:
        return node.id in _PURE_FUNCTIONS and hasattr(builtins, node.id)
    stmt = facts.parent(bound[0]) if len(bound) == 1 else None
    return isinstance(stmt, ast.Assign) and stmt.targets == bound and isinstance(stmt.value, _DISPLAYS)


def _text(test: ast.expr, name: str) -> str:
    copied = ast.parse(ast.unparse(test), mode="eval")
    for node in ast.walk(copied):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = _NAME
    return ast.dump(copied)
