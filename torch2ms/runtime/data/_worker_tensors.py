"""Tensors in a forked worker: operations are computed with numpy, because MindSpore's would wait for ever."""

from __future__ import annotations


class OperationInWorker(RuntimeError):
    """A MindSpore operation was called in a forked process."""


def install() -> None:
    """Make this process compute with numpy."""
