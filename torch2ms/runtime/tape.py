"""A gradient tape: PyTorch's loss.backward() for loops whose forward and backward can not be brought together.

    from torch2ms.runtime import tape

    tape.start()                    # once, after the imports
    ...
    tape.backward(loss)             # adds to the .grad of every parameter that the loss reached
    optimizer.step()

Everything that is computed after `start` and outside of `no_grad` is recorded. While the tape records, writes through
views and to tensors with views do not reach the other names where a gradient runs through them. `value_and_grad` and
the tape do not disturb each other.
https://docs.pytorch.org/docs/stable/autograd.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from mindspore import Tensor, ops

from . import _backend
from .grad_mode import is_grad_enabled

__all__ = ["backward", "grad", "is_grad_enabled", "start"]

Many: TypeAlias = "Tensor | Sequence[Tensor]"


def start() -> None:
    """Start recording, until the end of the program."""
    _backend.start_recording()


def backward(
    loss: Many,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Many | None = None,
) -> None:
    """Add the gradients of `loss` to the `.grad` of the leaves it depends on, or of `inputs` only.

    `gradient` is the gradient with respect to `loss`; it may be left out for a tensor with one element.

    Raises:
        RuntimeError: the tape was not started, `loss` has no graph or has been run backwards, or has several elements.
    """
    outputs, gradients = _paired(loss, gradient)
    wanted = () if inputs is None else _many(inputs)
    if inputs is not None and not wanted:
        raise RuntimeError("`inputs` argument to backward() cannot be empty.")
    retain = create_graph if retain_graph is None else retain_graph
    _backend.run_backward(outputs, gradients, wanted, retain_graph=retain, create_graph=create_graph, accumulate=True)


def grad(
    outputs: Many,
    inputs: Many,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of the sum of `outputs` with respect to `inputs`; no `.grad` changes.

    https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html

    Raises:
        RuntimeError: an input is not reached and neither `allow_unused` nor `materialize_grads` is set.
        NotImplementedError: `is_grads_batched`.
    """
    if is_grads_batched:
        raise NotImplementedError(
            "is_grads_batched: call tape.grad once for each row of grad_outputs, retain_graph=True"
        )
    roots, gradients = _paired(outputs, grad_outputs)
    wanted = _many(inputs)
    for tensor in wanted:
        if not _backend.requires_grad(tensor):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    retain = create_graph if retain_graph is None else retain_graph
    found = _gradients(roots, gradients, wanted, retain, create_graph)
    if materialize_grads:
        return tuple(ops.zeros_like(t) if g is None else g for t, g in zip(wanted, found))
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior."
        )
    return found


def _gradients(
    roots: Sequence[Tensor], gradients: Sequence[Tensor], wanted: Sequence[Tensor], retain: bool, create_graph: bool
) -> tuple[Tensor | None, ...]:
    """Run backwards once for all leaves and once for each other tensor: MindSpore stops at the first it meets."""
    groups = [[i for i, t in enumerate(wanted) if _backend.is_leaf(t)]]
    groups += [[i] for i, t in enumerate(wanted) if not _backend.is_leaf(t)]
    groups = [group for group in groups if group]
    found: list[Tensor | None] = [None] * len(wanted)
    for n, group in enumerate(groups):
        keep = retain or n < len(groups) - 1
        results = _backend.run_backward(
            roots, gradients, [wanted[i] for i in group], retain_graph=keep, create_graph=create_graph
        )
        for i, result in zip(group, results):
            found[i] = result
    return tuple(found)


def _many(value: Many) -> tuple[Tensor, ...]:
    return (value,) if isinstance(value, Tensor) else tuple(value)


def _paired(outputs: Many, gradients: Any) -> tuple[list[Tensor], list[Tensor]]:
    """Return the outputs and a gradient for each; ones where a single element needs none."""
    roots = list(_many(outputs))
    given = [None] * len(roots) if gradients is None else list(_many(gradients))
    if len(given) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    for i, (root, gradient) in enumerate(zip(roots, given)):
        if not isinstance(root, Tensor):
            raise TypeError(f"only a tensor can be run backwards, got {type(root).__name__}")
        if not _backend.requires_grad(root) and not _backend.tape_is_on():
            raise RuntimeError("no tape is recording: call tape.start() after the imports")
        if not _backend.requires_grad(root):
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if gradient is None:
            if root.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            given[i] = _backend.ones_like(root)
        elif gradient.shape != root.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] has a shape of "
                f"{root.shape}."
            )
    return roots, given
