"""Gradients, and gradients of gradients, of a call in both libraries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from mindspore import Tensor

from tests.runtime.mint import parity
from torch2ms.runtime import grad, mint


def ramp(shape: tuple[int, ...]) -> np.ndarray:
    """Return fixed weights: a plain sum of the results would hide errors of functions that normalize."""
    n = math.prod(shape)
    return (np.cos(np.arange(n) * 1.7 + 0.3) + 1.5).astype(np.float32).reshape(shape)


def float_places(args: Any, place: parity.Place = ()) -> list[parity.Place]:
    """Return where the non-empty float tensors are in nested arguments."""
    found = []
    for i, value in enumerate(args):
        if isinstance(value, torch.Tensor) and value.dtype in parity.FLOATS and value.numel():
            found.append((*place, i))
        elif isinstance(value, (list, tuple)):
            found += float_places(value, (*place, i))
    return found


def get(args: Any, place: parity.Place) -> Any:
    for i in place:
        args = args[i]
    return args


def put(args: Any, place: parity.Place, value: Any) -> Any:
    copy = list(args)
    copy[place[0]] = value if len(place) == 1 else put(copy[place[0]], place[1:], value)
    return type(args)(copy)


def differentiable(results: Any) -> list[bool]:
    return [
        isinstance(r, torch.Tensor) and r.dtype in parity.FLOATS and r.requires_grad for r in parity.leaves(results)
    ]


def torch_leaves(args: Any, places: list[parity.Place]) -> tuple[Any, list[torch.Tensor]]:
    args, found = parity.clone(args), []
    for place in places:
        leaf = get(args, place).requires_grad_()
        found.append(leaf)
        args = put(args, place, leaf)
    return args, found


def torch_total(results: Any, counted: list[bool]) -> torch.Tensor:
    """Return the weighted sum of the results that count."""
    terms = [
        (r * torch.from_numpy(ramp(tuple(r.shape))).to(r.dtype)).sum()
        for r, use in zip(parity.leaves(results), counted)
        if use
    ]
    return sum(terms[1:], terms[0])


def mindspore_total(results: Any, counted: list[bool]) -> Tensor:
    terms = [
        mint.sum(r * Tensor(ramp(tuple(r.shape)), r.dtype)) for r, use in zip(parity.leaves(results), counted) if use
    ]
    return sum(terms[1:], terms[0])


def weighted_squares(library: Any, gradients: Any) -> Any:
    """Return a scalar that depends on every gradient non-linearly."""
    weights = (
        (lambda g: torch.from_numpy(ramp(tuple(g.shape))).to(g.dtype))
        if library is torch
        else (lambda g: Tensor(ramp(tuple(g.shape)), g.dtype))
    )
    terms = [library.sum(g * g * weights(g)) for g in gradients]
    return sum(terms[1:], terms[0])


def filled(args: Any, places: list[parity.Place], inputs: Any) -> Any:
    for place, value in zip(places, inputs):
        args = put(args, place, value)
    return args


def compare_gradients(theirs: Any, ours: Any, rtol: float = 1e-3, atol: float = 1e-4) -> str:
    """Return how gradients differ; one that is not reached counts as zeros."""
    for i, (t, m) in enumerate(zip(theirs, ours)):
        if t is None or t._is_zerotensor():
            t = None
        if t is None and (m is None or not m.asnumpy().any()):
            continue
        if m is None and not t.any():
            continue
        text = f"{m} for no gradient" if t is None else parity.result_difference(t, m, rtol, atol, True)
        if text:
            return f"gradient {i}: {text}"
    return ""


def _torch_results(call: parity.Call, places: list[parity.Place]) -> tuple[Any, Any, list[bool]]:
    """Return the inputs, the results and which of them have gradients; none where torch refuses."""
    given, inputs = torch_leaves(call.args, places)
    try:
        results = call.torch_function(*given, **parity.clone(call.kwargs))
    except parity.REFUSALS:
        return inputs, (), []
    return inputs, results, differentiable(results)


def first_order(
    call: parity.Call,
    args: Any,
    kwargs: Any,
    places: list[parity.Place],
    stored: Callable[[Tensor], Tensor] = lambda value: value,
    view: Callable[[Tensor, int], Tensor] = lambda value, ndim: value,
    total: Callable[[Any, list[bool]], Tensor] = mindspore_total,
) -> str:
    """Return how the gradients of a weighted sum of the results differ.

    The function gets `view` of what `stored` makes of the tensors, and `total` weights its results.
    """
    inputs, results, counted = _torch_results(call, places)
    if not any(counted):
        return ""
    try:
        theirs = torch.autograd.grad(torch_total(results, counted), inputs, allow_unused=True)
    except parity.REFUSALS:
        return ""
    function, given = call.function, [get(args, place) for place in places]
    values = [stored(value) for value in given]

    def weighted(*now: Any) -> Tensor:
        views = [view(value, held.ndim) for value, held in zip(now, given)]
        return total(function(*filled(args, places, views), **kwargs), counted)

    try:
        ours = grad(weighted, tuple(range(len(values))))(*values)
    except RuntimeError as error:
        # what does not depend on its inputs has zero gradients in PyTorch and no graph here
        if "does not require grad" not in str(error):
            raise
        ours = (None,) * len(values)
    return compare_gradients(theirs, [None if g is None else view(g, held.ndim) for g, held in zip(ours, given)])



def second_order(call: parity.Call, args: Any, kwargs: Any, places: list[parity.Place]) -> str:
    """Return how the gradients of a sum of squared gradients differ, at the second of two evaluations."""
    inputs, results, counted = _torch_results(call, places)
    if not any(counted):
        return ""
    try:
        inner = torch.autograd.grad(torch_total(results, counted), inputs, allow_unused=True, create_graph=True)
    except parity.REFUSALS:
        return ""
    used = [g is not None and g.requires_grad for g in inner]
    if not any(used):
        return ""
    square = weighted_squares(torch, [g for g, use in zip(inner, used) if use])
    try:
        theirs = torch.autograd.grad(square, inputs, allow_unused=True)
    except parity.REFUSALS:
        return ""
    if not any(t is not None and not t._is_zerotensor() and t.any() for t in theirs):
        return ""
    function, values = call.function, [get(args, place) for place in places]
    positions = tuple(range(len(values)))

    def total(*now: Any) -> Tensor:
        return mindspore_total(function(*filled(args, places, now), **kwargs), counted)

    def squares(*now: Any) -> Tensor:
        return weighted_squares(mint, [g for g, use in zip(grad(total, positions)(*now), used) if use])

    outer = grad(squares, positions)
    outer(*values)
    return compare_gradients(theirs, outer(*values), 2e-3, 5e-4)
