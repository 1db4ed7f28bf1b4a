"""Second derivatives: repairs of MindSpore's gradients that can not be differentiated again.

On CPU MindSpore makes the gradient of a reshape, transpose or slice contiguous outside of the graph before the next
kernel. Between two nodes a copy helps. Inside the gradients of sum, mean and tile there is nothing to put a copy in, so
they are computed again here, from operations that are recorded one by one. Matrix products are replaced in the forward
pass by the primitives whose gradients consist of a single operation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, ops

from . import _backend

Gradients = tuple[Tensor | None, ...]


def repair(node_name: str) -> Callable[[Sequence[Tensor | None], Sequence[Tensor | None]], Gradients]:
    """Return the hook for a node: gradients of its inputs and of its outputs in, gradients of its inputs out."""
    return _REPAIRS.get(node_name, copies)


def copies(of_inputs: Sequence[Tensor | None], of_outputs: Sequence[Tensor | None]) -> Gradients:
    """Give each input a gradient that is no other's."""
    return tuple(g * 1 if isinstance(g, Tensor) else g for g in of_inputs)


def _spread(of_inputs: Sequence[Tensor | None], of_outputs: Sequence[Tensor | None]) -> Gradients:
    """Repair sum and mean: every element of the input gets the gradient of its sum, or its share of it."""
    given, of_sum = of_inputs[0], of_outputs[0]
    if not isinstance(given, Tensor) or not isinstance(of_sum, Tensor) or not _backend.requires_grad(of_sum):
        return tuple(of_inputs)
    return (ops.broadcast_to(ops.reshape(of_sum, _kept_shape(given, of_sum)), given.shape) * 1, *of_inputs[1:])


def _spread_mean(of_inputs: Sequence[Tensor | None], of_outputs: Sequence[Tensor | None]) -> Gradients:
    given, of_mean = of_inputs[0], of_outputs[0]
    if not isinstance(given, Tensor) or not isinstance(of_mean, Tensor):
        return tuple(of_inputs)
    return _spread(of_inputs, (of_mean * Tensor(of_mean.size / given.size, of_mean.dtype), *of_outputs[1:]))


def _kept_shape(given: Tensor, of_sum: Tensor) -> tuple[int, ...]:
    """Return the shape of the sum with the reduced axes kept, found from the shapes and, where they are equal, values."""
    shape, reduced = given.shape, of_sum.shape
    if len(shape) == len(reduced):
        return reduced
    candidates = set()
    for axes in itertools.combinations(range(len(shape)), len(shape) - len(reduced)):
        if tuple(n for i, n in enumerate(shape) if i not in axes) == reduced:
            candidates.add(tuple(1 if i in axes else n for i, n in enumerate(shape)))
    if len(candidates) > 1:
        values, sums = given.asnumpy(), of_sum.asnumpy()
        candidates = {c for c in candidates if np.array_equal(np.broadcast_to(sums.reshape(c), shape), values)}
    if len(candidates) != 1:
        raise _backend.BackendError(
            f"the second derivative of a sum from shape {shape} to {reduced} can not be told apart from a sum over "
            "another axis of the same size; write it with keepdims=True"
        )
    return candidates.pop()


def _collect(of_inputs: Sequence[Tensor | None], of_outputs: Sequence[Tensor | None]) -> Gradients:
    """Repair tile: every element of the input gets the sum over its copies."""
    given, of_copies = of_inputs[0], of_outputs[0]
    if not isinstance(given, Tensor) or not isinstance(of_copies, Tensor) or not _backend.requires_grad(of_copies):
        return tuple(of_inputs)
    shape = (1,) * (len(of_copies.shape) - len(given.shape)) + tuple(given.shape)
    split = [n for size, total in zip(shape, of_copies.shape) for n in (total // max(size, 1), size)]
    total = ops.ReduceSum(True)(ops.reshape(of_copies, tuple(split)), tuple(range(0, len(split), 2)))
    return (ops.reshape(total, given.shape) * 1, *of_inputs[1:])


def _refuse(of_inputs: Sequence[Tensor | None], of_outputs: Sequence[Tensor | None]) -> Gradients:
    if any(isinstance(g, Tensor) and _backend.requires_grad(g) for g in of_outputs):
        raise _backend.BackendError(
            "MindSpore's gradient of prod can not be differentiated again; write it as a product"
        )
    return tuple(of_inputs)


_REPAIRS: dict[str, Callable[..., Gradients]] = {
    "SumExt": _spread,
    "ReduceSum": _spread,
    "MeanExt": _spread_mean,
    "ReduceMean": _spread_mean,
    "Tile": _collect,
    "ProdExt": _refuse,
}


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """Return a @ b with the shapes of torch.matmul, differentiable twice with respect to both."""
    if a.ndim == 1:
        row = matmul(a.reshape(1, -1), b)
        return row.reshape(row.shape[:-2] + row.shape[-1:])
    if b.ndim == 1:
        column = matmul(a, b.reshape(-1, 1))
        return column.reshape(column.shape[:-1])
    if b.ndim == 2:
        rows = a.reshape(-1, a.shape[-1]) if a.ndim > 2 else a
        product = ops.MatMul()(rows, b)
        return product.reshape((*a.shape[:-1], b.shape[-1])) if a.ndim > 2 else product
    batch = tuple(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    a, b = (t if t.shape[:-2] == batch else ops.broadcast_to(t, batch + t.shape[-2:]) for t in (a, b))
    return ops.BatchMatMul()(a, b)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x @ weight.T + bias, differentiable twice with respect to all of them."""
    rows = x.reshape(-1, x.shape[-1]) if x.ndim != 2 else x
    out = ops.MatMul(transpose_b=True)(rows, weight)
    out = out if bias is None else out + bias
    return out.reshape((*x.shape[:-1], weight.shape[0])) if x.ndim != 2 else out


def _wrap(original: Callable[..., Any], safe: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        if _backend.may_differentiate_twice() and isinstance(other, Tensor):
            return safe(self, other)
        return original(self, other)

    method.__name__ = original.__name__
    method.__doc__ = original.__doc__
    return method


def install() -> None:
    """Let the matrix products of Tensor take the safe way where a second derivative is possible."""
    for kind in (Tensor, Parameter):
        for name in ("matmul", "__matmul__", "mm", "bmm"):
            if hasattr(kind, name):
                setattr(kind, name, _wrap(getattr(kind, name), matmul))
