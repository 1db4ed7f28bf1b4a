"""The outer shape of an autograd.Function class: its methods, inputs, outputs and gradients."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.autograd_function.saved import Declined

_HARMLESS: tuple[str, ...] = ("torch.autograd.function.once_differentiable", "torch.amp.custom_fwd", "torch.amp.custom_bwd")
_HARMLESS += ("torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "builtins.staticmethod")


@dataclass(frozen=True, slots=True)
class Shape:
    """A Function whose methods are plain enough to be read."""

    node: ast.ClassDef
    base: ast.expr
    forward: ast.FunctionDef
    backward: ast.FunctionDef
    static: bool
    ctx: str
    backward_ctx: str
    inputs: list[str]
    defaults: dict[str, ast.expr]
    gradients: list[str]

    def outputs(self) -> list[ast.expr]:
        """The expressions that forward returns; raises Declined where returns differ in number."""
        returns = [n for n in _own_nodes(self.forward) if isinstance(n, ast.Return)]
        found = [
            list(r.value.elts) if isinstance(r.value, ast.Tuple) else [r.value] for r in returns if r.value is not None
        ]
        if not found or len(found) != len(returns) or len({len(f) for f in found}) != 1:
            raise Declined("forward does not always return the same number of outputs")
        if any(isinstance(e, ast.Starred) for f in found for e in f):
            raise Declined("forward returns a starred list")
        if len(found) > 1:
            # which of the returned names was saved depends on the path
            return [ast.Constant(value=None) for _ in found[0]]
        if len(found[0]) == 1 and isinstance(returns[0].value, ast.Tuple):
            raise Declined("forward returns a tuple of one")
        return found[0]


def read_shape(node: ast.ClassDef, facts: Facts) -> Shape:
    """Read a Function class; raises Declined with the reason where bprop cannot take its place."""
    if len(node.bases) != 1 or node.keywords:
        raise Declined("the class has further bases")
    if facts.names.of(node.bases[0]) != "torch.autograd.Function":
        raise Declined("the class inherits from another Function")
    methods = {s.name: s for s in node.body if isinstance(s, ast.FunctionDef)}
    for name in methods:
        if name not in ("forward", "backward", "__init__"):
            raise Declined(f"the class has a method {name}")
    forward, backward = methods.get("forward"), methods.get("backward")
    if forward is None or backward is None:
        raise Declined("the class does not define both forward and backward")
    static = _static(forward, facts)
    if _static(backward, facts) != static or "__init__" in methods and static:
        raise Declined("the methods are not all static, or the class has a constructor")
    for function in (forward, backward):
        _check_decorators(function, facts)
    ctx, *inputs = _plain_arguments(forward)
    backward_ctx, *gradients = _plain_arguments(backward)
    return Shape(
        node=node,
        base=node.bases[0],
        forward=forward,
        backward=backward,
        static=static,
        ctx=ctx,
        backward_ctx=backward_ctx,
        inputs=inputs,
        defaults=_defaults(forward),
        gradients=gradients,
    )


def _static(function: ast.FunctionDef, facts: Facts) -> bool:
    return any(facts.names.of(d) == "builtins.staticmethod" for d in function.decorator_list)


def _check_decorators(function: ast.FunctionDef, facts: Facts) -> None:
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (
            facts.names.of(target) not in _HARMLESS
            or isinstance(decorator, ast.Call)
            and any(k.arg != "device_type" for k in decorator.keywords)
        ):
            raise Declined(f"{function.name} has the decorator {ast.unparse(decorator)}")


def _plain_arguments(function: ast.FunctionDef) -> list[str]:
    args = function.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        raise Declined(f"{function.name} takes starred or keyword-only arguments")
    if not args.args:
        raise Declined(f"{function.name} takes no context")
    return [a.arg for a in args.args]


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    args = function.args.args
    defaults = function.args.defaults
    return {a.arg: d for a, d in zip(args[len(args) - len(defaults) :], defaults, strict=True)}


def _own_nodes(function: ast.FunctionDef) -> list[ast.AST]:
    found: list[ast.AST] = []
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        found.append(node)
        todo.extend(ast.iter_child_nodes(node))
    return found
