"""What libcst does not say about its own nodes: fields, brackets, precedence."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterator
from functools import cache
from typing import Any, Final

import libcst as cst

PRIMARY: Final = 16
# how tightly an expression binds; what is not listed is an atom
_LEVELS: dict[type, int] = {
    cst.Yield: 0,
    cst.NamedExpr: 0,
    cst.Tuple: 0,
    cst.GeneratorExp: 0,
    cst.Lambda: 1,
    cst.IfExp: 2,
    cst.Comparison: 6,
    cst.Await: 15,
}
_OPERATORS: dict[type, int] = {
    cst.Or: 3,
    cst.And: 4,
    cst.Not: 5,
    cst.BitOr: 7,
    cst.BitXor: 8,
    cst.BitAnd: 9,
    cst.LeftShift: 10,
    cst.RightShift: 10,
    cst.Add: 11,
    cst.Subtract: 11,
    cst.Multiply: 12,
    cst.MatrixMultiply: 12,
    cst.Divide: 12,
    cst.FloorDivide: 12,
    cst.Modulo: 12,
    cst.Plus: 13,
    cst.Minus: 13,
    cst.BitInvert: 13,
    cst.Power: 14,
}
# the level that a child must have where it stands; what is not listed takes any expression but a tuple, a `yield` or a `:=`
_REQUIRED: dict[tuple[type, str], int] = {
    (cst.Attribute, "value"): PRIMARY,
    (cst.Call, "func"): PRIMARY,
    (cst.Subscript, "value"): PRIMARY,
    (cst.Await, "expression"): PRIMARY,
    (cst.Comparison, "left"): 7,
    (cst.ComparisonTarget, "comparator"): 7,
    (cst.IfExp, "body"): 3,
    (cst.IfExp, "test"): 3,
    (cst.StarredElement, "value"): 7,
    (cst.StarredDictElement, "value"): 7,
    (cst.CompFor, "iter"): 3,
    (cst.CompFor, "target"): 7,
    (cst.CompIf, "test"): 3,
    (cst.FormattedStringExpression, "expression"): 2,
    (cst.Param, "annotation"): 1,
    (cst.Decorator, "decorator"): 1,
    (cst.Expr, "value"): 0,
    (cst.Assign, "value"): 0,
    (cst.AugAssign, "value"): 0,
    (cst.AnnAssign, "value"): 0,
    (cst.Return, "value"): 0,
    (cst.For, "iter"): 0,
    (cst.For, "target"): 0,
    (cst.AssignTarget, "target"): 0,
    (cst.Del, "target"): 0,
}
# the fields between a node's own brackets
_INSIDE: dict[type, frozenset[str]] = {
    cst.Call: frozenset({"args", "whitespace_before_args"}),
    cst.Subscript: frozenset({"slice", "lbracket", "rbracket"}),
    **{
        kind: frozenset({"*"})
        for kind in (
            cst.List,
            cst.Set,
            cst.Dict,
            cst.ListComp,
            cst.SetComp,
            cst.DictComp,
            cst.FormattedString,
            cst.SimpleString,
        )
    },
}


# the fields that can hold an expression or a block, in source order; a class that is missing here is never entered
CHILDREN: dict[type, tuple[str, ...]] = {
    getattr(cst, name): tuple(inner.split())
    for name, inner in {
        "Call": "func args",
        "Arg": "value",
        "Attribute": "value",
        "Subscript": "value slice",
        "SubscriptElement": "slice",
        "Index": "value",
        "Slice": "lower upper step",
        "BinaryOperation": "left right",
        "BooleanOperation": "left right",
        "UnaryOperation": "expression",
        "Comparison": "left comparisons",
        "ComparisonTarget": "comparator",
        "IfExp": "body test orelse",
        "Lambda": "params body",
        "Parameters": "posonly_params params star_arg kwonly_params star_kwarg",
        "Param": "annotation default",
        "Annotation": "annotation",
        "Tuple": "elements",
        "List": "elements",
        "Set": "elements",
        "Dict": "elements",
        "Element": "value",
        "StarredElement": "value",
        "DictElement": "key value",
        "StarredDictElement": "value",
        "ListComp": "elt for_in",
        "SetComp": "elt for_in",
        "GeneratorExp": "elt for_in",
        "DictComp": "key value for_in",
        "CompFor": "target iter ifs inner_for_in",
        "CompIf": "test",
        "NamedExpr": "target value",
        "Await": "expression",
        "Yield": "value",
        "From": "item",
        "ConcatenatedString": "left right",
        "FormattedString": "parts",
        "FormattedStringExpression": "expression format_spec",
        **dict.fromkeys("Name Integer Float Imaginary Ellipsis SimpleString".split(), ""),
        "Expr": "value",
        "Assign": "targets value",
        "AssignTarget": "target",
        "AnnAssign": "target annotation value",
        "AugAssign": "target value",
        "Return": "value",
        "Raise": "exc cause",
        "Assert": "test msg",
        "Del": "target",
        "TypeAlias": "type_parameters value",
        "For": "target iter body orelse",
        "While": "test body orelse",
        "If": "test body orelse",
        "Else": "body",
        "With": "items body",
        "WithItem": "item asname",
        "AsName": "name",
        "Try": "body handlers orelse finalbody",
        "TryStar": "body handlers orelse finalbody",
        "ExceptHandler": "type body",
        "ExceptStarHandler": "type body",
        "Finally": "body",
        "FunctionDef": "decorators type_parameters params returns body",
        "ClassDef": "decorators type_parameters bases keywords body",
        "Decorator": "decorator",
        "TypeParameters": "params",
        "TypeParam": "param default",
        "TypeVar": "bound",
        "Match": "subject cases",
        "MatchCase": "pattern guard body",
        "MatchValue": "value",
        "MatchList": "patterns",
        "MatchTuple": "patterns",
        "MatchSequenceElement": "value",
        "MatchMapping": "elements",
        "MatchMappingElement": "key pattern",
        "MatchClass": "cls patterns kwds",
        "MatchKeywordElement": "pattern",
        "MatchAs": "pattern",
        "MatchOr": "patterns",
        "MatchOrElement": "pattern",
        "IndentedBlock": "",
        "SimpleStatementSuite": "",
    }.items()
    if hasattr(cst, name)
}


@cache
def fields(kind: type) -> tuple[str, ...]:
    """The names of the fields of a libcst class."""
    return tuple(field.name for field in dataclasses.fields(kind))


def children(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """The direct children with the field that holds them, in no particular order."""
    for name in fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, cst.CSTNode):
                    yield name, item


def comments(node: cst.CSTNode, hidden: Container[cst.CSTNode] = ()) -> list[cst.Comment]:
    """The comments inside a node but not inside `hidden` ones, in source order but for a few odd spellings."""
    found: list[cst.Comment] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if top in hidden:
            continue
        if isinstance(top, cst.Comment):
            found.append(top)
        else:
            stack.extend(reversed([child for _, child in children(top)]))
    return found


def inside(parent: cst.CSTNode, field: str) -> bool:
    """Whether a child in this field stands between brackets of its parent, where line breaks are free."""
    own = _INSIDE.get(type(parent), frozenset())
    return field in own or "*" in own or bool(getattr(parent, "lpar", None))


# no line break can hide in these
_UNBROKEN = frozenset({cst.Name, cst.Integer, cst.Float, cst.SimpleString, cst.SimpleWhitespace, cst.LeftParen, cst.RightParen})


def breaks(node: cst.CSTNode) -> bool:
    """Whether an expression has a line break outside its own brackets, which needs parentheses around it."""
    kind = type(node)
    if kind in _UNBROKEN:
        return False
    if kind is cst.ParenthesizedWhitespace:
        return True
    return any(breaks(child) for field, child in children(node) if not inside(node, field))


def level(node: cst.CSTNode) -> int:
    """How tightly an expression binds, from 0 to PRIMARY."""
    return PRIMARY if getattr(node, "lpar", None) else _bare_level(node)


def _bare_level(node: cst.CSTNode) -> int:
    if isinstance(node, (cst.BinaryOperation, cst.BooleanOperation, cst.UnaryOperation)):
        return _OPERATORS[type(node.operator)]
    return _LEVELS.get(type(node), PRIMARY)


def required(parent: cst.CSTNode, field: str) -> int:
    """The level that an expression needs to stand in this field without parentheses."""
    if isinstance(parent, (cst.BinaryOperation, cst.BooleanOperation)):
        own = _OPERATORS[type(parent.operator)]
        if isinstance(parent.operator, cst.Power):
            return 15 if field == "left" else 13
        return own if field == "left" else own + 1
    if isinstance(parent, cst.UnaryOperation):
        return _OPERATORS[type(parent.operator)]
    return _REQUIRED.get((type(parent), field), 1)


def parenthesized(node: Any) -> Any:
    """The expression in one more pair of parentheses."""
    return node.with_changes(lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()])


def fitted(node: Any, parent: cst.CSTNode | None, field: str, bracketed: bool) -> Any:
    """The expression as it can stand in a field: parentheses are added where needed and dropped where they say nothing."""
    need = required(parent, field) if parent is not None else 0
    if isinstance(node, cst.GeneratorExp) and not node.lpar:
        return node if isinstance(parent, cst.Arg) else parenthesized(node)
    if isinstance(node, (cst.Integer, cst.Float)) and isinstance(parent, cst.Attribute) and not node.lpar:
        return parenthesized(node)
    if level(node) < need or not node.lpar and not bracketed and breaks(node):
        return parenthesized(node)
    if (
        len(node.lpar) == 1
        and _bare_level(node) >= max(need, 1)
        and not comments(node.lpar[0])
        and not comments(node.rpar[0])
    ):
        bare = node.with_changes(lpar=[], rpar=[])
        return node if breaks(bare) else bare
    return node
