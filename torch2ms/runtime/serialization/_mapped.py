"""Large pieces of files, mapped into memory, and their bytes copied without the mapping becoming resident.

A page of a mapping counts as resident memory once it was read, so a state dict that is copied into a model would be
resident twice. Pages that nobody wrote to are those of the file: they are read from the file instead.
"""

from __future__ import annotations

import functools
import mmap
import os
import weakref

import numpy as np

# A mapping holds a file descriptor of its own, of which a process has about a thousand: tensors share mappings.
_LEAST, _PARTS = 64 << 20, 16
# https://docs.kernel.org/admin-guide/mm/pagemap.html
_PAGEMAP = "/proc/self/pagemap"
_PRESENT, _SWAPPED, _OF_A_FILE = (np.uint64(1 << bit) for bit in (63, 62, 61))


class MappedFile:
    """An open file; it is closed when neither the owner nor a mapping refers to it."""

    def __init__(self, descriptor: int, size: int) -> None:
        self.descriptor = descriptor
        self.size = size
        self._windows: list[weakref.ref[_Window]] = []
        # at the end of the process the system closes it, after the last use
        weakref.finalize(self, os.close, descriptor).atexit = False

    def window(self, start: int, count: int) -> _Window:
        """Return a mapping that holds these bytes, which must be in the file."""
        for reference in self._windows:
            found = reference()
            if found is not None and found.start <= start and start + count <= found.start + len(found):
                return found
        start -= start % mmap.ALLOCATIONGRANULARITY
        length = min(max(count + mmap.ALLOCATIONGRANULARITY, _LEAST, self.size // _PARTS), self.size - start)
        made = _Window(self.descriptor, length, access=mmap.ACCESS_COPY, offset=start)
        made.file, made.start, made.address = self, start, np.frombuffer(made, np.uint8).ctypes.data
        self._windows.append(weakref.ref(made))
        _all[:] = [reference for reference in _all if reference() is not None] + [weakref.ref(made)]
        return made


class _Window(mmap.mmap):
    """A piece of a file; writing to it does not change the file."""

    file: MappedFile
    start: int
    address: int

    def array(self, start: int, count: int) -> np.ndarray:
        """Return bytes by their place in the file. The mapping lives as long as the array."""
        return np.frombuffer(self, np.uint8, count, start - self.start)


_all: list[weakref.ref[_Window]] = []


def read_again(array: np.ndarray, into: np.ndarray) -> bool:
    """Copy an array from the file that it is mapped from; False, and no promise of content, where that cannot be done.

    Both are contiguous and equally large. It cannot be done where the array is no part of a mapping, where its pages were
    written to, and where the system does not tell.
    """
    address, count = array.ctypes.data, array.nbytes
    for reference in tuple(_all):
        window = reference()
        if window is not None and window.address <= address and address + count <= window.address + len(window):
            place = window.start + address - window.address
            return _is_untouched(address, count) and _read(window.file.descriptor, place, into)
    return False


def _read(descriptor: int, start: int, into: np.ndarray) -> bool:
    view, done = memoryview(into.reshape(-1).view(np.uint8)), 0
    while done < len(view):
        got = os.preadv(descriptor, [view[done:]], start + done)
        if got == 0:
            return False
        done += got
    return True


def _is_untouched(address: int, count: int) -> bool:
    """Return whether all pages are still those of a file, or not in memory at all."""
    if not _tells_written_pages():
        return False
    pages = _pages(address, count)
    return not np.any((pages & _SWAPPED) | ((pages & _PRESENT) & ~((pages & _OF_A_FILE) << np.uint64(2))))


def _pages(address: int, count: int) -> np.ndarray:
    """Return what the system says about the pages of a range; raises OSError where it says nothing."""
    first, last = address // mmap.PAGESIZE, (address + max(count, 1) - 1) // mmap.PAGESIZE
    descriptor = os.open(_PAGEMAP, os.O_RDONLY)
    try:
        data = os.pread(descriptor, 8 * (last - first + 1), 8 * first)
    finally:
        os.close(descriptor)
    if len(data) != 8 * (last - first + 1):
        raise OSError(f"{_PAGEMAP} is cut off")
    return np.frombuffer(data, np.uint64)


@functools.cache
def _tells_written_pages() -> bool:
    """Return whether the system shows that a page was written to: not all do, and a page of its own is the proof."""
    page = mmap.mmap(-1, mmap.PAGESIZE, access=mmap.ACCESS_COPY)
    page[:1] = b"\1"
    try:
        pages = _pages(np.frombuffer(page, np.uint8).ctypes.data, mmap.PAGESIZE)
    except OSError:
        return False
    return bool(pages[0] & _PRESENT and not pages[0] & _OF_A_FILE)
