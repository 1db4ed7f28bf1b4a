"""What a call does to gradients: cuts them, passes those of its arguments, or brings in weights of its own."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.tree import Function
from torch2ms.transforms.training.vocabulary import (
    BARE_MODULES,
    CUT_BUILTINS,
    CUT_METHODS,
    CUT_TORCH,
    ENTRY_FREE_METHODS,
    NOT_TENSOR_PACKAGES,
    PLAIN_KINDS,
    RUNNERS,
    TENSOR_METHODS,
)


class Effect(enum.Enum):
    """How the result of a call hangs on weights."""

    CUT = "cut"  # no gradient flows out
    PASS = "pass"  # what flows into receiver and arguments flows out
    SOURCE = "source"  # weights of its own are in it
    UNKNOWN = "unknown"  # nothing is known of the callee: weights may be in it

    @property
    def brings(self) -> bool:
        """Whether weights may come in."""
        return self in (Effect.SOURCE, Effect.UNKNOWN)


class Callees:
    """Classifies the calls of one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._effects: dict[ast.AST, Effect] = {}
        # set by Carriers, which can walk a body
        self.result: Callable[[Function], Effect] = lambda function: Effect.UNKNOWN
        # set by Carriers, too: whether a result hangs on what carries gradient at the start
        self.runs: Callable[[Function, frozenset[str]], bool] = lambda function, env: True
        self._hangs: dict[tuple[Function, frozenset[str]], bool] = {}
        # set by Entries: attributes of self that carry gradient after a method
        self.leaves: Callable[[Function], frozenset[str]] = lambda function: frozenset()

    def effect(self, call: ast.Call) -> Effect:
        """What the call does to gradients."""
        if asks_for_gradient(call):
            return Effect.SOURCE
        name = self.facts.names.of(call.func)
        if name is not None and not self._is_project(name):
            return self._named(name, call)
        chosen = self._alternatives(call.func)
        if chosen:
            effects = [self._named(one, call) for one in chosen]
            return max(effects, key=list(Effect).index)
        target = self.definition(call)
        if isinstance(target, ast.ClassDef):
            return Effect.PASS
        if target is not None:
            return self._function(target)
        kind = self.facts.kinds.of(call.func)
        if kind.kind is Kind.MODULE:
            return Effect.PASS if self._bare(kind.cls) else Effect.SOURCE
        if kind.kind is Kind.MODULE_CLASS:
            return Effect.PASS
        if isinstance(call.func, ast.Attribute):
            found = self._method(call.func)
        else:
            found = Effect.UNKNOWN
        return Effect.SOURCE if found is Effect.UNKNOWN and self.modules_given(call) else found

    def _alternatives(self, func: ast.expr) -> list[str]:
        """What a local name may stand for: `Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor`."""
        scope = self.facts.names.binder(func) if isinstance(func, ast.Name) else None
        stmts = [self.facts.parent(node) for node in scope.bindings.get(func.id, [])] if scope else []  # type: ignore[attr-defined]
        found: list[str] = []
        todo = [s.value if isinstance(s, ast.Assign) and len(s.targets) == 1 else None for s in stmts]
        while todo:
            value = todo.pop()
            if isinstance(value, ast.IfExp):
                todo += [value.body, value.orelse]
                continue
            name = self.facts.names.of(value) if value is not None else None
            if name is None or self._is_project(name):
                return []
            found.append(name)
        return found

    def hangs(self, function: Function, env: frozenset[str]) -> bool:
        """Whether a result of a function hangs on paths that carry gradient at its start."""
        key = (function, env)
        if key not in self._hangs:
            self._hangs[key] = False  # a recursive call adds nothing
            self._hangs[key] = bool(env) and self.runs(function, env)
        return self._hangs[key]

    def receiver(self, call: ast.Call) -> ast.expr | None:
        """The object whose method is called; None where a function or a module is called."""
        func = call.func
        if isinstance(func, ast.Attribute):
            if self.facts.kinds.of(func).kind is Kind.MODULE or self.facts.names.of(func) is not None:
                return None
            return func.value
        return None if isinstance(func, ast.Name) else func

    def definition(self, call: ast.Call) -> Function | ast.ClassDef | None:
        """The def or class of this file that the call runs, where there is exactly one."""
        func = call.func
        if isinstance(func, ast.Name):
            value: ast.AST | None = func
            for _ in range(4):  # `loss = squared_loss`
                scope = self.facts.names.binder(value) if isinstance(value, ast.Name) else None
                nodes = scope.bindings.get(value.id, []) if scope and isinstance(value, ast.Name) else []
                if len(nodes) == 1 and isinstance(nodes[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    return nodes[0]
                value = assigned_value(self.facts, nodes[0]) if len(nodes) == 1 else None
        elif isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            cls = self.facts.enclosing_class(call)
            return self.method(cls, func.attr) if cls else None
        return None

    def method(self, cls: ast.ClassDef, name: str) -> Function | None:
        """The method of a class of this file, or of its bases in this file."""
        for item in cls.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name == name:
                return item
        for base in cls.bases:
            for node in self.facts.names.bindings_named(base.id) if isinstance(base, ast.Name) else ():
                if isinstance(node, ast.ClassDef) and node is not cls and (found := self.method(node, name)):
                    return found
        return None

    def _is_project(self, name: str) -> bool:
        root = name.rpartition(".")[0]
        project = self.facts.project
        return (
            name in project.functions
            or name in project.classes
            or root in project.classes
            or root == self.facts.names.module
        )

    def _named(self, name: str, call: ast.Call) -> Effect:
        root, _, last = name.rpartition(".")
        if name.startswith("torch."):
            return self._torch(name, last)
        if root == "builtins":
            if last in ("getattr", "eval", "exec", "__import__"):
                return Effect.UNKNOWN
            if last in ("map", "filter") and call.args and self._runs_weights(call.args[0]):
                return Effect.SOURCE
            return Effect.CUT if last in CUT_BUILTINS else Effect.PASS
        if name.partition(".")[0] in NOT_TENSOR_PACKAGES:
            return Effect.CUT
        return Effect.SOURCE if self.modules_given(call) else Effect.PASS

    def modules_given(self, call: ast.Call) -> list[ast.expr]:
        """The arguments that are modules, which the callee may run."""
        given = [*call.args, *(k.value for k in call.keywords)]
        return [value for value in given if self.facts.kinds.of(value).kind is Kind.MODULE]

    def _torch(self, name: str, last: str) -> Effect:
        if name in ("torch.nn.Parameter", "torch.autograd.grad") or name.startswith(RUNNERS):
            return Effect.SOURCE
        if name.startswith("torch.nn.") and not name.startswith(("torch.nn.functional.", "torch.nn.utils.")):
            return Effect.PASS
        return Effect.CUT if last in CUT_TORCH else Effect.PASS

    def _method(self, func: ast.Attribute) -> Effect:
        receiver = self.facts.kinds.of(func.value)
        if receiver.kind in (Kind.TENSOR, Kind.PARAMETER):
            return Effect.CUT if func.attr in CUT_METHODS else Effect.PASS
        if receiver.kind in PLAIN_KINDS:
            return Effect.PASS
        if receiver.kind is Kind.MODULE:
            if func.attr in ENTRY_FREE_METHODS:
                return Effect.PASS
            return Effect.PASS if self._bare(receiver.cls) else Effect.SOURCE
        if func.attr in CUT_METHODS:
            return Effect.CUT
        return Effect.PASS if func.attr in TENSOR_METHODS else Effect.UNKNOWN

    def _function(self, function: Function) -> Effect:
        """A function of this file: what its results hang on."""
        if function not in self._effects:
            self._effects[function] = Effect.CUT  # a recursive call brings nothing new
            self._effects[function] = self.result(function)
        return self._effects[function]

    def _runs_weights(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Lambda):
            return any(isinstance(n, ast.Call) and self.effect(n).brings for n in ast.walk(node.body))
        return (
            self.facts.kinds.of(node).kind in (Kind.MODULE, Kind.UNKNOWN)
            and self.facts.names.of(node) is None
            and dotted(node) is not None
        )

    def _bare(self, cls: str | None) -> bool:
        """Whether a module of PyTorch's holds no weights."""
        if cls is None or not cls.startswith("torch.nn."):
            return False
        last = cls.rpartition(".")[2]
        return last.endswith("Loss") and last != "AdaptiveLogSoftmaxWithLoss" or last in BARE_MODULES


def is_loss_layer(facts: Facts, node: ast.expr) -> bool:
    """Whether a module is one of PyTorch's losses, or of a class of the project that adds only settings to one."""
    project = facts.project
    for name in (classes := facts.kinds.of(node).classes):
        own = project.classes.get(name)
        kinds = [project.attribute(name, a) for a in own.assigned] if own is not None else []
        plain = all(k is not None and k.kind in (Kind.NUMBER, Kind.STRING, Kind.NONE) for k in kinds)
        if not plain or not project.bases(name)[-1].endswith("Loss"):
            return False
    return bool(classes)


def asks_for_gradient(call: ast.Call) -> bool:
    """`torch.zeros(3, requires_grad=True)`, `x.requires_grad_()`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return not any(
            isinstance(a, ast.Constant) and a.value is False for a in (*call.args, *(k.value for k in call.keywords))
        )
    return any(
        k.arg == "requires_grad" and not (isinstance(k.value, ast.Constant) and k.value.value is False)
        for k in call.keywords
    )


def assigned_value(facts: Facts, target: ast.AST) -> ast.expr | None:
    """The expression that an assignment gives to one of its targets: the lambda of `net, loss = lambda x: w * x, mse`."""
    outer = facts.parent(target)
    stmt = facts.parent(outer) if isinstance(outer, ast.Tuple) else outer
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return None
    if stmt.targets[0] is target:
        return stmt.value
    value = stmt.value
    if outer is not stmt.targets[0] or not isinstance(outer, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    return dict(zip(outer.elts, value.elts, strict=False)).get(target)  # type: ignore[call-overload]


def made_leaf(facts: Facts, node: ast.AST) -> bool:
    """Whether every binding of a name makes a tensor that asks for its own gradient."""
    scope = facts.names.binder(node) if isinstance(node, ast.Name) else None
    nodes = scope.bindings.get(node.id, []) if scope and isinstance(node, ast.Name) else []
    # `w -= lr * w.grad` keeps it the leaf that it is
    stmts = [s for s in map(facts.parent, nodes) if not isinstance(s, ast.AugAssign)]
    values = [s.value if isinstance(s, ast.Assign) else None for s in stmts]
    return bool(values) and all(isinstance(v, ast.Call) and _makes_leaf(facts, v) for v in values)


def _makes_leaf(facts: Facts, call: ast.Call) -> bool:
    """`torch.zeros(3, requires_grad=True)`, `nn.Parameter(...)`, `x.clone().requires_grad_()`."""
    return asks_for_gradient(call) or facts.names.of(call.func) == "torch.nn.Parameter"
