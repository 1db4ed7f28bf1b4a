"""The import statements of a file: PyTorch's go, the new ones stand where the first of them stood."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torch2ms.edits import Insert, New, Replace, Splice
from torch2ms.emit.anchors import Anchor, Anchors, alias_of
from torch2ms.emit.naming import Naming

Import = tuple[str, str | None, str]
_WIDTH = 120


def import_edits(tree: ast.Module, anchors: Anchors, naming: Naming) -> Iterator[Splice | Insert | Replace]:
    """The edits that put the import statements right."""
    gone: set[ast.stmt] = set()
    everywhere = {item for anchor, items in naming.imports.items() if anchor.everywhere for item in items}
    edits: dict[ast.stmt, Splice] = {}
    by_stmt = {anchor.stmt: anchor for anchor in anchors.anchors.values()}
    for stmt in dict.fromkeys(binding.stmt for binding in anchors.bindings):
        anchor, left = by_stmt.get(stmt), _left(stmt, anchors)
        new: set[Import] = set()
        if anchor is not None:
            new = naming.imports.get(anchor, set()) - (set() if anchor.everywhere else everywhere)
            if not new and not everywhere and not left and _watched(anchor, anchors):
                new = {("mindspore", None, "mindspore")}
        items = [New(import_block(new))] if new else []
        items += [New(_statement(stmt, left))] if left else []
        if new or left != stmt.names:
            gone.update([] if items else [stmt])
            edits[stmt] = Splice(stmt, tuple(items))
    for block in {anchor.block for anchor in anchors.anchors.values() if isinstance(anchor.block, ast.Try)}:
        inner = _statements(block)
        if gone.issuperset(inner):
            edits = {stmt: edit for stmt, edit in edits.items() if stmt not in inner}
            edits[block] = Splice(block, ())
    yield from edits.values()
    yield from _exports(tree, anchors, naming)
    fresh = naming.imports.get(anchors.default) if anchors.default.stmt is None else None
    if fresh:
        yield _inserted(tree, import_block(fresh))


def _exports(tree: ast.Module, anchors: Anchors, naming: Naming) -> Iterator[Replace]:
    """`__all__` without the names that are gone."""
    gone = {b.local for b in anchors.bindings if b.scope is tree and alias_of(b) not in anchors.surviving}
    gone -= {local for items in naming.imports.values() for _, _, local in items}
    for stmt in tree.body:
        match stmt:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List() | ast.Tuple() as names):
                left = [n for n in names.elts if not (isinstance(n, ast.Constant) and n.value in gone)]
                if len(left) < len(names.elts):
                    yield Replace(names, f"[{', '.join(f'${i}' for i in range(len(left)))}]", tuple(left))


def import_block(items: Iterable[Import]) -> str:
    """Sorted import statements: `import x` first, then one `from` for each module."""
    plain = sorted({(module, local) for module, name, local in items if name is None})
    lines = [f"import {module}" if module == local else f"import {module} as {local}" for module, local in plain]
    modules: dict[str, set[str]] = {}
    for module, name, local in items:
        if name is not None:
            modules.setdefault(module, set()).add(name if name == local else f"{name} as {local}")
    return "\n".join([*lines, *(_from(module, sorted(names)) for module, names in sorted(modules.items()))])


def _from(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")"


def _left(stmt: ast.Import | ast.ImportFrom, anchors: Anchors) -> list[ast.alias]:
    gone = {alias_of(b) for b in anchors.bindings if b.stmt is stmt} - anchors.surviving
    return [alias for alias in stmt.names if alias not in gone]


def _statement(stmt: ast.Import | ast.ImportFrom, left: list[ast.alias]) -> str:
    names = ", ".join(alias.name + (f" as {alias.asname}" if alias.asname else "") for alias in left)
    if isinstance(stmt, ast.Import):
        return f"import {names}"
    return f"from {'.' * stmt.level}{stmt.module or ''} import {names}"


def _statements(block: ast.Try) -> list[ast.stmt]:
    return [*block.body, *(stmt for handler in block.handlers for stmt in handler.body), *block.orelse, *block.finalbody]


def _watched(anchor: Anchor, anchors: Anchors) -> bool:
    """Whether the import was there to find out if the package is installed, and something is done about it."""
    block = anchor.block
    if not isinstance(block, ast.Try) or anchor.stmt not in block.body:
        return False
    return not {binding.stmt for binding in anchors.bindings}.issuperset(_statements(block))


def _inserted(tree: ast.Module, block: str) -> Insert:
    """The imports in a file that had none of PyTorch's: after the imports at its top, or after its docstring."""
    last: ast.stmt | None = None
    for stmt in tree.body:
        is_text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant) and isinstance(stmt.value.value, str)
        if isinstance(stmt, (ast.Import, ast.ImportFrom)) or is_text and last is None:
            last = stmt
        else:
            break
    if last is None:
        return Insert(tree.body[0], "before", (New(block),))
    return Insert(last, "after", (New(block),))
