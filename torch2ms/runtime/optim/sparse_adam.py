"""SparseAdam, which MindSpore has no gradients for."""

from __future__ import annotations

from typing import Any

from .optimizer import Optimizer


class SparseAdam(Optimizer):
    """Refuses: MindSpore's gradients of embeddings are dense."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, maximize: bool = False
    ):
        raise NotImplementedError(
            "SparseAdam: MindSpore has no sparse gradients; use Adam, and Embedding without sparse=True "
            "(the rows that a batch does not touch then decay their moments, too)"
        )
