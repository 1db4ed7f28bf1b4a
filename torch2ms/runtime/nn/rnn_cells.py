"""Single steps of recurrent networks: LSTMCell, GRUCell, RNNCell."""

from __future__ import annotations

import math
from typing import Any

import mindspore
from mindspore import Parameter, Tensor

from .. import mint
from ..mint.nn._layers import initial
from .cell import Cell
from .recurrence import STEPS, input_gates

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _RNNCellBase(Cell):
    def __init__(self, mode: str, input_size: int, hidden_size: int, bias: bool, dtype: Any) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self._step, gates = STEPS[mode]
        self._states = 2 if mode == "LSTM" else 1
        dtype = mindspore.float32 if dtype is None else dtype
        bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0.0
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (gates * hidden_size, input_size),
            "weight_hh": (gates * hidden_size, hidden_size),
        }
        if bias:
            shapes.update(bias_ih=(gates * hidden_size,), bias_hh=(gates * hidden_size,))
        for name, shape in shapes.items():
            setattr(self, name, Parameter(initial.uniform(shape, bound, dtype), name=name))
        if not bias:
            self.bias_ih = self.bias_hh = None

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for p in self.parameters():
            initial.write(p, initial.uniform(p.shape, bound, p.dtype))

    def construct(self, input: Tensor, hx: Any = None) -> Any:
        if input.ndim not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        single = input.ndim == 1
        x = input.unsqueeze(0) if single else input
        if hx is None:
            state = tuple(mint.zeros((x.shape[0], self.hidden_size), dtype=x.dtype) for _ in range(self._states))
        else:
            state = tuple(hx) if isinstance(hx, (tuple, list)) else (hx,)
            state = tuple(s.unsqueeze(0) for s in state) if single else state
        state = self._step(input_gates(x, self.weight_ih, self.bias_ih), state, (self.weight_hh, self.bias_hh, None))
        state = tuple(s.squeeze(0) for s in state) if single else state
        return state if self._states == 2 else state[0]

    def extend_repr(self) -> str:
        """The sizes."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class LSTMCell(_RNNCellBase):
    """One step of an LSTM: (input, (h, c)) -> (h, c)."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, dtype: Any = None) -> None:
        super().__init__("LSTM", input_size, hidden_size, bias, dtype)


class GRUCell(_RNNCellBase):
    """One step of a GRU: (input, h) -> h."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, dtype: Any = None) -> None:
        super().__init__("GRU", input_size, hidden_size, bias, dtype)


class RNNCell(_RNNCellBase):
    """One step of an Elman network: (input, h) -> h."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", dtype: Any = None
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {nonlinearity}")
        super().__init__("RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU", input_size, hidden_size, bias, dtype)
        self.nonlinearity = nonlinearity
