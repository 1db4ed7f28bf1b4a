"""`~x` of integers becomes `mint.bitwise_not(x)`: MindSpore's operator is the logical not, of integers too.

The runtime's Tensor has PyTorch's `~`, which `@mindspore.jit` does not use; so it is written as a function wherever the
tensor is known to hold integers, and in code to be compiled wherever it is not known to hold booleans.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Replace


class Bits:
    """The inversion of tensors."""

    name = "bits"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each inversion that has to be a function."""
        if "~" not in facts.source.text:
            return
        for node in facts.names.parents:
            if type(node) is ast.UnaryOp and type(node.op) is ast.Invert and not facts.skipped(node):
                info = facts.kinds.of(node.operand)
                integers = info.dtype.startswith(("int", "uint")) if info.dtype else facts.options.jit
                if info.is_tensor and integers:
                    yield Claim(self.name, (node,), (Replace(node, "$mint.bitwise_not($0)", (node.operand,)),))


TRANSFORM = Bits()
