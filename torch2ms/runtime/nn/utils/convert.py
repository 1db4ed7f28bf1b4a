"""Parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable

from mindspore import Tensor

from ... import mint
from ..._lower.assignment import assign


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all parameters flattened, one after the other: (sum of sizes,)."""
    return mint.cat([p.reshape(-1) for p in parameters], 0)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Copy the parts of a vector into the parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected a Tensor, but got: {type(vec).__name__}")
    start = 0
    for p in parameters:
        size = math.prod(p.shape)
        assign(p, vec[start : start + size].reshape(p.shape))
        start += size
