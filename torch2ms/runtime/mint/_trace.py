"""What the code that runs now is run for: a graph being compiled, gradients of gradients."""

from __future__ import annotations

from typing import Any

from mindspore import ops

from .. import _backend


class _Compiling(ops.PrimitiveWithInfer):
    """False when called by Python; the graph compiler takes the constant of `infer_value` instead of calling it."""

    def __init__(self) -> None:
        super().__init__("Compiling")
        self.set_const_prim(True)

    def __call__(self) -> bool:
        return False

    def infer_value(self) -> bool:
        """Return what the compiled graph sees."""
        return True


class _Twice(ops.PrimitiveWithInfer):
    """Whether a gradient of a gradient can follow, so that fast kernels without a second derivative are out."""

    def __init__(self) -> None:
        super().__init__("Twice")
        self.set_const_prim(True)

    def __call__(self) -> bool:
        return _backend.may_differentiate_twice()

    def infer_value(self) -> bool:
        """Return what the compiled graph sees: its gradients of gradients are derived from the same primitives."""
        return False


compiling = _Compiling()
twice = _Twice()


def named(kind: Any, values: tuple[Any, ...]) -> Any:
    """Return a named tuple of `values`; in a compiled graph a plain one, since a named one loses the gradient there."""
    return values if compiling() else kind(*values)
