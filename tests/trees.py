"""Checks that hold for the conversion of any tree of Python files; run as `python -m tests.trees PATH...`.

Every output parses and compiles, all comments survive, a second conversion changes nothing, lines change in proportion
to the converted sites, and no file makes the converter fail.
"""
from __future__ import annotations

import ast
import builtins
import difflib
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.tools import comments
from torch2ms.analysis.scopes import ScopeTable
from torch2ms.convert import convert_source
from torch2ms.edits import Result
from torch2ms.project.facts import Options, build_project_facts
from torch2ms.project.modules import module_names
from torch2ms.project.text import decode
from torch2ms.source import SourceFile


@dataclass
class Tally:
    """What became of a tree."""

    files: int = 0
    changed: int = 0
    sites: int = 0
    lines: int = 0
    provenance: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    loops: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    @property
    def lines_per_site(self) -> float:
        """Changed lines of the sources for each converted site."""
        return self.lines / self.sites if self.sites else 0.0


def changed_lines(before: str, after: str) -> int:
    """How many lines of the source are gone or different, or how many came in their place if that is more."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")


def unbound(text: str) -> set[str]:
    """The names that nothing in a source binds; empty where a star import may bind them."""
    table = ScopeTable(ast.parse(text))
    if any("*" in (alias.name for alias in stmt.names) for stmt, _ in table.imports):
        return set()
    # refused APIs stay in annotations as text that nobody evaluates
    quoted = {node for tree in table.annotations.values() for node in ast.walk(tree)}
    free = {n.id for n, scope in table.scope_of.items() if isinstance(n, ast.Name) and n not in quoted and scope.binder(n.id) is None}
    return {name for name in free if not hasattr(builtins, name)}


def read_tree(root: Path) -> dict[str, SourceFile]:
    """The decodable Python files below a folder, by relative path."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts):
            source = decode(path.read_bytes(), path.relative_to(root).as_posix())
            if isinstance(source, SourceFile):
                found[source.path] = source
    return found


def convert_tree(root: Path, options: Options | None = None) -> dict[str, Result]:
    """The conversion of all files below a folder as one project."""
    sources = read_tree(root)
    return convert_sources(sources, root, options)


def convert_sources(sources: dict[str, SourceFile], root: Path, options: Options | None = None) -> dict[str, Result]:
    """The conversion of files that know one another."""
    names = module_names(sources, root)
    trees = {}
    for path, source in sources.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trees[names[path]] = (path, ast.parse(source.text))
        except (SyntaxError, ValueError):
            continue
    project = build_project_facts(trees)
    return {path: convert_source(source.text, path, project, options) for path, source in sources.items()}


def check_result(result: Result, tally: Tally) -> None:
    """Adds one file to the tally, with everything that is wrong about it."""
    path, before, after = result.source.path, result.source.text, result.text
    tally.files += 1
    tally.codes.update(d.code for d in result.diagnostics)
    for diagnostic in result.diagnostics:
        if diagnostic.code.startswith("T2M9"):
            tally.failures.append(f"{path}:{diagnostic.span.line} {diagnostic.code} {diagnostic.message} [{diagnostic.help}]")
    tally.provenance.update(result.stats.sites)
    tally.loops.update(result.stats.loops)
    tally.refused.update(result.stats.refused)
    if not result.changed:
        return
    tally.changed += 1
    tally.sites += sum(result.stats.sites.values())
    tally.lines += changed_lines(before, after)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(after, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        tally.failures.append(f"{path}:{error.lineno} the output does not compile: {error.msg}")
        return
    free = unbound(after) - unbound(before)
    if free:
        tally.failures.append(f"{path}: nothing binds {sorted(free)}")
    lost = comments(before) - comments(after)
    if lost:
        tally.failures.append(f"{path}: lost comments {list(lost)[:3]}")


def check_tree(root: Path, options: Options | None = None) -> Tally:
    """Converts a tree twice and tallies what is wrong."""
    tally = Tally()
    results = convert_tree(root, options)
    for result in results.values():
        check_result(result, tally)
    outputs = {path: SourceFile(path, result.text) for path, result in results.items()}
    for path, again in convert_sources(outputs, root, options).items():
        if again.changed:
            diff = difflib.unified_diff(again.source.text.splitlines(), again.text.splitlines(), lineterm="", n=0)
            tally.failures.append(f"{path}: a second conversion changes " + " | ".join(list(diff)[3:7]))
    return tally


def main(paths: list[str]) -> int:
    """Prints a line for each tree and all failures."""
    bad = 0
    for path in paths:
        tally = check_tree(Path(path))
        print(f"{path}: {tally.files} files, {tally.changed} changed, {tally.sites} sites, {tally.lines_per_site:.2f} lines/site")
        print(f"  {dict(tally.provenance)} {dict(tally.codes.most_common())} {dict(tally.loops)}")
        print(f"  refused: {dict(tally.refused.most_common(25))}")
        for failure in tally.failures:
            print(f"  FAILED {failure}")
        bad += len(tally.failures)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
