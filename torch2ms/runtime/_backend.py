"""MindSpore's private interfaces, in one place: version checked, each tested at its first use.

Everything else in the runtime uses documented MindSpore only. What is missing or works differently in another MindSpore
raises `BackendError`, which names the interface and the version.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mindspore
from mindspore import Parameter, Tensor
from mindspore.nn import Cell

SUPPORTED = ((2, 10), (2, 11))


class BackendError(RuntimeError):
    """A private interface of MindSpore is missing or does not behave as in the supported versions."""


def _versions() -> str:
    low, high = (".".join(map(str, v)) for v in SUPPORTED)
    return f"this runtime needs mindspore>={low},<{high}, installed is {mindspore.__version__}"


@functools.cache
def check_version() -> None:
    """Raise BackendError unless the installed MindSpore is a supported one."""
    parts = mindspore.__version__.split(".")
    if not SUPPORTED[0] <= (int(parts[0]), int(parts[1])) < SUPPORTED[1]:
        raise BackendError(_versions())


def _private(what: str, find: Callable[[], Any]) -> Any:
    check_version()
    try:
        return find()
    except (ImportError, AttributeError) as error:
        raise BackendError(f"MindSpore's interface {what} is missing ({error}); {_versions()}") from error


@functools.cache
def executor() -> Any:
    """Return the object that records operations in PyNative mode."""

    def find() -> Any:
        from mindspore.common.api import _pynative_executor as found

        for name in ("grad_flag", "set_grad_flag", "enable_grad", "set_enable_grad", "new_graph", "end_graph"):
            getattr(found, name)
        return found

    return _private("_pynative_executor", find)


# -- grad mode --------------------------------------------------------------------------------------------------------

_depth = 0  # of nested `recording` contexts
_graph_is_open = False
_tape_is_on = False


def is_recording() -> bool:
    """Return whether operations are recorded for a gradient at this moment."""
    ex = executor()
    return bool(ex.grad_flag() and ex.enable_grad())


def is_nested() -> bool:
    """Return whether a differentiated function is running."""
    return _depth > 0


def is_grad_enabled() -> bool:
    """Return the switch that no_grad turns off."""
    return bool(executor().enable_grad())


def set_grad_enabled(enabled: bool) -> None:
    """Set the switch that no_grad turns off."""
    executor().set_enable_grad(enabled)


@contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Set the switch of no_grad inside the context."""
    ex = executor()
    before = ex.enable_grad()
    ex.set_enable_grad(enabled)
    try:
        yield
    finally:
        ex.set_enable_grad(before)


def start_recording() -> None:
    """Record from here on, until the end of the program."""
    global _tape_is_on
    _tape_is_on = True
    ensure_graph()
    executor().set_grad_flag(True)


def tape_is_on() -> bool:
    """Return whether `start_recording` was called."""
    return _tape_is_on


@contextmanager
def recording() -> Iterator[None]:
    """Record inside the context; both of MindSpore's flags are restored to what they were, whatever happens.

    MindSpore's own value_and_grad leaves the first one on after an exception and after a Cell with `bprop`, and from
    then on writes through views are lost without a word.
    """
    global _depth, _graph_is_open
    ex = executor()
    before = ex.grad_flag(), ex.enable_grad()
    ensure_graph()
    ex.set_grad_flag(True)
    ex.set_enable_grad(True)
    _depth += 1
    try:
        yield
    except BaseException:
        # an error while compiling a jitted function throws the graph away
        _graph_is_open = False
        raise
    finally:
        _depth -= 1
        ex.set_grad_flag(before[0])
        ex.set_enable_grad(before[1])


def ensure_graph() -> None:
    """Open the graph that Cells with `bprop` need to exist.

    One graph stays open for good: MindSpore keeps 12 kB of each graph that is ended and whose gradient is taken by
    `run_backward`, and the call that frees them throws away compiled functions too.
    """
    global _graph_is_open
    if _graph_is_open:
        return
    ex = executor()
    before = ex.grad_flag()
    ex.set_grad_flag(True)
    ex.new_graph(_open_graph)
    ex.set_grad_flag(before)
    _graph_is_open = True


def _open_graph() -> None:
    """Stand for the function whose graph is open."""


def call_custom_bprop(cell: Cell, output: Any, args: tuple[Any, ...]) -> Any:
    """Tie `output` to `cell.bprop`."""
    global _graph_is_open
    ex = executor()
    ensure_graph()
    try:
        return ex.call_custom_bprop(cell, output, *args)
    except RuntimeError as error:
        if "top_cell_" not in str(error):
            raise
    # the graph was thrown away behind our back
    _graph_is_open = False
    ensure_graph()
    return ex.call_custom_bprop(cell, output, *args)


# -- gradients --------------------------------------------------------------------------------------------------------


@functools.cache
def _run_backward() -> Callable[..., Any]:
    def find() -> Any:
        from mindspore._c_expression import run_backward as found

        return found

    return _private("run_backward", find)


