"""Whether a tensor that is asked for its gradient surely hangs on nothing that has one, so that it can become a Parameter."""

from __future__ import annotations

import ast

from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.rules.site import Site
from torch2ms.rules.values import is_number

_CREATIONS = frozenset(
    "tensor zeros ones empty full eye arange linspace logspace rand randn randint randperm normal zeros_like ones_like empty_like "
    "full_like rand_like randn_like randint_like from_numpy".split()
)
# kinds of what a constructor of PyTorch 0.x copies; a tensor it hands on, with its graph
_COPIED = (Kind.NUMBER, Kind.NDARRAY, Kind.SEQUENCE, Kind.SIZE)
_METHODS = frozenset("new_zeros new_ones new_empty new_full new_tensor detach long int short byte char bool".split())
# a result of these carries what the receiver carries
_KEEPING = frozenset(
    "clone to float double half bfloat16 cuda cpu contiguous type view reshape unsqueeze squeeze transpose permute t repeat expand "
    "uniform_ normal_ fill_ zero_ clamp clamp_".split()
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


def is_without_graph(site: Site, value: ast.expr) -> bool:
    """Whether no gradient can run from the value to anything, itself included."""
    return _is_without(site, value, 0)


def _is_leaf_call(
    site: Site, func: ast.expr, args: list[ast.expr], keywords: list[ast.keyword], depth: int
) -> bool:
    if any(k.arg == "requires_grad" for k in keywords):
        return False
    name = site.facts.names.of(func)
    if name is not None:
        head, _, last = name.rpartition(".")
        if name == "torch.autograd.Variable":
            return bool(args) and _is_without(site, args[0], depth)
        if head == "torch" and last in _CREATIONS:
            return True
    # a constructor may have another name: Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
    made = site.facts.kinds.of(func).classes if name is None else (name,)
    if made and all(cls.startswith("torch.") and cls.endswith("Tensor") for cls in made):
        return all(_is_copied(site, arg, depth) for arg in args)
    if name is not None:
        return False
    if not isinstance(func, ast.Attribute):
        return False
    return func.attr in _METHODS or func.attr in _KEEPING and _is_without(site, func.value, depth)


def _is_copied(site: Site, arg: ast.expr, depth: int) -> bool:
    known = is_number(site.facts, arg) or site.facts.kinds.of(arg).kind in _COPIED
    return known or _is_without(site, arg, depth)


def _is_leaf_name(site: Site, name: ast.Name, depth: int) -> bool:
    """Whether everything that bound the name in this function is a leaf; what a caller gives may hang on anything."""

    def makes_leaf(made: ast.AST) -> bool:
        match made:
            case ast.Assign(targets=[ast.Name()], value=value):
                return is_leaf(site, value, depth + 1)
            case ast.Assign(value=ast.Call(func=ast.Name(id="next"), args=[ast.Call(func=ast.Name(id="iter"), args=[source])])):
                return site.facts.kinds.of(source).kind is Kind.LOADER
            case ast.For(iter=ast.Call(func=ast.Name(id="enumerate" | "zip" | "iter" | "tqdm"), args=sources)):
                return all(site.facts.kinds.of(source).kind is Kind.LOADER for source in sources)
            case ast.For(iter=source):
                return site.facts.kinds.of(source).kind is Kind.LOADER
        return False

    bindings = site.facts.aliases(site.facts.function(name)).bindings(name)
    return bool(bindings) and all(map(makes_leaf, bindings))


def _is_without(site: Site, operand: ast.expr, depth: int) -> bool:
    """Whether an operand is no tensor with a gradient: a leaf that was not asked for its own."""
    names = {part.id for part in walk(operand) if isinstance(part, ast.Name)}
    for part in walk(site.facts.function(operand)):
        match part:
            case ast.Attribute(value=ast.Name(id=name), attr="requires_grad" | "requires_grad_") if name in names:
                return False
    return is_number(site.facts, operand) or is_leaf(site, operand, depth + 1)
