"""The expressions of a statement in both trees, joined in source order."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from torch2ms.analysis.nodes import children
from torch2ms.emit.sites import JoinError

# the ast class of each libcst expression; for Name and strings the node decides
_KINDS: dict[type, type] = {
    cst.Call: ast.Call,
    cst.Attribute: ast.Attribute,
    cst.Name: ast.Name,
    cst.BinaryOperation: ast.BinOp,
    cst.UnaryOperation: ast.UnaryOp,
    cst.Comparison: ast.Compare,
    cst.BooleanOperation: ast.BoolOp,
    cst.Subscript: ast.Subscript,
    cst.IfExp: ast.IfExp,
    cst.Lambda: ast.Lambda,
    cst.List: ast.List,
    cst.Set: ast.Set,
    cst.Dict: ast.Dict,
    cst.ListComp: ast.ListComp,
    cst.SetComp: ast.SetComp,
    cst.DictComp: ast.DictComp,
    cst.GeneratorExp: ast.GeneratorExp,
    cst.Await: ast.Await,
    cst.NamedExpr: ast.NamedExpr,
    cst.Tuple: ast.Tuple,
    cst.Integer: ast.Constant,
    cst.Float: ast.Constant,
    cst.Imaginary: ast.Constant,
    cst.Ellipsis: ast.Constant,
    cst.SimpleString: ast.Constant,
    cst.ConcatenatedString: ast.Constant,
    cst.FormattedString: ast.JoinedStr,
    cst.Yield: ast.Yield,
}
_CONSTANT_NAMES = {"True", "False", "None"}


def _ordered_arguments(args: ast.arguments) -> Iterator[ast.AST | None]:
    plain = [*args.posonlyargs, *args.args]
    defaults = [*[None] * (len(plain) - len(args.defaults)), *args.defaults]
    for arg, default in zip(plain, defaults):
        yield from (arg.annotation, default)
    if args.vararg:
        yield args.vararg.annotation
    for arg, default in zip(args.kwonlyargs, args.kw_defaults):
        yield from (arg.annotation, default)
    if args.kwarg:
        yield args.kwarg.annotation


def call_arguments(call: ast.Call | ast.ClassDef) -> list[Any]:
    """Positional arguments (or bases) and keywords of a call in source order."""
    positional = call.bases if isinstance(call, ast.ClassDef) else call.args
    if not call.keywords or not any(isinstance(arg, ast.Starred) for arg in positional):
        return [*positional, *call.keywords]
    return sorted([*positional, *call.keywords], key=lambda node: (node.lineno, node.col_offset))


def _children(node: Any) -> Iterable[ast.AST | None]:
    """The child nodes of an expression or of a statement's header, in source order."""
    match node:
        case ast.Call():
            return [node.func, *call_arguments(node)]
        case ast.IfExp():
            return [node.body, node.test, node.orelse]
        case ast.Dict():
            return [part for pair in zip(node.keys, node.values) for part in pair]
        case ast.Lambda():
            return [*_ordered_arguments(node.args), node.body]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [
                *node.decorator_list,
                *getattr(node, "type_params", []),
                *_ordered_arguments(node.args),
                node.returns,
            ]
        case ast.ClassDef():
            return [*node.decorator_list, *getattr(node, "type_params", []), *call_arguments(node)]
        case ast.MatchMapping():
            return [part for pair in zip(node.keys, node.patterns) for part in pair]
    return children(node)


