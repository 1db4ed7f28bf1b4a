"""The rows that `rules` of the configuration names: read as text, never imported, so that no code of the user's runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from torch2ms.analysis.canonical import is_torch
from torch2ms.project.config import Config
from torch2ms.project.errors import UsageProblem, did_you_mean, reason

if TYPE_CHECKING:
    from torch2ms.rules import Api

GROUP = "torch2ms.rules"
_Row = tuple[int, tuple[str, str | None, str]]
_FORM = 'ROWS must be a list of Api("torch.name(...)", "mint.name(...)") with literal strings'


def own_rules(config: Config) -> tuple[Api, ...]:
    """The checked rows of all files and packages, in their order; UsageProblem names the row that cannot be used."""
    if not config.rules:
        return ()
    from torch2ms.rules import Api
    from torch2ms.rules.own import check

    found: dict[str, tuple[Api, str]] = {}
    for entry in config.rules:
        path = _path(entry, config)
        rows, imported = _read(path)
        for line, values in rows:
            place = f"{path}:{line}"
            row = Api(*values)
            try:
                check(row, imported)
            except ValueError as error:
                raise UsageProblem(f"{place}: the row of {row.torch!r} cannot be used: {error}") from None
            if row.name in found:
                raise UsageProblem(f"{place}: there are two rows for {row.name}, the other at {found[row.name][1]}")
            found[row.name] = row, place
    return tuple(row for row, _ in found.values())


def own_packages(rows: Iterable[Api]) -> frozenset[str]:
    """The packages besides PyTorch whose names checked rows convert."""
    return frozenset(row.name.partition(".")[0] for row in rows if not is_torch(row.name))


def _path(entry: str, config: Config) -> Path:
    if entry.endswith(".py"):
        return (config.source.parent if config.source else Path()) / entry
    from importlib.metadata import entry_points

    known = {point.name: point for point in entry_points(group=GROUP)}
    if entry not in known:
        help = f"rules are files that end in .py, or names of the entry point group {GROUP}"
        raise UsageProblem(f"no installed package has the rules {entry!r}{did_you_mean(entry, known)}", help)
    point = known[entry]
    stem = point.module.replace(".", "/")
    for name in (f"{stem}.py", f"{stem}/__init__.py"):
        path = Path(str(point.dist.locate_file(name))) if point.dist is not None else Path(name)
        if path.is_file():
            return path
    raise UsageProblem(f"the rules {entry!r} are in {point.module}, which is not among the files of its package")


def _read(path: Path) -> tuple[list[_Row], frozenset[str]]:
    """(line, arguments) of each `Api(...)` in the list ROWS of a file, and the packages that the file imports."""
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageProblem(f"{path}: the rules cannot be read: {reason(error)}") from None
    except (SyntaxError, ValueError) as error:
        raise UsageProblem(f"{path}: the rules are not valid Python: {error}") from None
    return _rows(tree, path), frozenset(_imported(tree)) - {"torch2ms"}


def _rows(tree: ast.Module, path: Path) -> list[_Row]:
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id="ROWS")], value=value)
                | ast.AnnAssign(target=ast.Name(id="ROWS"), value=ast.expr() as value)
            ):
                if isinstance(value, (ast.List, ast.Tuple)):
                    return [(item.lineno, _literals(item, path)) for item in value.elts]
                raise UsageProblem(f"{path}:{value.lineno}: {_FORM}")
    raise UsageProblem(f"{path}: there is no ROWS", _FORM)


def _imported(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            yield (statement.module or "").partition(".")[0]


def _literals(item: ast.expr, path: Path) -> tuple[str, str | None, str]:
    match item:
        case ast.Call(func=ast.Name(id="Api") | ast.Attribute(attr="Api"), args=args, keywords=[]):
            # what is no literal counts as a value that no place takes
            values = [argument.value if isinstance(argument, ast.Constant) else ... for argument in args]
            match values:
                case [str(left), (str() | None) as right]:
                    return left, right, ""
                case [str(left), (str() | None) as right, str(note)]:
                    return left, right, note
    raise UsageProblem(f"{path}:{item.lineno}: the row {ast.unparse(item)} is not read", _FORM)
