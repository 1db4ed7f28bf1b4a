"""Counterpart of torch.nn: what mindspore.mint.nn lacks, and Cell with PyTorch's module semantics."""

from .cell import Cell
from .containers import CellDict, CellList, SequentialCell
from .listing import (
    buffers,
    children,
    get_buffer,
    get_parameter,
    get_submodule,
    modules,
    named_buffers,
    named_children,
    named_modules,
    named_parameters,
    parameters,
)
from .parameter_containers import ParameterDict, ParameterList

__all__ = [
    "Cell",
    "CellDict",
    "CellList",
    "ParameterDict",
    "ParameterList",
    "SequentialCell",
    "buffers",
    "children",
    "get_buffer",
    "get_parameter",
    "get_submodule",
    "modules",
    "named_buffers",
    "named_children",
    "named_modules",
    "named_parameters",
    "parameters",
]
