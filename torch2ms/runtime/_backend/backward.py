"""The backward pass over what was recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mindspore
from mindspore import Parameter, Tensor

from .. import _device_target
from .recording import recording
from .version import BackendError, private, versions


@functools.cache
def _run_backward() -> Callable[..., Any]:
    def find() -> Any:
        from mindspore._c_expression import run_backward as found

        return found

    return private("run_backward", find)


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
    if accumulate and not create_graph and _device_target.IS_CPU:
        handles += _separate_sums(outputs)
    try:
        return _run_backward()(*arguments, accumulate_grad=accumulate)
    finally:
        for handle in handles:
            handle.remove()


def _repair_second_order(outputs: Sequence[Tensor]) -> list[Any]:
    """Hook every node of the graph, so that the gradients can be differentiated; return the handles that undo it."""
    from .. import _second_order

    return [node.register_hook(_second_order.repair(node.name())) for node in _nodes(outputs)]


def _separate_sums(outputs: Sequence[Tensor]) -> list[Any]:
    """Give each term of a sum a gradient of its own: a leaf that is to keep the one of another is copied by a kernel that
    MindSpore has not on CPU.
    """
    from .. import _second_order

    sums = [node for node in _nodes(outputs) if node.name() in ("AddExt", "Add")]
    return [node.register_hook(_second_order.copies) for node in sums]


def _nodes(outputs: Sequence[Tensor]) -> Iterator[Any]:
    """The nodes of the graph, leaves apart."""
    seen: set[int] = set()
    stack = [node for node in (t._grad_node for t in outputs) if node is not None]
    while stack:
        node = stack.pop()
        if node._unique_id() in seen or node.is_leaf():
            continue
        seen.add(node._unique_id())
        yield node
        stack.extend(following for following, _ in node.next_functions if following is not None)


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
        raise BackendError(f"MindSpore's run_backward returns {result} for the gradient of x * x at 3; {versions()}")


def function_base() -> Any:
    """Return MindSpore's class of functions with a forward and a backward, after which PyTorch's Function is modelled."""

    def find() -> Any:
        from mindspore.common._grad_function import _Function as found

        return found

    return private("_Function", find)
