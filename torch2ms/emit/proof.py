"""Proves on the ast that an output is its source with the planned edits carried out, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from torch2ms.edits import Arg, CallEdit, Def, Item, Keep, New, Replace
from torch2ms.emit.index import Index
from torch2ms.emit.placeholders import SLOT, spelled

# a name of MindSpore or of the runtime; which one it is written under is not proved here
_REFERENCE = "_t2m_reference_"
_WITH_BLOCKS = (ast.ExceptHandler, ast.match_case)
_IGNORED = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_FIELDS: dict[type, tuple[str, ...]] = {}

# what has to stand at a place: a statement of the source, or one of a template with its parts and the items of its body
Expected = tuple[ast.stmt, Sequence[ast.expr] | None, Sequence[Item] | None, ast.stmt]


class Unproven(Exception):
    """The output holds something else than the source and its edits; `lineno` is the line of the source."""

    def __init__(self, node: ast.AST, message: str) -> None:
        super().__init__(message)
        self.lineno = getattr(node, "lineno", 1)


def prove(source: str, tree: ast.Module, index: Index, output: str, result: ast.Module) -> None:
    """Raises Unproven unless `result`, the tree of the output, is the tree of the source with the edits in it."""
    _Proof(source, index, output).opened(tree, result)


class _Proof:
    """Compares both trees from the top; where no edit is near, the texts are compared instead."""

    def __init__(self, source: str, index: Index, output: str) -> None:
        self._index = index
        self._before = source.encode(errors="surrogatepass").splitlines(keepends=True)
        self._after = output.encode(errors="surrogatepass").splitlines(keepends=True)
        # the nodes with an edit at or below them
        self._touched: set[ast.AST] = set()
        for table in (index.expressions, index.renames, index.dropped, index.in_strings):
            for node in table:
                self._touch(node)
        # inside f-strings nodes have no places that could be trusted
        self._formatted = 0

    def _touch(self, node: ast.AST | None) -> None:
        while node is not None and not isinstance(node, ast.stmt) and node not in self._touched:
            self._touched.add(node)
            node = self._index.parent(node)

    def opened(self, node: ast.AST, found: ast.AST) -> None:
        """A node without an edit of its own: the fields agree one by one."""
        if type(node) is not type(found):
            self._fail(node, found)
        inside = isinstance(node, ast.JoinedStr)
        self._formatted += inside
        for field in _fields(type(node)):
            self._field(node, field, getattr(node, field, None), getattr(found, field, None), found)
        self._formatted -= inside

    def _field(self, node: ast.AST, field: str, old: Any, new: Any, found: ast.AST) -> None:
        if isinstance(old, ast.AST):
            self._node(old, new)
        elif not isinstance(old, list):
            if self._index.renames.get(node, old) != new if field in ("name", "arg") else old != new:
                self._fail(node, found)
        elif field in ("body", "orelse", "finalbody"):
            self._block(node, old, new)
        else:
            left = [item for item in old if item not in self._index.dropped] if field == "decorator_list" else old
            self._paired(node, left, new)

    def _paired(self, node: ast.AST, old: Sequence[Any], new: Sequence[Any]) -> None:
        if len(old) != len(new):
            raise Unproven(node, f"a {type(node).__name__} has {len(new)} parts instead of {len(old)}")
        for one, other in zip(old, new):
            if isinstance(one, ast.AST):
                self._node(one, other)
            elif one != other:
                self._fail(node, other)

    def _node(self, node: ast.AST, found: Any) -> None:
        """An expression or another part of a statement, its own edit carried out."""
        if isinstance(node, _WITH_BLOCKS):
            self.opened(node, found)
        elif node not in self._touched:
            if not (self._same_text(node, found) or _equal(node, found)):
                self._fail(node, found)
        elif node in self._index.expressions:
            self._edited(self._index.expressions[node], node, found)
        elif node not in self._index.in_strings:
            self.opened(node, found)
        elif not isinstance(found, ast.Constant):
            self._fail(node, found)

    def _block(self, owner: ast.AST, stmts: Sequence[ast.stmt], found: Sequence[ast.stmt]) -> None:
        dirty = self._index.dirty
        if any(stmt in dirty for stmt in stmts):
            self._statements(owner, list(self._places(stmts)), found)
        elif not self._same_lines(stmts, found) and not _equal(stmts, found):
            self._uneven(owner, stmts, found)

    def _statements(self, owner: ast.AST, expected: Sequence[Expected], found: Sequence[ast.stmt]) -> None:
        if not expected and (not found or len(found) == 1 and isinstance(found[0], ast.Pass)):
            return
        if len(expected) != len(found):
            self._uneven(owner, [place[0] for place in expected], found)
        for (stmt, parts, body, anchor), other in zip(expected, found):
            if parts is None:
                self._statement(stmt, other)
            elif body is None:
                self._template(stmt, other, parts, anchor)
            else:
                self._definition(stmt, other, parts, body, anchor)

    def _statement(self, stmt: ast.stmt, found: ast.stmt) -> None:
        if stmt in self._index.dirty:
            self.opened(stmt, found)
        elif not self._same_lines([stmt], [found]) and not _equal(stmt, found):
            self._fail(stmt, found)

    def _definition(self, header: Any, found: Any, parts: Sequence[ast.expr], body: Sequence[Item], anchor: ast.stmt) -> None:
        if type(found) is not type(header):
            self._fail(anchor, found)
        for field in _fields(type(header)):
            if field != "body":
                self._template(getattr(header, field), getattr(found, field), parts, anchor)
        self._statements(anchor, list(self._items(body, anchor)), found.body)

    def _places(self, stmts: Iterable[ast.stmt]) -> Iterator[Expected]:
        """What has to stand in a block, one after the other."""
        index = self._index
        for stmt in stmts:
            if stmt not in index.dirty or not index.replaced(stmt):
                yield stmt, None, None, stmt
            elif stmt not in index.moved:
                yield from self._place(stmt)

    def _place(self, stmt: ast.stmt) -> Iterator[Expected]:
        index = self._index
        yield from self._items(index.before.get(stmt, ()), stmt)
        if stmt in index.wraps:
            yield from self._items(index.wraps[stmt].items, stmt)
        else:
            yield from self._own(stmt)
        yield from self._items(index.after.get(stmt, ()), stmt)

    def _own(self, stmt: ast.stmt) -> Iterator[Expected]:
        splice = self._index.splices.get(stmt)
        if splice is None:
            yield stmt, None, None, stmt
        else:
            yield from self._items(splice.items, stmt)

    def _items(self, items: Iterable[Item], anchor: ast.stmt) -> Iterator[Expected]:
        for item in items:
            match item:
                case New():
                    yield from ((stmt, item.parts, None, anchor) for stmt in _parsed(item.template))
                case Def():
                    lines = [*(f"@{decorator}" for decorator in item.decorators), f"def {item.header}: pass"]
                    yield _parsed("\n".join(lines))[0], item.parts, item.body, anchor
                case Keep(stmt):
                    yield from self._own(stmt) if stmt is anchor else self._place(stmt)

    def _edited(self, edit: Replace | CallEdit, node: ast.AST, found: Any) -> None:
        if isinstance(edit, Replace):
            self._template(_parsed(edit.template, "eval"), found, edit.parts, node)
            return
        if not isinstance(found, ast.Call):
            self._fail(node, found)
        func = edit.node.func
        if edit.func is None:
            self._node(func, found.func)
        else:
            parts = (func.value,) if isinstance(func, ast.Attribute) else ()
            self._template(_parsed(edit.func, "eval"), found.func, parts, node)
        if edit.args is None:
            self._paired(node, edit.node.args, found.args)
            self._paired(node, edit.node.keywords, found.keywords)
        else:
            self._arguments(edit.node, edit.args, found)

    def _arguments(self, node: ast.Call, args: Sequence[Arg], found: ast.Call) -> None:
        plain = [arg for arg in args if arg.keyword is None and arg.star != "**"]
        named = [arg for arg in args if arg.keyword is not None or arg.star == "**"]
        if len(plain) != len(found.args) or [arg.keyword for arg in named] != [k.arg for k in found.keywords]:
            raise Unproven(node, f"`{ast.unparse(found)}` has other arguments than were planned")
        for arg, value in zip([*plain, *named], [*found.args, *(keyword.value for keyword in found.keywords)]):
            wanted, starred = arg.value, arg.star == "*"
            if isinstance(wanted, ast.Starred):
                wanted, starred = wanted.value, True
            if starred != isinstance(value, ast.Starred):
                self._fail(node, value)
            value = value.value if isinstance(value, ast.Starred) else value
            if isinstance(wanted, str):
                self._template(_parsed(wanted, "eval"), value, (), node)
            else:
                self._node(wanted, value)

    def _template(self, template: Any, found: Any, parts: Sequence[ast.expr], own: ast.AST) -> None:
        """What a template became: its parts in its slots, anything that is a name where it names something of MindSpore."""
        if isinstance(template, ast.Name):
            slot = SLOT.fullmatch(template.id)
            if slot is not None:
                part = parts[int(slot[1])]
                self.opened(part, found) if part is own else self._node(part, found)
                return
            if template.id == _REFERENCE and isinstance(found, (ast.Name, ast.Attribute)):
                return
        if type(template) is not type(found):
            self._fail(own, found)
        if isinstance(template, ast.AST):
            for field in _fields(type(template)):
                self._template(getattr(template, field, None), getattr(found, field, None), parts, own)
        elif isinstance(template, list):
            if len(template) != len(found):
                self._fail(own, found)
            for one, other in zip(template, found):
                self._template(one, other, parts, own)
        elif template != found and not isinstance(template, str):
            # text may have been quoted anew, for an f-string around it
            self._fail(own, found)

    def _same_text(self, node: Any, found: Any) -> bool:
        """Whether two expressions are one and the same text on one line."""
        if self._formatted or type(node) is not type(found) or not isinstance(node, ast.expr):
            return False
        if node.lineno != node.end_lineno or found.lineno != found.end_lineno:
            return False
        old = self._before[node.lineno - 1][node.col_offset : node.end_col_offset]
        return old == self._after[found.lineno - 1][found.col_offset : found.end_col_offset]

    def _same_lines(self, stmts: Sequence[ast.stmt], found: Sequence[ast.stmt]) -> bool:
        """Whether runs of statements stand on the same lines at the same columns."""
        if not stmts or len(stmts) != len(found):
            return not stmts and not found
        first, last, one, other = stmts[0], stmts[-1], found[0], found[-1]
        if first.col_offset != one.col_offset or last.end_col_offset != other.end_col_offset:
            return False
        old = self._before[_first_line(first) - 1 : last.end_lineno]
        return old == self._after[_first_line(one) - 1 : other.end_lineno]

    def _uneven(self, owner: ast.AST, stmts: Sequence[ast.stmt], found: Sequence[ast.stmt]) -> NoReturn:
        lost = next((old for old, new in zip(stmts, found) if type(old) is not type(new)), owner)
        raise Unproven(lost, f"a block has {len(found)} statements instead of {len(stmts)}, or others than were planned")

    def _fail(self, node: ast.AST, found: Any) -> NoReturn:
        shown = ast.unparse(found) if isinstance(found, ast.AST) and not isinstance(found, ast.Module) else str(found)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        raise Unproven(node, f"the output has `{shown}` where a {type(node).__name__} was planned")


def _fields(kind: type) -> tuple[str, ...]:
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = tuple(f for f in getattr(kind, "_fields", ()) if f not in _IGNORED)
    return found


def _equal(node: Any, found: Any) -> bool:
    """Whether two trees say the same, wherever they stand."""
    kind = type(node)
    if kind is not type(found):
        return False
    if isinstance(node, list):
        return len(node) == len(found) and all(map(_equal, node, found))
    if isinstance(node, ast.AST):
        return all(_equal(getattr(node, field, None), getattr(found, field, None)) for field in _fields(kind))
    return bool(node == found)


def _first_line(stmt: ast.stmt) -> int:
    decorators = getattr(stmt, "decorator_list", ())
    return min(stmt.lineno, decorators[0].lineno) if decorators else stmt.lineno


@lru_cache(maxsize=4096)
def _parsed(template: str, mode: str = "exec") -> Any:
    """A template as a tree of its own."""
    tree: Any = ast.parse(spelled(template, lambda _: _REFERENCE).strip(), mode=mode)
    return tree.body
