"""The outer shape of an autograd.Function class: its methods, inputs, outputs and gradients."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.autograd_function.saved import Declined

ONCE = "torch.autograd.function.once_differentiable"
_HARMLESS: tuple[str, ...] = (ONCE, "torch.amp.custom_fwd", "torch.amp.custom_bwd")
_HARMLESS += ("torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "builtins.staticmethod")


@dataclass(frozen=True, slots=True)
class Shape:
    """A Function whose methods are plain enough to be read.

    `ctx` is the context's name in `saver`, which is setup_context, or forward where there is none. `rest` names the
    starred parameter of forward. `gradients` holds one name, which is starred, where `any_gradients` is set.
    """

    node: ast.ClassDef
    base: ast.expr
    forward: ast.FunctionDef
    backward: ast.FunctionDef
    setup: ast.FunctionDef | None
    static: bool
    ctx: str
    backward_ctx: str
    inputs: list[str]
    rest: str | None
    defaults: dict[str, ast.expr]
    gradients: list[str]
    any_gradients: bool
    once: bool

    @property
    def functions(self) -> list[ast.FunctionDef]:
        """Its methods."""
        return [f for f in (self.forward, self.backward, self.setup) if f is not None]

    @property
    def saver(self) -> ast.FunctionDef:
        """The method that stores on the context."""
        return self.setup or self.forward

    @property
    def names(self) -> list[str]:
        """The names of all parameters of forward but the context."""
        return [*self.inputs, *([self.rest] if self.rest else [])]

    @property
    def parameters(self) -> list[str]:
        """The same as a signature shows them."""
        return [*self.inputs, *([f"*{self.rest}"] if self.rest else [])]

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
        # `symbolic` is for the export to ONNX and never runs here
        if name not in ("forward", "backward", "setup_context", "__init__", "symbolic"):
            raise Declined(f"the class has a method {name}")
    forward, backward, setup = (methods.get(name) for name in ("forward", "backward", "setup_context"))
    if forward is None or backward is None:
        raise Declined("the class does not define both forward and backward")
    functions = [f for f in (forward, backward, setup) if f is not None]
    static = _static(forward, facts)
    if any(_static(f, facts) != static for f in functions) or static and "__init__" in methods:
        raise Declined("the methods are not all static, or the class has a constructor")
    if setup is not None and not static:
        raise Declined("setup_context is not static")
    for function in functions:
        _check_decorators(function, facts)
    inputs, rest = _arguments(forward)
    gradients, any_gradient = _arguments(backward)
    if setup is None:
        ctx, *inputs = inputs or [""]
    else:
        ctx = _arguments(setup)[0][0]
    backward_ctx, *gradients = gradients or [""]
    if not ctx or not backward_ctx:
        raise Declined("a method takes no context")
    if any_gradient and gradients:
        raise Declined("backward takes plain and starred gradients")
    return Shape(
        node=node,
        base=node.bases[0],
        forward=forward,
        backward=backward,
        setup=setup,
        static=static,
        ctx=ctx,
        backward_ctx=backward_ctx,
        inputs=inputs,
        rest=rest,
        defaults=_defaults(forward),
        gradients=[any_gradient] if any_gradient else gradients,
        any_gradients=any_gradient is not None,
        once=any(facts.names.of(d) == ONCE for d in backward.decorator_list),
    )


def _static(function: ast.FunctionDef, facts: Facts) -> bool:
    return any(facts.names.of(d) == "builtins.staticmethod" for d in function.decorator_list)


def _check_decorators(function: ast.FunctionDef, facts: Facts) -> None:
    for decorator in function.decorator_list:
        if not is_harmless(decorator, facts):
            raise Declined(f"{function.name} has the decorator {ast.unparse(decorator)}")


def is_harmless(decorator: ast.expr, facts: Facts) -> bool:
    """Whether a decorator of a method says nothing that the conversion has to keep."""
    if not isinstance(decorator, ast.Call):
        return facts.names.of(decorator) in _HARMLESS
    return facts.names.of(decorator.func) in _HARMLESS and all(k.arg == "device_type" for k in decorator.keywords)


def _arguments(function: ast.FunctionDef) -> tuple[list[str], str | None]:
    """The names of the plain parameters and of the starred one."""
    args = function.args
    if args.kwarg or args.kwonlyargs or args.posonlyargs:
        raise Declined(f"{function.name} takes keyword-only or positional-only arguments")
    return [a.arg for a in args.args], args.vararg.arg if args.vararg else None


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
