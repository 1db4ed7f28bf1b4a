"""Which values carry gradient: from the weights that calls bring in, statement by statement, to what hangs on them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torch2ms.analysis.aliases import How, Sharing
from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.training.callees import Callees, Effect
from torch2ms.transforms.training.recording import is_no_grad
from torch2ms.transforms.training.tree import Function, own_nodes, touches
from torch2ms.transforms.training.vocabulary import NO_GRADIENT

Env = frozenset[str]
_CUT_ATTRIBUTES = frozenset("data grad shape dtype device requires_grad is_cuda ndim size training grad_fn".split())
_MUTATORS = frozenset("append extend insert add update setdefault appendleft put".split())


class Carriers:
    """Values that carry gradient, before each statement of a run (`before`) and in any expression.

    `sources` False asks another question: which values hang on the names of the given environment alone. `sure` leaves
    out what only a callee that is not known may bring in.
    """

    def __init__(self, facts: Facts, callees: Callees, sources: bool = True, sure: bool = False) -> None:
        self.facts = facts
        self.callees = callees
        self.sources = sources
        self.sure = sure
        self.before: dict[ast.stmt, Env] = {}

    def run(self, stmts: Sequence[ast.stmt], env: Env = frozenset()) -> Env:
        """The environment after the statements, which start with `env`."""
        for stmt in stmts:
            self.before[stmt] = self.before.get(stmt, frozenset()) | env
            env = self._statement(stmt, env)
            if not hasattr(stmt, "body"):
                env |= self.left_behind(stmt)
        return env

    def left_behind(self, stmt: ast.stmt) -> Env:
        """Attributes of self that methods called in a simple statement leave with gradient."""
        if not self.sources:
            return frozenset()
        found: Env = frozenset()
        for node in own_nodes(stmt):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                target = self.callees.definition(node)
                if isinstance(target, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    found |= self.callees.leaves(target)
        return found

    def _statement(self, stmt: ast.stmt, env: Env) -> Env:
        match stmt:
            case ast.Assign():
                return self._assign(stmt.targets, stmt.value, env)
            case ast.AnnAssign() if stmt.value is not None:
                return self._assign([stmt.target], stmt.value, env)
            case ast.AugAssign():
                where = _written(stmt.target)
                return env | {where} | self._sharing(stmt.target) if where and self.carries(stmt.value, env) else env
            case ast.For() | ast.AsyncFor():
                env = self._bind(stmt.target, self.carries(stmt.iter, env), env)
                return self._repeat([stmt.body], env) | self.run(stmt.orelse, env)
            case ast.While():
                return self._repeat([stmt.body], env) | self.run(stmt.orelse, env)
            case ast.If():
                return self.run(stmt.body, env) | self.run(stmt.orelse, env)
            case ast.With() | ast.AsyncWith():
                return self._with(stmt, env)
            case ast.Try():
                done = self.run(stmt.orelse, self.run(stmt.body, env))
                for handler in stmt.handlers:
                    done |= self.run(handler.body, env)
                return self.run(stmt.finalbody, done | env)
            case ast.Match():
                return frozenset().union(env, *(self.run(case.body, env) for case in stmt.cases))
            case ast.Expr():
                return self._expression(stmt.value, env)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return env - {stmt.name}
            case ast.Delete():
                return env - {p for t in stmt.targets if (p := dotted(t))}
            case _:
                return env

    def _repeat(self, bodies: Iterable[list[ast.stmt]], env: Env) -> Env:
        for body in bodies:
            while True:
                after = env | self.run(body, env)
                if after == env:
                    break
                env = after
        return env

    def _with(self, stmt: ast.With | ast.AsyncWith, env: Env) -> Env:
        quiet = any(self.is_quiet(item.context_expr) for item in stmt.items)
        for item in stmt.items:
            if item.optional_vars is not None:
                env = self._bind(item.optional_vars, self.carries(item.context_expr, env), env)
        if not quiet:
            return self.run(stmt.body, env)
        assigned = Carriers(self.facts, self.callees, sources=False)
        after = assigned.run(stmt.body, frozenset())
        self.before.update(dict.fromkeys(assigned.before, env))
        return (env & self._kept(stmt.body, env)) | after

    def _kept(self, body: list[ast.stmt], env: Env) -> Env:
        rebound = {
            p
            for node in body
            for n in walk(node)
            if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Store) and (p := dotted(n))
        }
        return frozenset(name for name in env if name not in rebound)

    def is_quiet(self, expr: ast.expr) -> bool:
        """Whether a context expression switches recording off: `torch.no_grad()`."""
        if isinstance(expr, ast.Call) and expr.args and self.facts.names.of(expr.func) == "torch.set_grad_enabled":
            return isinstance(expr.args[0], ast.Constant) and not expr.args[0].value
        return is_no_grad(self.facts, expr)

    def _assign(self, targets: list[ast.expr], value: ast.expr, env: Env) -> Env:
        env = self._walrus(value, env)
        for target in targets:
            if (
                isinstance(target, (ast.Tuple, ast.List))
                and isinstance(value, (ast.Tuple, ast.List))
                and len(target.elts) == len(value.elts)
            ):
                values = [self.carries(v, env) for v in value.elts]
                for part, carried in zip(target.elts, values, strict=True):
                    env = self._bind(part, carried, env)
            elif isinstance(target, ast.Attribute) and target.attr == "requires_grad":
                where = dotted(target.value)
                true = not (isinstance(value, ast.Constant) and value.value is False)
                env = env | {where} if where and true and self.sources else env
            else:
                env = self._bind(target, self.carries(value, env), env)
        return env

    def _bind(self, target: ast.expr, carried: bool, env: Env) -> Env:
        match target:
            case ast.Tuple() | ast.List():
                for part in target.elts:
                    env = self._bind(part, carried, env)
                return env
            case ast.Starred():
                return self._bind(target.value, carried, env)
            case ast.Subscript():
                where = _written(target.value)
                return env | {where} | self._sharing(target) if where and carried else env
            case _:
                where = dotted(target)
                if where is None:
                    return env
                env = frozenset(name for name in env if not (name == where or name.startswith(where + ".")))
                return env | {where} if carried else env

    def _expression(self, value: ast.expr, env: Env) -> Env:
        env = self._walrus(value, env)
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and not self.facts.names.of(value.func)
        ):
            where, method = _written(value.func.value), value.func.attr
            if where is None:
                return env
            env = self._expression(value.func.value, env)
            if method == "detach_":
                return env - {where}
            if method == "requires_grad_" and self.sources and self.callees.effect(value) is Effect.SOURCE:
                return env | {where}
            grows = method in _MUTATORS or method.endswith("_") and not method.endswith("__")
            if grows and any(self.carries(a, env) for a in _arguments(value)):
                return env | {where} | self._sharing(value.func.value)
            return env
        if isinstance(value, ast.Call) and any(self.carries(a, env) for a in _arguments(value)):
            aliases = self.facts.aliases(self.facts.function(value))
            for write in aliases.writes:
                if write.node is value and write.how is How.CALL and (where := dotted(write.target)) is not None:
                    env = env | {where} | self._sharing(write.target)
        return env

    def _sharing(self, target: ast.expr) -> Env:
        """The names that surely share the storage of what is written to: they carry what is written, too."""
        while isinstance(target, ast.Subscript):
            target = target.value
        if self.facts.kinds.of(target).kind not in TENSOR_KINDS:
            return frozenset()
        holders = self.facts.aliases(self.facts.function(target)).holders(target)
        return frozenset(name for name, sharing in holders.items() if sharing is Sharing.SURE)

    def _walrus(self, value: ast.expr, env: Env) -> Env:
        for node in walk(value):
            if isinstance(node, ast.NamedExpr):
                env = self._bind(node.target, self.carries(node.value, env), env)
        return env

    def carries(self, node: ast.expr | None, env: Env) -> bool:
        """Whether the value of the expression may carry gradient."""
        match node:
            case None | ast.Constant() | ast.Compare() | ast.JoinedStr() | ast.Lambda():
                return False
            case ast.Name() | ast.Attribute():
                return self._reference(node, env)
            case ast.Call():
                return self._call(node, env)
            case ast.Subscript() | ast.Starred() | ast.Await() | ast.NamedExpr():
                return self.carries(node.value, env)
            case ast.IfExp():
                return self.carries(node.body, env) or self.carries(node.orelse, env)
            case ast.Dict():
                return any(self.carries(v, env) for v in node.values)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self.carries(node.elt, self._inner(node.generators, env))
            case ast.DictComp():
                return self.carries(node.value, self._inner(node.generators, env))
            case ast.UnaryOp(op=ast.Not()):
                return False
            case _:
                return any(
                    self.carries(child, env) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
                )

    def _inner(self, generators: list[ast.comprehension], env: Env) -> Env:
        for generator in generators:
            env = self._bind(generator.target, self.carries(generator.iter, env), env)
        return env

    def _reference(self, node: ast.Name | ast.Attribute, env: Env) -> bool:
        if isinstance(node, ast.Attribute) and node.attr in _CUT_ATTRIBUTES:
            return False
        kind = self.facts.kinds.of(node)
        if kind.known and kind.kind in NO_GRADIENT:
            return False
        where = dotted(node)
        if where is None:
            assert isinstance(node, ast.Attribute)
            return self.carries(node.value, env)
        if any(where == name or where.startswith(name + ".") for name in env):
            return True
        return self.sources and self.facts.kinds.of(node).kind is Kind.PARAMETER

    def _call(self, node: ast.Call, env: Env) -> bool:
        kind = self.facts.kinds.of(node)
        if kind.known and kind.kind in NO_GRADIENT:
            return False
        effect = self.callees.effect(node)
        if effect is Effect.CUT:
            return False
        if effect is Effect.SOURCE and self.sources or effect is Effect.UNKNOWN and self.sources and not self.sure:
            return True
        target = self.callees.definition(node)
        if isinstance(target, (ast.FunctionDef, ast.AsyncFunctionDef)) and isinstance(node.func, ast.Attribute):
            return self._method(node, target, env)
        receiver = self.callees.receiver(node)
        owner = dotted(receiver) if receiver is not None else None
        if effect.brings and owner and any(touches(owner, name) for name in env):
            return True  # a method may read what its object holds
        return self.carries(receiver, env) or any(self.carries(a, env) for a in _arguments(node))

    def _method(self, node: ast.Call, method: Function, env: Env) -> bool:
        """A method of self in this file: whether what it returns hangs on attributes or arguments."""
        names = [a.arg for a in (*method.args.posonlyargs, *method.args.args)][1:]
        given = dict(zip(names, node.args, strict=False)) | {k.arg: k.value for k in node.keywords if k.arg}
        inner = {name for name, value in given.items() if self.carries(value, env)}
        inner |= {path for path in env if path.startswith("self.")}
        return self.callees.hangs(method, frozenset(inner)) or any(isinstance(a, ast.Starred) for a in node.args)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def _written(target: ast.expr) -> str | None:
    """The variable or path that a write reaches through views and a chain of methods: `v` of `v.view(-1)[0].add_(1)`."""
    while dotted(target) is None:
        if isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
            target = target.func.value
        elif isinstance(target, ast.Subscript):
            target = target.value
        else:
            return None
    return dotted(target)
