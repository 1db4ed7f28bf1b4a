"""What the functions of a file do to gradients, told to Callees by walking their bodies."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training.callees import Callees, Effect
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.tree import Function, own_nodes


def summarized(facts: Facts) -> Callees:
    """The callees of a file, which know what the results of its functions hang on."""
    callees = Callees(facts)

    def result(function: Function) -> Effect:
        """What the values that the function returns or yields hang on."""
        if _carries_out(Carriers(facts, callees, sure=True), function, frozenset()):
            return Effect.SOURCE
        if _carries_out(Carriers(facts, callees), function, frozenset()):
            return Effect.UNKNOWN
        args = function.args
        env = frozenset(a.arg for a in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg) if a)
        return Effect.PASS if _carries_out(Carriers(facts, callees, sources=False), function, env) else Effect.CUT

    def hangs(function: Function, env: Env) -> bool:
        """Whether a result of the function carries what carries gradient at its start."""
        return _carries_out(Carriers(facts, callees, sources=False), function, env)

    callees.result = result
    callees.runs = hangs
    return callees


def _carries_out(walk: Carriers, function: Function, env: Env) -> bool:
    walk.run(function.body, env)
    simple = (stmt for stmt in walk.before if not hasattr(stmt, "body"))
    ends = (
        (stmt, node)
        for stmt in simple
        for node in own_nodes(stmt)
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom))
    )
    return any(walk.carries(node.value, walk.before[stmt]) for stmt, node in ends)
