"""Gradients of functions with PyTorch's semantics: value_and_grad, grad and vjp.

The signatures are MindSpore's (https://www.mindspore.cn/docs/en/master/api_python/mindspore/mindspore.value_and_grad.html).
What differs, because PyTorch's training loops rely on it: a parameter that the loss does not reach, or that is frozen
when the function is called, gets None instead of zeros; what a function returns beside its loss is cut from the graph;
a loss that has no graph raises.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from mindspore import Parameter, Tensor, ops

from . import _backend

_NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | Sequence[int] | None = 0,
    weights: Iterable[Parameter] | Parameter | None = None,
    has_aux: bool = False,
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that gives what `fn` gives and the gradients of its loss.

    `fn` returns the loss, a tensor with one floating-point element, or with `has_aux` a tuple that begins with it. The
    gradients are those of the arguments at `grad_position`, of `weights`, or a pair of both; one that the loss does not
    reach is None. Inside another differentiated function the gradients can be differentiated again.

    Raises:
        RuntimeError: the loss has more than one element, is an integer, or does not depend on anything differentiable.
        TypeError: the loss is no tensor.
    """
    targets = _Targets(fn, grad_position, weights)

    def value_and_grad_fn(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        outer = _backend.is_recording()
        create_graph = outer and _backend.is_nested()
        with _backend.recording():
            leaves, arguments = targets.leaves(args, create_graph)
            out = _backend.call(fn, arguments, kwargs)
            loss = _scalar(_split(out, has_aux)[0])
            gradients = targets.gradients((loss,), (_one(loss.shape, loss.dtype),), leaves, create_graph, create_graph)
        return (out if outer else detach(out)), gradients

    return value_and_grad_fn


def grad(
    fn: Callable[..., Any],
    grad_position: int | Sequence[int] | None = 0,
    weights: Iterable[Parameter] | Parameter | None = None,
    has_aux: bool = False,
) -> Callable[..., Any]:
    """Return a function that gives the gradients of the sum of what `fn` gives.

    With `has_aux` it gives a pair of the gradients and of what `fn` returns after its first value. While anything
    records, the gradients can be differentiated again (a gradient penalty).
    """
    targets = _Targets(fn, grad_position, weights)

    def grad_fn(*args: Any, **kwargs: Any) -> Any:
        outer = _backend.is_recording()
        with _backend.recording():
            leaves, arguments = targets.leaves(args, outer)
            out, aux = _split(_backend.call(fn, arguments, kwargs), has_aux)
            _check_graph(out)
            gradients = targets.gradients((out,), (_backend.ones_like(out),), leaves, outer, outer)
        return (gradients, aux if outer else detach(aux)) if has_aux else gradients

    return grad_fn


def vjp(
    fn: Callable[..., Any],
    *inputs: Any,
    weights: Iterable[Parameter] | Parameter | None = None,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """Run `fn` once and return what it gives and `pull`, which takes the gradient of a loss with respect to that.

    `pull(gradient, retain_graph=False)` returns the gradient of the input (a tuple where there are several; None for
    what is no floating-point tensor or is not reached), or with `weights` a pair of it and of the gradients of the
    weights. Several outputs take as many gradients; None stands for an output that the loss does not reach. With
    `has_aux` the first of the returned values is the output, and the rest comes back as a third value.
    """
    outer = _backend.is_recording()
    positions = [i for i, value in enumerate(inputs) if isinstance(value, Tensor) and _backend.is_differentiable(value)]
    targets = _Targets(fn, positions, weights)
    with _backend.recording():
        leaves, args = targets.leaves(inputs, outer)
        out, aux = _split(_backend.call(fn, args, {}), has_aux)
    outputs = tuple(out) if isinstance(out, (tuple, list)) else (out,)

    def pull(*gradients: Tensor | None, retain_graph: bool = False) -> Any:
        if len(gradients) == 1 and isinstance(gradients[0], (tuple, list)):
            gradients = tuple(gradients[0])
        if len(gradients) != len(outputs):
            raise ValueError(f"expected {len(outputs)} gradients, one for each output, got {len(gradients)}")
        create_graph = _backend.is_recording()
        with _backend.recording():
            found = targets.gradients(outputs, gradients, leaves, retain_graph or create_graph, create_graph)
        by_position = dict(zip(positions, found if weights is None else found[0]))
        of_inputs = tuple(by_position.get(i) for i in range(len(inputs)))
        result = of_inputs[0] if len(inputs) == 1 else of_inputs
        return result if weights is None else (result, found[1])

    results = (out, aux) if outer else (detach(out), detach(aux))
    return (results[0], pull, results[1]) if has_aux else (results[0], pull)


class _Targets:
    """What gradients are wanted of: arguments by position, and weights."""

    def __init__(self, fn: Any, grad_position: Any, weights: Any) -> None:
        if not callable(fn):
            raise TypeError(f"fn must be callable, got {type(fn).__name__}")
        if grad_position is None and weights is None:
            raise ValueError("grad_position and weights can not both be None")
        self.single = isinstance(grad_position, int)
        self.positions: tuple[int, ...] | None = (
            None if grad_position is None else (grad_position,) if self.single else tuple(grad_position)
        )
        self.single_weight = isinstance(weights, Tensor)
        self.weights: tuple[Tensor, ...] | None = (
            None if weights is None else (weights,) if self.single_weight else tuple(weights)
        )

    def leaves(self, args: Sequence[Any], keep_graph: bool) -> tuple[list[Tensor], list[Any]]:
        """Return the arguments to differentiate, as fresh leaves, and all arguments with them in place."""
        args = list(args)
        leaves = []
        for i in self.positions or ():
            if i >= len(args):
                raise ValueError(f"grad_position {i} is beyond the {len(args)} positional arguments")
            args[i] = leaf(args[i], i, keep_graph)
            leaves.append(args[i])
        return leaves, args

    def gradients(
        self,
        outputs: Sequence[Tensor],
        gradients: Sequence[Tensor | None],
        leaves: Sequence[Tensor],
        retain_graph: bool,
        create_graph: bool,
    ) -> Any:
        """Return the gradients in the structure that was asked for; None for what is unreached or frozen."""
        wanted = {id(t): t for t in (*leaves, *(self.weights or ())) if _backend.requires_grad(t)}
        given = [(o, g) for o, g in zip(outputs, gradients) if g is not None and _backend.requires_grad(o)]
        found: dict[int, Tensor | None] = {}
        if wanted and given:
            results = _backend.run_backward(
                [o for o, _ in given],
                [g for _, g in given],
                list(wanted.values()),
                retain_graph=retain_graph,
                create_graph=create_graph,
            )
            found = dict(zip(wanted, results))
        of_leaves: Any = tuple(found.get(id(t)) for t in leaves)
        of_weights: Any = tuple(found.get(id(t)) for t in self.weights or ())
        of_leaves = of_leaves[0] if self.single else of_leaves
        of_weights = of_weights[0] if self.single_weight else of_weights
        if self.weights is None:
            return of_leaves
        return of_weights if self.positions is None else (of_leaves, of_weights)


def leaf(value: Any, position: int, keep_graph: bool) -> Tensor:
    """Return an argument as a leaf to differentiate; with `keep_graph` the outer graph reaches through it."""
    if not isinstance(value, Tensor):
        raise TypeError(f"argument {position} is to be differentiated and is no tensor but {type(value).__name__}")
    if not _backend.is_differentiable(value):
        raise RuntimeError(f"only Tensors of floating point and complex dtype can require gradients, got {value.dtype}")
    if keep_graph and _backend.requires_grad(value):
        # a new node of the outer graph: the gradient stops here, the outer gradient passes
        return value.view(value.shape)
    return _backend.set_requires_grad(ops.stop_gradient(value))


def _split(out: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return out, ()
    if not isinstance(out, tuple) or len(out) < 2:
        raise ValueError("with has_aux=True the function must return a tuple: the loss and at least one more value")
    return out[0], out[1:]


@functools.lru_cache(maxsize=16)
def _one(shape: tuple[int, ...], dtype: Any) -> Tensor:
    """Return the gradient of a loss with respect to itself; made once, for it is the same in each step."""
    return Tensor(1.0, dtype).reshape(shape)


def _check_graph(loss: Any) -> None:
    if not isinstance(loss, Tensor):
        raise TypeError(f"the function must return a tensor to differentiate, got {type(loss).__name__}")
    if not _backend.requires_grad(loss):
        raise RuntimeError(_NO_GRAPH)


def _scalar(loss: Any) -> Tensor:
    _check_graph(loss)
    if loss.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    return loss


def detach(value: Any) -> Any:
    """Cut every tensor in a result from the graph: a second use of a consumed graph would raise.

    Tuples are rebuilt; lists, dictionaries and dataclasses keep their identity.
    """
    if isinstance(value, Tensor):
        return ops.stop_gradient(value) if _backend.requires_grad(value) and not isinstance(value, Parameter) else value
    if isinstance(value, tuple):
        items = [detach(v) for v in value]
        if all(new is old for new, old in zip(items, value)):
            return value
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, list):
        value[:] = [detach(v) for v in value]
    elif isinstance(value, dict):
        for key, item in list(value.items()):
            value[key] = detach(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if hasattr(value, field.name):
                object.__setattr__(value, field.name, detach(getattr(value, field.name)))
    return value
