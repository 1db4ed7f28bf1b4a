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
from torch2ms.runtime import mint


def _stored(value: Tensor) -> Tensor:
    """Return a tensor in order, of which `_view` gives the elements of `value`, out of order."""
    data = value.asnumpy()
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
    given = [gradients.get(args, place) for place in places]
    views = [_view(_stored(value), value.ndim) for value in given]
    found = parity.difference(reference, call.function(*gradients.filled(args, places, views), **kwargs))
    if found or not places:
        return found
    return gradients.first_order(call, args, kwargs, places, _stored, _view, _total)


_WRITES = dict.fromkeys(
    ("nn.functional.embedding", "nn.functional.embedding_bag"),
    "samples with max_norm rewrite the weight, and MindSpore assigns to no view",
)


@pytest.mark.parametrize(("op", "name", "label"), _entries(torch.float32))
def test_strided(op: Any, name: str, label: str) -> None:
    if parity.is_random(name):
        pytest.skip("random: test_random.py compares the draws")
    if name in _WRITES:
        pytest.skip(_WRITES[name])
    _judge(_run(op, name, torch.float32, _check), label, exceptions.FORWARD | exceptions.GRADIENT)
