"""What lies under a path: every file once, links never followed, environments and caches left out."""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torch2ms.project.errors import reason
from torch2ms.project.patterns import Patterns

MANIFEST = ".torch2ms.json"
# folders that hold no source of the project, whatever the configuration says
_NEVER = frozenset(
    ".git .hg .svn .bzr .jj __pycache__ .venv venv .tox .nox .eggs .mypy_cache .ruff_cache .pytest_cache .pytype "
    ".hypothesis .ipynb_checkpoints node_modules site-packages __pypackages__ .torch2ms".split()
)
_PYTHON = (".py", ".pyw", ".pyi")


class EntryKind(enum.Enum):
    """What a file is to the converter."""

    PYTHON = "python"
    NOTEBOOK = "notebook"
    MARKDOWN = "markdown"
    PROJECT = "project"  # a dependency file or launch script
    OTHER = "other"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or link: its place, its path relative to the root with `/`, and what it is."""

    path: Path
    rel: str
    kind: EntryKind


@dataclass(frozen=True, slots=True)
class Problem:
    """Something under the root that could not be taken as a file; `code` is a row of the table of codes."""

    rel: str
    code: str
    message: str


@dataclass(slots=True)
class Tree:
    """The files under a root, sorted by their relative path, and what could not be read."""

    root: Path
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def of(self, *kinds: EntryKind) -> Iterator[Entry]:
        """The entries of these kinds."""
        return (entry for entry in self.entries if entry.kind in kinds)


def discover(path: Path, patterns: Patterns | None = None, leave_out: tuple[Path, ...] = ()) -> Tree:
    """The files of a folder, or the one file; folders in `leave_out` (resolved) and former outputs are not entered."""
    patterns = patterns or Patterns()
    if not path.is_dir():
        tree = Tree(path.parent)
        tree.entries.append(Entry(path, path.name, kind_of(path)))
        return tree
    tree = Tree(path)
    _walk(path, "", tree, patterns, frozenset(leave_out))
    tree.entries.sort(key=lambda entry: entry.rel)
    return tree


def _walk(folder: Path, prefix: str, tree: Tree, patterns: Patterns, leave_out: frozenset[Path]) -> None:
    try:
        children = sorted(os.scandir(folder), key=lambda child: child.name)
    except OSError as error:
        tree.problems.append(
            Problem(prefix.rstrip("/") or ".", "T2M005", f"the folder cannot be read: {reason(error)}")
        )
        return
    for child in children:
        rel = prefix + child.name
        if child.is_symlink():
            _take_link(child, rel, tree, patterns)
        elif child.is_dir(follow_symlinks=False):
            if _enters(child, rel, patterns, leave_out):
                _walk(Path(child.path), rel + "/", tree, patterns, leave_out)
        elif not patterns.omits(rel):
            _take_file(child, rel, tree, patterns)


def _enters(child: os.DirEntry[str], rel: str, patterns: Patterns, leave_out: frozenset[Path]) -> bool:
    path = Path(child.path)
    return not (
        child.name in _NEVER
        or patterns.omits(rel, folder=True)
        or (leave_out and path.resolve() in leave_out)
        or (path / "pyvenv.cfg").exists()
        or (path / MANIFEST).exists()
    )


def _take_link(child: os.DirEntry[str], rel: str, tree: Tree, patterns: Patterns) -> None:
    if patterns.omits(rel):
        return
    path = Path(child.path)
    tree.entries.append(Entry(path, rel, EntryKind.LINK))
    if not path.exists():
        target = os.readlink(path)
        tree.problems.append(Problem(rel, "T2M008", f"the link leads nowhere: {target}"))


def _take_file(child: os.DirEntry[str], rel: str, tree: Tree, patterns: Patterns) -> None:
    if child.name.endswith(".tmp") and child.name.startswith(".torch2ms-"):
        return
    try:
        mode = child.stat(follow_symlinks=False).st_mode
    except OSError as error:
        tree.problems.append(Problem(rel, "T2M005", f"the file cannot be read: {reason(error)}"))
        return
    if not stat.S_ISREG(mode):
        tree.problems.append(Problem(rel, "T2M008", "left out: neither a file, a folder nor a link"))
        return
    path = Path(child.path)
    kind = kind_of(path, executable=bool(mode & 0o111)) if patterns.converts(rel) else EntryKind.OTHER
    tree.entries.append(Entry(path, rel, kind))


def kind_of(path: Path, executable: bool = False) -> EntryKind:
    """What a file is, by its name, or by its first line for executables without a suffix."""
    suffix = path.suffix.lower()
    if suffix in _PYTHON:
        return EntryKind.PYTHON
    if suffix == ".ipynb":
        return EntryKind.NOTEBOOK
    if suffix in (".md", ".markdown"):
        return EntryKind.MARKDOWN
    if not suffix and executable and _python_shebang(path):
        return EntryKind.PYTHON
    return EntryKind.OTHER


def _python_shebang(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first
