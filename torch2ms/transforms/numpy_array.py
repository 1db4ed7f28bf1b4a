"""`np.array(x, copy=None)` is `np.asarray(x)`: MindSpore needs numpy 1, which does not take the None of numpy 2."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.edits import Arg, CallEdit, Claim
from torch2ms.resolve import is_free_of_torch

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

# what both functions take; `subok` and `ndmin` belong to np.array alone
_SHARED = frozenset({"dtype", "order", "like", "copy"})


class NumpyArray:
    """Calls of np.array that leave the copy to numpy, in files that use PyTorch."""

    name = "numpy_array"
    after: tuple[str, ...] = ()
    gives_way = True

    def find(self, facts: Facts) -> Iterator[Claim]:
        """One claim for each call."""
        if "copy" not in facts.source.text or is_free_of_torch(facts):
            return
        for node in facts.names.parents:
            match node:
                case ast.Call(func=func, args=[ast.expr()] | [ast.expr(), ast.expr()]) if _leaves_copy_open(node):
                    if facts.names.of(func) == "numpy.array" and not facts.skipped(node):
                        args = [Arg(a) for a in node.args]
                        args += [Arg(k.value, k.arg) for k in node.keywords if k.arg != "copy"]
                        callee = "$0.asarray" if isinstance(func, ast.Attribute) else "$numpy.asarray"
                        edit = CallEdit(node, callee, tuple(args))
                        yield Claim(self.name, (node,), (edit,), provenance=None)


def _leaves_copy_open(call: ast.Call) -> bool:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg not in _SHARED for k in call.keywords):
        return False
    return any(
        k.arg == "copy" and isinstance(k.value, ast.Constant) and k.value.value is None for k in call.keywords
    )


TRANSFORM = NumpyArray()