def expressions(stmt: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement's own expressions, outer before inner, in source order; statements inside it are left out."""
    stack: list[Any] = [*reversed([child for child in _children(stmt) if child is not None])]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            continue
        if isinstance(node, (ast.ExceptHandler, ast.match_case)):
            stack.extend(child for child in reversed(list(children(node))) if not isinstance(child, ast.stmt))
            continue
        yield node
        inner: Iterable[ast.AST | None]
        if isinstance(node, ast.JoinedStr):
            # literal pieces and the format specification are no nodes of their own in libcst
            inner = _formatted(node)
        else:
            inner = _children(node)
        stack.extend(reversed([child for child in inner if child is not None]))


def _formatted(node: ast.JoinedStr) -> list[ast.AST]:
    found: list[ast.AST] = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            found.append(value.value)
            if isinstance(value.format_spec, ast.JoinedStr):
                found += _formatted(value.format_spec)
    return found


class Frame:
    """The expressions of one statement that is being visited, handed out kind by kind."""

    def __init__(self, stmt: ast.stmt, kinds: frozenset[type]) -> None:
        self.stmt = stmt
        self.kinds = kinds
        # whether the statement, without blocks inside it, takes more than one line
        self.several_lines = True
        self._todo: dict[type, list[ast.AST]] = {kind: [] for kind in kinds}
        self._skip: set[cst.CSTNode | None] = set()
        self._subscripts: list[ast.Subscript] = []
        if kinds:
            self._collect()

    def _collect(self) -> None:
        for node in expressions(self.stmt):
            kind = ast.Yield if type(node) is ast.YieldFrom else type(node)
            if kind in self.kinds:
                self._todo[kind].append(node)
            if isinstance(node, ast.Subscript):
                self._subscripts.append(node)
        for queue in self._todo.values():
            queue.reverse()
        self._subscripts.reverse()

    def join(self, node: Any) -> ast.AST | None:
        """The ast node of a libcst node that is entered now; None where ast has none or nobody asks for its kind."""
        cls: type = type(node)
        kind = _KINDS.get(cls)
        if kind is None:
            return None
        if cls in _SPECIAL:
            kind = self._special(node, kind)
        if kind not in self.kinds or node in self._skip:
            return None
        queue = self._todo[kind]
        if not queue:
            raise JoinError(f"more {kind.__name__} nodes in libcst than in ast")
        found = queue.pop()
        if kind in _SPELLED and _spelling(found) != _spelling(node):
            raise JoinError(f"{_spelling(found)} in ast is {_spelling(node)} in libcst")
        return found

    def check(self) -> None:
        """Raises where ast has nodes that libcst did not show."""
        for kind, queue in self._todo.items():
            if queue:
                raise JoinError(f"{len(queue)} more {kind.__name__} nodes in ast than in libcst")

    def _special(self, node: Any, kind: type) -> type:
        """The kind of a node whose class does not say it; marks the nodes inside it that ast does not have."""
        match node:
            case cst.Name():
                return ast.Constant if node.value in _CONSTANT_NAMES else kind
            case cst.BooleanOperation(left=cst.BooleanOperation() as left):
                if type(left.operator) is type(node.operator) and not left.lpar:
                    self._skip.add(left)
            case cst.ConcatenatedString():
                return self._concatenated(node)
            case cst.Subscript():
                self._index(node)
        return kind

    def _concatenated(self, node: cst.ConcatenatedString) -> type:
        """One ast node for all the pieces."""
        kind: type = ast.Constant
        if node in self._skip:
            return kind
        stack: list[Any] = [node.left, node.right]
        while stack:
            piece = stack.pop()
            self._skip.add(piece)
            if isinstance(piece, cst.ConcatenatedString):
                stack += [piece.left, piece.right]
            elif isinstance(piece, cst.FormattedString):
                kind = ast.JoinedStr
        return kind

    def _index(self, node: cst.Subscript) -> None:
        """`x[a, b]` has a Tuple in ast that libcst spells as several elements."""
        if ast.Tuple in self.kinds:
            subscript = self._subscripts.pop()
            if len(node.slice) > 1 or isinstance(node.slice[0].comma, cst.Comma):
                self._todo[ast.Tuple].remove(subscript.slice)


_SPECIAL = frozenset({cst.Name, cst.BooleanOperation, cst.ConcatenatedString, cst.Subscript})
_SPELLED = frozenset({ast.Name, ast.Attribute})


def _spelling(node: Any) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case cst.Attribute():
            return str(node.attr.value)
    return str(node.value)
