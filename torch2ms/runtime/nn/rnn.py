"""Recurrent layers with the parameters, their order and their names as in PyTorch.

https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

from .. import mint
from ..mint.nn._layers import initial
from .cell import Cell
from .recurrence import STEPS, lstm_direction, run_direction
from .utils.rnn import PackedSequence, pack_padded, padded

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


class RNNBase(Cell):
    """Several layers of one recurrence, in one or both directions.

    Input (steps, batch, inputs), with `batch_first` (batch, steps, inputs), (steps, inputs) without a batch, or a
    PackedSequence. `construct(input, hx=None)` returns the outputs of the last layer and the last hidden state.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._check(hidden_size, num_layers, dropout, proj_size, mode)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        self._directions = 2 if bidirectional else 1
        self._step, self._gates = STEPS[mode]
        dtype = mindspore.float32 if dtype is None else dtype
        bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0.0
        for layer in range(num_layers):
            for direction in range(self._directions):
                for name, shape in self._shapes(layer, direction):
                    setattr(self, name, Parameter(initial.uniform(shape, bound, dtype), name=name))

    @staticmethod
    def _check(hidden_size: int, num_layers: int, dropout: float, proj_size: int, mode: str) -> None:
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                f"dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=4,
            )
        if hidden_size <= 0 or num_layers <= 0:
            raise ValueError("hidden_size and num_layers must be greater than zero")
        if proj_size and mode != "LSTM":
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError("proj_size must be a positive integer smaller than hidden_size, or zero")

    def _shapes(self, layer: int, direction: int) -> list[tuple[str, tuple[int, ...]]]:
        suffix = f"_l{layer}" + ("_reverse" if direction else "")
        state = self.proj_size or self.hidden_size
        gates = self._gates * self.hidden_size
        inputs = self.input_size if layer == 0 else state * self._directions
        found: list[tuple[str, tuple[int, ...]]] = [
            (f"weight_ih{suffix}", (gates, inputs)),
            (f"weight_hh{suffix}", (gates, state)),
        ]
        if self.bias:
            found += [(f"bias_ih{suffix}", (gates,)), (f"bias_hh{suffix}", (gates,))]
        if self.proj_size:
            found.append((f"weight_hr{suffix}", (self.proj_size, self.hidden_size)))
        return found

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for p in self.parameters():
            initial.write(p, initial.uniform(p.shape, bound, p.dtype))

    def flatten_parameters(self) -> None:
        """Do nothing: the memory layout is the framework's business."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [
            [getattr(self, name) for name, _ in self._shapes(layer, direction)]
            for layer in range(self.num_layers)
            for direction in range(self._directions)
        ]

    def _weights(self, layer: int, direction: int) -> tuple[Tensor | None, ...]:
        suffix = f"_l{layer}" + ("_reverse" if direction else "")
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        return tuple(getattr(self, name + suffix, None) for name in names)

    def construct(self, input: Any, hx: Any = None) -> Any:
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        if input.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D tensor")
        single = input.ndim == 2
        x = input.unsqueeze(1) if single else mint.transpose(input, 0, 1) if self.batch_first else input
        state = self._initial(hx, x, single)
        x, state = self._layers(x, state, None)
        if single:
            return x.squeeze(1), self._returned(tuple(s.squeeze(1) for s in state))
        return (mint.transpose(x, 0, 1) if self.batch_first else x), self._returned(state)

    def _packed(self, input: PackedSequence, hx: Any) -> Any:
        x, lengths = padded(input)
        if hx is not None and input.sorted_indices is not None:
            hx = self._permuted(hx, input.sorted_indices)
        active = np.arange(x.shape[0])[:, None, None] < np.asarray(lengths)[None, :, None]
        x, state = self._layers(x, self._initial(hx, x, False), [Tensor(step) for step in active])
        if input.unsorted_indices is not None:
            state = tuple(mint.index_select(s, 1, input.unsorted_indices) for s in state)
        return pack_padded(x, lengths, input.sorted_indices, input.unsorted_indices), self._returned(state)

    def _permuted(self, hx: Any, order: Tensor) -> Any:
        if isinstance(hx, tuple):
            return tuple(mint.index_select(h, 1, order) for h in hx)
        return mint.index_select(hx, 1, order)

    def _initial(self, hx: Any, x: Tensor, single: bool) -> tuple[Tensor, ...]:
        """The state at the start, each (layers * directions, batch, size)."""
        sizes = (self.proj_size or self.hidden_size, self.hidden_size)[: 2 if self.mode == "LSTM" else 1]
        if hx is None:
            count = self.num_layers * self._directions
            return tuple(mint.zeros((count, x.shape[1], size), dtype=x.dtype) for size in sizes)
        state = tuple(hx) if isinstance(hx, (tuple, list)) else (hx,)
        if len(state) != len(sizes):
            raise ValueError(f"{type(self).__name__} expects {len(sizes)} hidden states, got {len(state)}")
        state = tuple(s.unsqueeze(1) for s in state) if single else state
        for s, size in zip(state, sizes):
            expected = (self.num_layers * self._directions, x.shape[1], size)
            if tuple(s.shape) != expected:
                raise RuntimeError(f"Expected hidden size {expected}, got {tuple(s.shape)}")
        return state

    def _layers(self, x: Tensor, state: tuple[Tensor, ...], active: Any) -> tuple[Tensor, tuple[Tensor, ...]]:
        ends: list[tuple[Tensor, ...]] = []
        # PyTorch computes these as a whole, all others step by step
        run = lstm_direction if self.mode == "LSTM" and active is None and not self.proj_size else run_direction
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(self._directions):
                row = layer * self._directions + direction
                start = tuple(s[row] for s in state)
                out, end = run(self._step, x, start, self._weights(layer, direction), direction == 1, active)
                outputs.append(out)
                ends.append(end)
            x = outputs[0] if len(outputs) == 1 else mint.cat(outputs, -1)
            if self.dropout > 0 and self.training and layer < self.num_layers - 1:
                x = mint.nn.functional.dropout(x, self.dropout, True)
        return x, tuple(mint.stack(parts, 0) for parts in zip(*ends))

    def _returned(self, state: tuple[Tensor, ...]) -> Any:
        return state if self.mode == "LSTM" else state[0]

    def extend_repr(self) -> str:
        """The arguments that differ from their defaults."""
        shown = f"{self.input_size}, {self.hidden_size}"
        for name, default in (
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0.0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != default:
                shown += f", {name}={getattr(self, name)}"
        return shown


class LSTM(RNNBase):
    """Long short-term memory; the state is a pair (h, c)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent units."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)


class RNN(RNNBase):
    """Elman network with tanh or relu."""

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        if len(args) > 3:
            nonlinearity, args = args[3], (*args[:3], *args[4:])
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self_mode = "RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU"
        super().__init__(self_mode, *args, **kwargs)
        self.nonlinearity = nonlinearity
