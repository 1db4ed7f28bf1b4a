"""Whether a function to differentiate can be compiled: `--jit` decorates it with `@mindspore.jit`."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training.pieces import Forward
from torch2ms.transforms.training.tree import own_nodes

_HOST = frozenset("item tolist numpy append extend cpu update".split())
_BUILTINS = frozenset("print open input next iter setattr getattr".split())


def hindrance(facts: Facts, forward: Forward) -> str:
    """What stands in the way of compiling; empty where nothing is known to."""
    habits = facts.project.habits
    if habits.sets_default_dtype:
        return "the program changes the default data type, which a compiled graph would not see"
    if forward.declarations:
        return "it binds names of the function around it"
    if habits.hooked:
        return "hooks are set in the project, which a compiled function leaves out"
    if habits.leaves_behind:
        return "a forward sets attributes, and a compiled function cuts the gradient of what is read from them"
    if habits.takes_models and habits.walks_layers:
        return "the layers of a model of torchvision are run one by one, and a compiled function keeps what they overwrite"
    if habits.wraps_tensors:
        return "objects that hold tensors are made, and a compiled function cuts the gradient of what they hold"
    for node in (part for stmt in (*forward.kept, forward.region.site.owner) for part in own_nodes(stmt)):
        if isinstance(node, (ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Raise)):
            return f"it holds a `{type(node).__name__.lower()}` statement"
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return f"it sets the attribute {ast.unparse(node)}"
        if isinstance(node, ast.Call) and _on_host(facts, node):
            return f"{ast.unparse(node.func)} runs in Python"
    return ""


def _on_host(facts: Facts, call: ast.Call) -> bool:
    name = facts.names.of(call.func)
    if name is not None:
        root, _, last = name.partition(".")
        return root == "builtins" and last in _BUILTINS or root in ("numpy", "random", "time", "math")
    return isinstance(call.func, ast.Attribute) and call.func.attr in _HOST
