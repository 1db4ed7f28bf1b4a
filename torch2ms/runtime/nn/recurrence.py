"""One direction of one recurrent layer over a sequence, composed of operations that exist on every device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore import Tensor

from .. import mint
from .._device_target import IS_CPU
from .._lower.lifting import lifted

# (gates of the input, hidden state, weights) -> next hidden state
Step = Callable[[Tensor, tuple[Tensor, ...], Sequence[Tensor | None]], tuple[Tensor, ...]]


def input_gates(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The part of the gates that depends on the input, for all steps at once: (..., inputs) -> (..., gates)."""
    return mint.nn.functional.linear(x, weight, bias)


def lstm_step(gates: Tensor, state: tuple[Tensor, ...], weights: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """One step of an LSTM; gates in the order input, forget, cell, output. `weights`: hidden, bias, projection."""
    hidden, cell = state
    gates = gates + mint.nn.functional.linear(hidden, weights[0], weights[1])
    i, f, g, o = mint.chunk(gates, 4, -1)
    cell = mint.sigmoid(f) * cell + mint.sigmoid(i) * mint.tanh(g)
    hidden = mint.sigmoid(o) * mint.tanh(cell)
    if weights[2] is not None:
        hidden = mint.nn.functional.linear(hidden, weights[2])
    return hidden, cell


def gru_step(gates: Tensor, state: tuple[Tensor, ...], weights: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """One step of a GRU; gates in the order reset, update, new."""
    (hidden,) = state
    own = mint.nn.functional.linear(hidden, weights[0], weights[1])
    i_r, i_z, i_n = mint.chunk(gates, 3, -1)
    h_r, h_z, h_n = mint.chunk(own, 3, -1)
    reset, update = mint.sigmoid(i_r + h_r), mint.sigmoid(i_z + h_z)
    new = mint.tanh(i_n + reset * h_n)
    return ((hidden - new) * update + new,)


def tanh_step(gates: Tensor, state: tuple[Tensor, ...], weights: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """One step of an Elman network with tanh."""
    return (mint.tanh(gates + mint.nn.functional.linear(state[0], weights[0], weights[1])),)


def relu_step(gates: Tensor, state: tuple[Tensor, ...], weights: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """One step of an Elman network with relu."""
    return (mint.nn.functional.relu(gates + mint.nn.functional.linear(state[0], weights[0], weights[1])),)


STEPS: dict[str, tuple[Step, int]] = {
    "LSTM": (lstm_step, 4),
    "GRU": (gru_step, 3),
    "RNN_TANH": (tanh_step, 1),
    "RNN_RELU": (relu_step, 1),
}


def run_direction(
    step: Step,
    x: Tensor,
    state: tuple[Tensor, ...],
    weights: Sequence[Tensor | None],
    reverse: bool,
    active: Any,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Run over a sequence (steps, batch, inputs); return all hidden states and the last state.

    `weights`: input weight, hidden weight, input bias, hidden bias, projection. `active`, where lengths differ, holds
    for every step a boolean (batch, 1): the state of a sequence that has ended, or not begun, stays.
    """
    gates = input_gates(x, weights[0], weights[2])
    own = (weights[1], weights[3], weights[4])
    outputs = []
    order = range(x.shape[0] - 1, -1, -1) if reverse else range(x.shape[0])
    for t in order:
        new = step(gates[t], state, own)
        if active is not None:
            new = tuple(mint.where(active[t], n, o) for n, o in zip(new, state))
        state = new
        outputs.append(state[0])
    # a slice: `@mindspore.jit` hands list methods that write in place to the interpreter
    return mint.stack(outputs[::-1] if reverse else outputs, 0), state


# on CPU a whole layer of an LSTM rounds numbers of 16 bits at its ends only
lstm_direction = lifted("lstm_direction", run_direction) if IS_CPU else run_direction
