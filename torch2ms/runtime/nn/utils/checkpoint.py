"""torch.utils.checkpoint: what is computed inside keeps its activations here, as MindSpore's recompute needs a graph.

The values and gradients are PyTorch's, the memory is not saved. PyTorch runs the function a second time in the backward
pass, which moves running statistics twice: there a call is refused.
https://docs.pytorch.org/docs/stable/checkpoint.html
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mindspore.nn import Cell

from ... import _backend


def checkpoint(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a function once; its activations stay.

    Raises:
        NotImplementedError: gradients are recorded and a cell of it keeps running statistics.
    """
    if _backend.is_recording() and any(_moves_statistics(cell) for cell in _cells(function)):
        raise NotImplementedError(
            "torch.utils.checkpoint of a function with running statistics: PyTorch moves them a second time in the "
            "backward pass; call the function itself"
        )
    return function(*args, **kwargs)


def checkpoint_sequential(functions: Cell | Sequence[Callable[..., Any]], segments: int, input: Any) -> Any:
    """Run functions one after another, each on what the one before gives."""
    for function in functions:
        input = checkpoint(function, input)
    return input


def _cells(function: Any) -> Iterator[Cell]:
    """The cells that a function is, is bound to, or closes over."""
    held = [function, getattr(function, "__self__", None)]
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # a name that the function around has not bound yet
            held.append(cell.cell_contents)
    for one in held:
        if isinstance(one, Cell):
            yield from (cell for _, cell in one.cells_and_names())


def _moves_statistics(cell: Cell) -> bool:
    return bool(cell.training and _backend.statistics_names(cell) and getattr(cell, "track_running_stats", True))
