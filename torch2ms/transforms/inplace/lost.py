"""Which functions of a file no longer reach their callers' tensors with what they write, since a gradient may run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch2ms.analysis.aliases import How, Write
from torch2ms.analysis.aliases.storage import Sort
from torch2ms.transforms.inplace.families import takes_all
from torch2ms.transforms.inplace.rows import row_of

if TYPE_CHECKING:
    from torch2ms.transforms.inplace.surroundings import Surroundings

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Lost:
    """Answers for one file."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._facts = around.facts
        self._functions: dict[str, _Function] = {}
        for node in self._facts.names.parents:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._functions[self._facts.names.qualified(node)] = node
        # (function, parameter) of writes that raise where they stand
        self.refused: set[tuple[str, str]] = set()
        self._known: dict[str, frozenset[str]] = {}

    def parameters(self, qualified: str) -> frozenset[str]:
        """The parameters that a function writes to in a way that its callers do not see."""
        node = self._functions.get(qualified)
        if node is None:
            return frozenset()
        if qualified not in self._known:
            self._known[qualified] = frozenset()  # while it calls itself
            self._known[qualified] = frozenset(
                name for w in self._facts.aliases(node).writes for name in self._of(node, w)
            )
        return self._known[qualified]

    def _is_whole(self, write: Write) -> bool:
        """Whether a write by an index takes the whole tensor, which binds the name anew."""
        above = self._facts.parent(write.target)
        return isinstance(above, ast.Subscript) and above.value is write.target and takes_all(above.slice)

    def _receiver(self, function: _Function) -> set[str]:
        """The parameter that stands for the object of a method: what it holds is bound anew in the object."""
        if not isinstance(self._facts.parent(function), ast.ClassDef) or not function.args.args:
            return set()
        return {function.args.args[0].arg}

    def _of(self, function: _Function, write: Write) -> frozenset[str]:
        if not write.certain and write.how is not How.CALL:
            return frozenset()  # a number, as far as anyone knows; the write itself says so
        if write.how is How.GRADIENT or self._around.is_free(write.node) and not self._around.keeps_graph(write.target):
            return frozenset()
        roots = self._facts.aliases(function).origins(write.target)
        given = frozenset(str(r.key) for r in roots if r.sort is Sort.PARAMETER) - self._receiver(function)
        if not given or self._around.is_leaf(write.target) or self._around.is_doubtful(write.target):
            return frozenset()
        target = write.target
        if self._around.is_iterated(target) and row_of(self._facts, target) is None:
            self.refused |= {(self._facts.names.qualified(function), name) for name in given}
            return frozenset()
        row = row_of(self._facts, target)
        if row is not None and write.how in (How.METHOD, How.AUGMENTED):
            target = row.base
        elif write.how is How.METHOD and isinstance(target, ast.Subscript):
            target = target.value
        elif write.how is How.CALL:
            assert isinstance(write.node, ast.Call)
            if self._around.loses_writes(write.node, write.parameter):
                return given
        elif write.how is not How.ITEM:
            return given
        if write.how is How.ITEM and self._is_whole(write):
            return given
        same = isinstance(target, ast.Name) and self._around.is_same_object(target)
        attribute = isinstance(target, ast.Attribute)
        return frozenset() if same or attribute else given
