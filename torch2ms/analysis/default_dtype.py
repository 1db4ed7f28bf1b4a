"""Which programs change the data type of new tensors: all others are converted as if nobody could."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch2ms.analysis.file_facts import Facts
    from torch2ms.analysis.names import Names

DEFAULT_SETTERS = frozenset(("torch.set_default_dtype", "torch.set_default_tensor_type"))
_FLOAT32 = frozenset(("torch.float32", "torch.float", "torch.FloatTensor", "torch.cuda.FloatTensor"))


def names_float32(names: Names, call: ast.Call) -> bool:
    """Whether a call of a setter surely leaves the data type at PyTorch's own."""
    if len(call.args) != 1 or call.keywords:
        return False
    (argument,) = call.args
    name = argument.value if isinstance(argument, ast.Constant) else names.of(argument)
    return name in _FLOAT32


def changes_default_dtype(facts: Facts) -> bool:
    """Whether the file, or another one of its project, changes the data type of new tensors."""
    return facts.project.habits.sets_default_dtype or facts.once(_changes)


def _changes(facts: Facts) -> bool:
    if "set_default_" not in facts.source.text:
        return False
    calls = (node for node in facts.names.parents if isinstance(node, ast.Call))
    return any(facts.names.of(c.func) in DEFAULT_SETTERS and not names_float32(facts.names, c) for c in calls)
