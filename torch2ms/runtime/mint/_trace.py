"""Whether `@mindspore.jit` is compiling the code that runs."""

from __future__ import annotations

from mindspore import ops


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


compiling = _Compiling()
