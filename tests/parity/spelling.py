"""Values of PyTorch as the source text that a user would write, with tensors as named parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

NAMED = (torch.dtype, torch.layout, torch.memory_format)


class Unspelled(Exception):
    """A sample has a value that no literal stands for: a function, a sparse tensor, a generator."""


@dataclass
class Speller:
    """Spells the values of one call; the tensors it meets become `t0`, `t1` ..."""

    tensors: list[torch.Tensor] = field(default_factory=list)

    @property
    def parameters(self) -> str:
        """The parameters of a function around the call."""
        return ", ".join(f"t{i}: torch.Tensor" for i in range(len(self.tensors)))

    def arguments(self, args: Any, kwargs: dict[str, Any]) -> str:
        """The arguments of a call, without its parentheses."""
        return ", ".join([*map(self.value, args), *(f"{name}={self.value(v)}" for name, v in kwargs.items())])

    def value(self, value: Any) -> str:
        """One value."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, NAMED):
            return str(value)
        if isinstance(value, torch.device):
            return f'torch.device("{value}")'
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.value(k)}: {self.value(v)}" for k, v in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.value(value.start)}, {self.value(value.stop)}, {self.value(value.step)})"
        if isinstance(value, (list, tuple)):
            return self._sequence(value)
        return _scalar(value)

    def _tensor(self, value: torch.Tensor) -> str:
        if value.layout != torch.strided or type(value) not in (torch.Tensor, torch.nn.Parameter):
            raise Unspelled(f"a tensor of layout {value.layout}")
        for i, known in enumerate(self.tensors):
            if known is value:
                return f"t{i}"
        self.tensors.append(value)
        return f"t{len(self.tensors) - 1}"

    def _sequence(self, value: Any) -> str:
        inner = [self.value(v) for v in value]
        if isinstance(value, list):
            return f"[{', '.join(inner)}]"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"


def _scalar(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is Ellipsis:
        return "..."
    if value is None or type(value) in (bool, int, float, complex, str):
        return repr(value)
    raise Unspelled(f"a value of type {type(value).__name__}")
