"""What import statements bring into a file."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch2ms.analysis.canonical import canonical

if TYPE_CHECKING:
    from torch2ms.analysis.names import Names


@dataclass(frozen=True, slots=True)
class ImportBinding:
    """One name brought in by one import statement; `target` is what `local` refers to, `module` what was imported."""

    stmt: ast.Import | ast.ImportFrom
    index: int  # position of the alias in the statement
    local: str  # "*" for a star import
    target: str
    module: str
    scope: ast.AST  # the module, class or function whose namespace gets the name
    guarded: bool  # inside a try, an if or a function
    star: bool


def import_source(names: Names, stmt: ast.ImportFrom) -> str:
    """The module that `from module import ...` reads, relative imports resolved."""
    if not stmt.level:
        return names.absolute(stmt.module or "")
    package = names.module.split(".") if names.module else []
    up = stmt.level - (1 if names.is_package else 0)
    if up > len(package):
        return "." * stmt.level + (stmt.module or "")
    base = package[: len(package) - up]
    return ".".join([*base, *([stmt.module] if stmt.module else [])])


def imported_name(names: Names, stmt: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The dotted name that the local name of an alias stands for."""
    if isinstance(stmt, ast.ImportFrom):
        source = import_source(names, stmt)
        return f"{source}{'' if source.endswith('.') else '.'}{alias.name}" if source else alias.name
    whole = names.absolute(alias.name)
    if alias.asname:
        return whole
    extra = alias.name.count(".")
    return whole.rsplit(".", extra)[0] if extra else whole


def local_name(stmt: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The name that an alias binds; "*" for a star import."""
    if alias.asname or alias.name == "*":
        return alias.asname or "*"
    return alias.name.partition(".")[0] if isinstance(stmt, ast.Import) else alias.name


def read_imports(names: Names) -> Iterator[ImportBinding]:
    """Every binding of every import statement of a file, in source order."""
    for stmt, scope in names.table.imports:
        guarded = names.parents.get(stmt) is not names.tree
        for index, alias in enumerate(stmt.names):
            star = alias.name == "*"
            if isinstance(stmt, ast.ImportFrom):
                module = import_source(names, stmt)
                target = module if star else imported_name(names, stmt, alias)
            else:
                module, target = names.absolute(alias.name), imported_name(names, stmt, alias)
            local, resolved = local_name(stmt, alias), names.resolve(target)
            yield ImportBinding(stmt, index, local, resolved, canonical(module), scope.node, guarded, star)
