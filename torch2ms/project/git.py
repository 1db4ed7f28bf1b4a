"""Which files git says are staged or changed, by asking git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from torch2ms.project.errors import UsageProblem

_KINDS = (".py", ".pyw", ".pyi", ".ipynb")


def changed_files(below: Iterable[Path], since: str | None) -> tuple[Path, ...]:
    """Python files and notebooks under the paths that are staged, or (with `since`) changed since that revision."""
    below = list(below)
    _check_repository(below[0])
    what = ["--cached"] if since is None else [_revision(since, below[0])]
    output = _git(["diff", "--name-only", "-z", "--diff-filter=ACMR", "--relative", *what, "--"], below[0])
    folder = _folder(below[0])
    paths = [folder / name.decode("utf-8", "surrogateescape") for name in output.split(b"\0") if name]
    wanted = [path.resolve() for path in below]
    found = [
        path
        for path in paths
        if path.suffix in _KINDS and path.is_file() and any(path.resolve().is_relative_to(w) for w in wanted)
    ]
    return tuple(found)


def current_branch(near: Path) -> str | None:
    """The branch that is checked out; None outside a repository or on no branch."""
    try:
        name = _git(["symbolic-ref", "--short", "-q", "HEAD"], near).decode().strip()
    except UsageProblem:
        return None
    return name or None


def _check_repository(near: Path) -> None:
    try:
        _git(["rev-parse", "--git-dir"], near)
    except UsageProblem as problem:
        if str(problem).startswith("fatal: not a git repository"):
            raise UsageProblem(f"{_folder(near).resolve()} is in no git repository") from None
        raise


def _revision(name: str, near: Path) -> str:
    # a name that begins with a dash must not become an option of git
    return _git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"], near).decode().strip()


def _git(arguments: list[str], near: Path) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=_folder(near), capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageProblem("git is not installed") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageProblem(said[0] if said else f"git does not know {arguments[-1].removesuffix('^{commit}')!r}")
    return done.stdout


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
