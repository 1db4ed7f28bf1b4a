"""What a run reads: the files to convert, and the files around them that the project facts need."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from torch2ms.project.discover import Entry, EntryKind, Problem, Tree, discover, kind_of
from torch2ms.project.errors import UsageProblem, reason
from torch2ms.project.manifests import changer
from torch2ms.project.patterns import Patterns

_ROOT_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(slots=True)
class Sources:
    """The root that paths are relative to, the bytes of every file of the run, and which of them are converted."""

    root: Path
    tree: Tree
    convert: list[Entry] = field(default_factory=list)
    data: dict[str, bytes] = field(default_factory=dict)
    around: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    named: frozenset[str] = frozenset()  # files the user named: they are reported on even where they hold no PyTorch


def gather_folder(
    folder: Path, patterns: Patterns, kinds: tuple[EntryKind, ...], leave_out: tuple[Path, ...] = ()
) -> Sources:
    """Everything under a folder."""
    tree = discover(folder, patterns, leave_out)
    sources = Sources(folder, tree, problems=list(tree.problems))
    for entry in tree.of(*kinds):
        _read(entry, sources)
    return sources


def gather_files(paths: Iterable[Path]) -> Sources:
    """The given files, and around them every module of their project that they import, directly or not."""
    paths = [path.resolve() for path in paths]
    root = _common_root(paths)
    sources = Sources(root, Tree(root))
    for path in paths:
        kind = kind_of(path, executable=True)
        rel = path.relative_to(root).as_posix()
        if kind is EntryKind.OTHER and changer(rel) is not None:
            raise UsageProblem(f"{path.name} is no Python file", "it changes along with the code of the folder that holds it")
        entry = Entry(path, rel, EntryKind.PYTHON if kind is EntryKind.OTHER else kind)
        sources.tree.entries.append(entry)
        _read(entry, sources)
    sources.named = frozenset(entry.rel for entry in sources.tree.entries)
    _add_imported(sources)
    return sources


def _read(entry: Entry, sources: Sources) -> None:
    try:
        sources.data[entry.rel] = entry.path.read_bytes()
    except OSError as error:
        sources.problems.append(Problem(entry.rel, "T2M005", f"the file cannot be read: {reason(error)}"))
        return
    sources.convert.append(entry)


def _common_root(paths: list[Path]) -> Path:
    roots = [_project_root(path.parent) for path in paths]
    common = roots[0]
    for root in roots[1:]:
        while not root.is_relative_to(common):
            common = common.parent
    return common


def _project_root(folder: Path) -> Path:
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in _ROOT_MARKS):
            return candidate
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _add_imported(sources: Sources) -> None:
    waiting = [entry for entry in sources.convert if entry.kind is EntryKind.PYTHON]
    seen = set(sources.data)
    while waiting:
        entry = waiting.pop()
        data = sources.data.get(entry.rel) or sources.around.get(entry.rel, b"")
        for path in _imported_paths(data, entry.path.parent, sources.root):
            rel = path.relative_to(sources.root).as_posix()
            if rel in seen:
                continue
            seen.add(rel)
            try:
                sources.around[rel] = path.read_bytes()
            except OSError:
                continue
            waiting.append(Entry(path, rel, EntryKind.PYTHON))


def _imported_paths(data: bytes, folder: Path, root: Path) -> Iterable[Path]:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    above = [folder, *(parent for parent in folder.parents if parent.is_relative_to(root))]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bases, dotted = above, [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            bases = above[node.level - 1 : node.level] if node.level else above
            module = node.module or ""
            dotted = [module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)]
        else:
            continue
        for name in filter(None, dotted):
            yield from _module_paths(name, bases)


def _module_paths(name: str, bases: Iterable[Path]) -> Iterable[Path]:
    parts = name.split(".")
    for base in bases:
        if not ((base / parts[0]).is_dir() or (base / f"{parts[0]}.py").is_file()):
            continue
        for length in range(1, len(parts) + 1):
            path = base.joinpath(*parts[:length])
            for candidate in (path / "__init__.py", path.with_name(path.name + ".py")):
                if candidate.is_file() and not candidate.is_symlink():
                    yield candidate
        return
