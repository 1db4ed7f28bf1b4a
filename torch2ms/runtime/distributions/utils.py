"""`torch.distributions.utils`: what distributions of one's own are written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mindspore import Tensor

from .. import grad_mode, mint
from .._default_dtype import get_default_dtype
from ._matrices import lower_elements, lower_matrix
from .bernoulli import clamp_probs

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Return numbers and tensors as tensors of one shape; numbers take the type of the first tensor."""
    if not all(isinstance(value, (Tensor, int, float, np.generic)) for value in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    given = [value for value in values if isinstance(value, Tensor)]
    dtype = given[0].dtype if given else get_default_dtype()
    whole = [value if isinstance(value, Tensor) else Tensor(value, dtype) for value in values]
    shape = np.broadcast_shapes(*(tuple(value.shape) for value in whole))
    return tuple(value if tuple(value.shape) == shape else mint.broadcast_to(value, shape) for value in whole)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return the probabilities: of one event each, or of classes along the last dimension."""
    return mint.sigmoid(logits) if is_binary else mint.softmax(logits, -1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the logarithms of the odds, or of the probabilities of classes."""
    clamped = clamp_probs(probs)
    return mint.log(clamped) - mint.log1p(-clamped) if is_binary else mint.log(clamped)


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Return lower triangular matrices with the elements of vectors, row by row."""
    return lower_matrix(vec, diag)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements of lower triangular matrices, row by row, as vectors."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return lower_elements(mat, diag)


class lazy_property(property):
    """A property that is computed once, with gradients, and kept."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        super().__init__(wrapped)
        self.wrapped = wrapped

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        name = self.wrapped.__name__
        if name not in instance.__dict__:
            with grad_mode.enable_grad():
                instance.__dict__[name] = self.wrapped(instance)
        return instance.__dict__[name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.wrapped.__name__] = value
