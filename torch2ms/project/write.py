"""Writing that leaves either the old or the new file, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

PREFIX = ".torch2ms-"
SUFFIX = ".tmp"


def write_atomic(path: Path, data: bytes, mode_of: Path | None = None) -> None:
    """Puts `data` at `path` in one step, with the permissions of `mode_of` (default: of the file it replaces)."""
    handle, name = tempfile.mkstemp(PREFIX, SUFFIX, path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        _copy_mode(mode_of or path, temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def copy_atomic(source: Path, path: Path) -> None:
    """A copy of `source` at `path` with its permissions and times, in one step."""
    handle, name = tempfile.mkstemp(PREFIX, SUFFIX, path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        shutil.copyfile(source, temporary)
        shutil.copystat(source, temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def link_atomic(link: Path, path: Path) -> None:
    """A link at `path` to what `link` leads to: relative targets inside stay, others are kept reachable."""
    target = os.readlink(link)
    temporary = path.parent / f"{PREFIX}{path.name}{SUFFIX}"
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    os.symlink(target, temporary)
    os.replace(temporary, path)


def _copy_mode(source: Path, path: Path) -> None:
    try:
        mode = stat.S_IMODE(source.stat().st_mode)
    except FileNotFoundError:
        # mkstemp makes files that only their owner reads; new files get what the user's umask says
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    os.chmod(path, mode | stat.S_IWUSR if os.name == "nt" else mode)