def run_backward(
    outputs: Sequence[Tensor],
    gradients: Sequence[Tensor],
    inputs: Sequence[Tensor] = (),
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
    accumulate: bool = False,
) -> tuple[Tensor | None, ...]:
    """Run the recorded graph backwards.

    Returns one gradient per input, None where the outputs do not depend on it; with `accumulate` the gradients are
    added to the `_grad` slots of the inputs (of all leaves, where no inputs are given) instead.
    """
    _self_test()
    arguments = tuple(outputs), tuple(gradients), retain_graph, create_graph, tuple(inputs), True
    handles = _repair_second_order(outputs) if create_graph else []
    try:
        return _run_backward()(*arguments, accumulate_grad=accumulate)
    finally:
        for handle in handles:
            handle.remove()


def _repair_second_order(outputs: Sequence[Tensor]) -> list[Any]:
    """Hook every node of the graph, so that the gradients can be differentiated; return the handles that undo it."""
    from . import _second_order

    handles = []
    seen: set[int] = set()
    stack = [node for node in (t._grad_node for t in outputs) if node is not None]
    while stack:
        node = stack.pop()
        if node._unique_id() in seen or node.is_leaf():
            continue
        seen.add(node._unique_id())
        handles.append(node.register_hook(_second_order.repair(node.name())))
        stack.extend(following for following, _ in node.next_functions if following is not None)
    return handles


def may_differentiate_twice() -> bool:
    """Return whether a gradient of a gradient can follow what is computed now."""
    return _depth > 1 or (_tape_is_on and is_recording())


@functools.cache
def _self_test() -> None:
    """Check on x * x that the interface works as this runtime expects."""
    used, unused = (Parameter(Tensor([3.0], mindspore.float32), name=name) for name in ("used", "unused"))
    with recording():
        square = used * used
        result = _run_backward()(
            (square,), (mindspore.ops.ones_like(square),), False, False, (used, unused), True, accumulate_grad=False
        )
    if len(result) != 2 or result[1] is not None or float(result[0][0]) != 6.0:
        raise BackendError(f"MindSpore's run_backward returns {result} for the gradient of x * x at 3; {_versions()}")


def requires_grad(tensor: Tensor) -> bool:
    """Return whether the tensor takes part in a gradient; MindSpore sets its mark on integer results, too."""
    wanted = tensor.requires_grad if isinstance(tensor, Parameter) else tensor._requires_grad
    return bool(wanted) and is_differentiable(tensor)


def is_differentiable(tensor: Tensor) -> bool:
    """Return whether the dtype is floating-point or complex."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def set_requires_grad(tensor: Tensor, value: bool = True) -> Tensor:
    """Make a tensor a leaf that wants a gradient (or not)."""
    tensor._requires_grad = value
    return tensor


def zero_grad(parameters: Iterable[Parameter], set_to_none: bool = True) -> None:
    """Clear the gradient slots."""
    for p in parameters:
        p._grad = None if set_to_none or p._grad is None else mindspore.ops.zeros_like(p._grad)


def is_leaf(tensor: Tensor) -> bool:
    """Return whether the tensor is no result of a recorded operation."""
    return bool(tensor._is_leaf)


def get_grad(tensor: Tensor) -> Tensor | None:
    """Return what is in the gradient slot."""
    return tensor._grad


def set_grad(tensor: Tensor, value: Tensor | None) -> None:
    """Put a gradient, or None, into the slot."""
    tensor._grad = value


def function_base() -> Any:
    """Return MindSpore's class of functions with a forward and a backward, after which PyTorch's Function is modelled."""

    def find() -> Any:
        from mindspore.common._grad_function import _Function as found

        return found

    return _private("_Function", find)


# -- modules ----------------------------------------------------------------------------------------------------------


@functools.cache
def _statistics() -> Sequence[tuple[type, tuple[str, ...]]]:
    """Return the layers of MindSpore whose Parameters include what PyTorch registers as buffers."""

    def find() -> Any:
        from mindspore.mint.nn.layer.normalization import _NormBase
        from mindspore.nn.layer.normalization import BatchNorm3d, _BatchNorm

        return (
            (_NormBase, ("running_mean", "running_var", "num_batches_tracked")),
            (_BatchNorm, ("moving_mean", "moving_variance")),
            (BatchNorm3d, ("moving_mean", "moving_variance")),
        )

    return _private("normalization layers", find)


def statistics_names(cell: Cell) -> tuple[str, ...]:
    """Return the names of the cell's Parameters that PyTorch lists as buffers."""
    for kind, names in _statistics():
        if isinstance(cell, kind):
            return names
    return ()


def mark_buffer(tensor: Tensor) -> None:
    """Tell `@mindspore.jit` that the tensor is state, as `register_buffer` does."""
    tensor._is_buffer = True
