"""mint on CPU, given views whose elements do not lie in order, and gradients that do not either.

A kernel of MindSpore that overlooks strides computes from the wrong elements and says nothing. So every function is
called on transposed tensors, and its results are transposed before they are weighted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from mindspore import Tensor

from tests.runtime.mint import exceptions, gradients, parity
from tests.runtime.mint.test_parity import _entries, _judge, _run
from torch2ms.runtime import grad, mint


def _stored(t: torch.Tensor) -> Tensor:
    """Return a tensor in order, of which `_view` gives the elements of `t`, out of order."""
    data = t.detach().numpy()
    if data.ndim == 1:
        return Tensor(np.stack([data, np.full_like(data, 77)], 1))
    return Tensor(np.swapaxes(data, -1, -2).copy()) if data.ndim else Tensor(data.copy())


def _view(stored: Tensor, ndim: int) -> Tensor:
    if ndim == 1:
        return mint.select(stored, 1, 0)
    return mint.transpose(stored, -1, -2) if ndim else stored


def _total(results: Any, counted: list[bool]) -> Tensor:
    """Return the weighted sum of `mindspore_total`, with gradients that reach the results out of order."""
    terms = []
    for r, use in zip(parity.leaves(results), counted):
        if use:
            weights = gradients.ramp(tuple(r.shape))
            if r.ndim > 1:
                r, weights = mint.transpose(r, -1, -2), np.swapaxes(weights, -1, -2).copy()
            terms.append(mint.sum(r * Tensor(weights, r.dtype)))
    return sum(terms[1:], terms[0])


def _check(call: parity.Call, args: Any, kwargs: Any, reference: Any) -> str:
    places = gradients.float_places(call.args)
    given = [gradients.get(call.args, place) for place in places]
    values, dims = [_stored(t) for t in given], [t.ndim for t in given]

    def results(*now: Tensor) -> Any:
        views = [_view(value, ndim) for value, ndim in zip(now, dims)]
        return call.function(*gradients.filled(args, places, views), **kwargs)

    found = parity.difference(reference, results(*values))
    inputs, theirs, counted = gradients._torch_results(call, places)
    if found or not places or not any(counted):
        return found
    try:
        wanted = torch.autograd.grad(gradients.torch_total(theirs, counted), inputs, allow_unused=True)
    except parity.REFUSALS:
        return ""
    try:
        ours = grad(lambda *now: _total(results(*now), counted), tuple(range(len(values))))(*values)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        return ""
    seen = [None if g is None else _view(g, ndim) for g, ndim in zip(ours, dims)]
    return gradients.compare_gradients(wanted, seen)


# max_norm rewrites the weight, which is refused where the weight is a view
_WRITES = {"nn.functional.embedding", "nn.functional.embedding_bag"}


@pytest.mark.parametrize(("op", "name", "label"), _entries(torch.float32))
def test_strided(op: Any, name: str, label: str) -> None:
    if parity.is_random(name) or name in _WRITES:
        pytest.skip("random, or writes to its argument")
    _judge(_run(op, name, torch.float32, _check), label, exceptions.FORWARD | exceptions.GRADIENT)
