"""One row of the tables: what a PyTorch API becomes, and the row compiled for use."""
from __future__ import annotations

import ast
from functools import cache
from typing import NamedTuple

from torch2ms.rules.signature import Signature, parse_signature
from torch2ms.rules.target import Target, parse_target


class Api(NamedTuple):  # a tuple, because three thousand of them are made when the tables are loaded
    """A mapping: PyTorch's signature as its manual prints it, and the call as a MindSpore author would write it.

    `mindspore` is None where there is no counterpart; `note` then is the advice that the user gets.
    A method's signature begins with `self`, and its receiver is `self` on the right, too.
    A name on the right that is no parameter must be a key of ROOTS; an argument that is more than a parameter's
    name is always written, with PyTorch's defaults filled in. `(tensor := input)` is a positional argument that
    MindSpore calls `tensor`, `(_ := input)` one that it takes by position only,
    `+dim` an argument that is written even where PyTorch's default holds, because MindSpore has another.
    """

    torch: str
    mindspore: str | None
    note: str = ""

    @property
    def name(self) -> str:
        """The canonical dotted name of the PyTorch API."""
        return self.torch.partition("(")[0]


class Binding(NamedTuple):
    """An Api compiled: both sides parsed."""

    api: Api
    signature: Signature | None
    target: Target

    @property
    def straight(self) -> bool:
        """Whether the reference alone may be exchanged: every positional argument keeps its place."""
        return self.target.keeps_positions(self.signature)


@cache
def compile_api(api: Api) -> Binding:
    """The row with both sides parsed; done at the first use of the row."""
    if api.mindspore is None:
        raise ValueError(f"{api.name} has no counterpart")
    signature = parse_signature(api.torch)
    return Binding(api, signature, parse_target(api.mindspore, signature))


def literal(node: ast.expr) -> object:
    """The value of a literal expression; UNKNOWN for anything that is not one."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return UNKNOWN


UNKNOWN = object()
