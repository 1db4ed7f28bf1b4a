"""Files that are either written completely or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any


@contextmanager
def writing(file: Any) -> Iterator[IO[bytes]]:
    """Give a file to write to. A path gets its new content at the end of the block, an exception leaves it alone."""
    if not isinstance(file, (str, bytes, os.PathLike)):
        yield file
        return
    # through a symbolic link the file that it names is written
    path = os.path.realpath(os.fsdecode(os.fspath(file)))
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "wb") as special:
            yield special
        return
    descriptor, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as new:
            yield new
            new.flush()
            os.fsync(new.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
