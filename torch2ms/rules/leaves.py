"""Whether a tensor that is asked for its gradient surely hangs on nothing that has one, so that it can become a Parameter."""

from __future__ import annotations

import ast

from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.rules.site import Site
from torch2ms.rules.values import is_number

_CREATIONS = frozenset(
    "tensor zeros ones empty full eye arange linspace logspace rand randn randint randperm normal zeros_like ones_like empty_like "
    "full_like rand_like randn_like randint_like from_numpy Tensor FloatTensor DoubleTensor HalfTensor".split()
)
_METHODS = frozenset("new_zeros new_ones new_empty new_full new_tensor detach".split())
# a result of these carries what the receiver carries
_KEEPING = frozenset(
    "clone to float double half bfloat16 cuda cpu contiguous type view reshape unsqueeze squeeze transpose permute t repeat expand "
    "uniform_ normal_ fill_ zero_ clamp clamp_ requires_grad_".split()
)
_DEEP = 12


def is_leaf(site: Site, value: ast.expr, depth: int = 0) -> bool:
    """Whether no gradient can run from the value to anything before it."""
    if depth > _DEEP:
        return False
    match value:
        case ast.Constant():
            return True
        case ast.Call(func=func, args=args, keywords=keywords):
            return _is_leaf_call(site, func, args, keywords, depth)
        case ast.Attribute(attr="data"):
            return True
        case ast.Name():
            return is_number(site.facts, value) or _is_leaf_name(site, value, depth)
        case ast.BinOp(left=left, right=right):
            return _is_without(site, left, depth) and _is_without(site, right, depth)
        case ast.UnaryOp(operand=operand):
            return _is_without(site, operand, depth)
        case ast.Subscript(value=inner):
            return _is_without(site, inner, depth)
    return False


def _is_leaf_call(
    site: Site, func: ast.expr, args: list[ast.expr], keywords: list[ast.keyword], depth: int
) -> bool:
    if any(k.arg == "requires_grad" for k in keywords):
        return False
    name = site.facts.names.of(func)
    if name is not None:
        head, _, last = name.rpartition(".")
        if name == "torch.autograd.Variable":
            return bool(args) and is_leaf(site, args[0], depth + 1)
        return head == "torch" and last in _CREATIONS
    if not isinstance(func, ast.Attribute):
        return False
    return func.attr in _METHODS or func.attr in _KEEPING and is_leaf(site, func.value, depth + 1)


def _is_leaf_name(site: Site, name: ast.Name, depth: int) -> bool:
    """Whether everything that bound the name in this function is a leaf; what a caller gives may hang on anything."""
    function = site.facts.function(name)
    for made in site.facts.aliases(function).bindings(name):
        if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
            return isinstance(made, ast.For) and site.facts.kinds.of(made.iter).kind is Kind.LOADER
        if not is_leaf(site, made.value, depth + 1):
            return False
    return bool(site.facts.aliases(function).bindings(name))


def _is_without(site: Site, operand: ast.expr, depth: int) -> bool:
    """Whether an operand is no tensor with a gradient: a leaf that was not asked for its own."""
    asked = {
        part.func.value.id
        for part in walk(site.facts.function(operand))
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Name)
        and part.func.attr == "requires_grad_"
    } | {
        part.value.id
        for part in walk(site.facts.function(operand))
        if isinstance(part, ast.Attribute) and part.attr == "requires_grad" and isinstance(part.value, ast.Name)
    }
    if any(isinstance(part, ast.Name) and part.id in asked for part in walk(operand)):
        return False
    return is_number(site.facts, operand) or is_leaf(site, operand, depth + 1)
