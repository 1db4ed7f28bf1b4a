"""Recurrent layers and packed sequences beside torch.nn: names, values, gradients, initial weights, dropout."""
from __future__ import annotations

import mindspore as ms
import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import manual_seed, nn, value_and_grad
from torch2ms.runtime.nn.utils import rnn

T, B, I, H = 5, 3, 4, 6
RNG = np.random.RandomState(0)
X = RNG.randn(T, B, I).astype("float32")
KINDS = [("LSTM", {}), ("GRU", {}), ("RNN", {}), ("RNN", {"nonlinearity": "relu"}), ("LSTM", {"proj_size": 2})]
LAYOUTS = [
    {},
    {"num_layers": 2},
    {"bidirectional": True},
    {"num_layers": 2, "bidirectional": True, "batch_first": True},
    {"bias": False, "batch_first": True},
]


def pair(kind, **options):
    torch.manual_seed(3)
    theirs = getattr(torch.nn, kind)(I, H, **options)
    manual_seed(3)
    return getattr(nn, kind)(I, H, **options), theirs


def tree(value, convert):
    return tuple(tree(v, convert) for v in value) if isinstance(value, (tuple, list)) else convert(value)


def to_ours(value):
    return tree(value, lambda t: Tensor(t.detach().numpy()))


def check(ours, theirs, tol=2e-5):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            check(a, b, tol)
    else:
        assert ours.shape == tuple(theirs.shape)
        np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), rtol=tol, atol=tol)


def state_of(theirs, batch, value=0.3):
    directions = theirs.num_layers * (2 if theirs.bidirectional else 1)
    size = theirs.proj_size or theirs.hidden_size
    shape = (directions, batch, size) if batch else (directions, size)
    h = torch.full(shape, value)
    if not isinstance(theirs, torch.nn.LSTM):
        return h
    return h, torch.full((*shape[:-1], theirs.hidden_size), -value)


def compare_gradients(ours, theirs, run, t_run):
    loss, grads = value_and_grad(run, None, tuple(ours.parameters()))()
    theirs.zero_grad()
    t_run().backward()
    for g, (name, p) in zip(grads, theirs.named_parameters()):
        np.testing.assert_allclose(g.asnumpy(), p.grad.numpy(), rtol=1e-4, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind, options", KINDS)
def test_values_gradients_and_initial_weights(kind, options, layout):
    ours, theirs = pair(kind, **options, **layout)
    assert [k for k, _ in ours.named_parameters()] == [k for k, _ in theirs.named_parameters()]
    assert list(ours.state_dict()) == list(theirs.state_dict()) and ours.training
    for a, b in zip(ours.parameters(), theirs.parameters()):
        np.testing.assert_allclose(a.asnumpy(), b.detach().numpy(), atol=1e-7)
    x = X.transpose(1, 0, 2) if layout.get("batch_first") else X
    check(ours(Tensor(x)), theirs(torch.tensor(x)))
    state = state_of(theirs, B)
    check(ours(Tensor(x), to_ours(state)), theirs(torch.tensor(x), state))
    unbatched = state_of(theirs, None)
    check(ours(Tensor(x[0]), to_ours(unbatched)), theirs(torch.tensor(x[0]), unbatched))
    check(ours(Tensor(x[0])), theirs(torch.tensor(x[0])))

    def total(result):
        out, state = result
        last = state[0] * state[1].sum() if isinstance(state, (tuple, list)) else state
        return (out**2).sum() + last.sum()

    compare_gradients(ours, theirs, lambda: total(ours(Tensor(x), to_ours(state))), lambda: total(theirs(torch.tensor(x), state)))


@pytest.mark.parametrize("kind, options", KINDS)
@pytest.mark.parametrize("enforce_sorted", [True, False])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_packed_sequences(kind, options, enforce_sorted, bidirectional):
    ours, theirs = pair(kind, num_layers=2, bidirectional=bidirectional, **options)
    lengths = [5, 3, 1] if enforce_sorted else [3, 5, 1]
    packed = rnn.pack_padded_sequence(Tensor(X), Tensor(lengths), enforce_sorted=enforce_sorted)
    t_packed = torch.nn.utils.rnn.pack_padded_sequence(torch.tensor(X), torch.tensor(lengths), enforce_sorted=enforce_sorted)
    check(packed.data, t_packed.data)
    np.testing.assert_array_equal(packed.batch_sizes.asnumpy(), t_packed.batch_sizes.numpy())
    state = state_of(theirs, B)
    out, hidden = ours(packed, to_ours(state))
    t_out, t_hidden = theirs(t_packed, state)
    check(hidden, t_hidden)
    padded, sizes = rnn.pad_packed_sequence(out, padding_value=-1.0, total_length=6)
    t_padded, t_sizes = torch.nn.utils.rnn.pad_packed_sequence(t_out, padding_value=-1.0, total_length=6)
    check(padded, t_padded)
    np.testing.assert_array_equal(sizes.asnumpy(), t_sizes.numpy())

    def loss(model, packing, x, lengths, unpack):
        out, hidden = model(packing(x, lengths, enforce_sorted=enforce_sorted))
        return (unpack(out)[0] ** 2).sum()

    compare_gradients(
        ours,
        theirs,
        lambda: loss(ours, rnn.pack_padded_sequence, Tensor(X), Tensor(lengths), rnn.pad_packed_sequence),
        lambda: loss(theirs, torch.nn.utils.rnn.pack_padded_sequence, torch.tensor(X), torch.tensor(lengths), torch.nn.utils.rnn.pad_packed_sequence),
    )


@pytest.mark.parametrize("kind, options", KINDS[:3])
def test_dropout_between_layers_in_training_only(kind, options):
    ours, theirs = pair(kind, num_layers=3, dropout=0.5, **options)
    manual_seed(11)
    torch.manual_seed(11)
    check(ours(Tensor(X)), theirs(torch.tensor(X)))
    ours.set_train(False)
    theirs.eval()
    check(ours(Tensor(X)), theirs(torch.tensor(X)))


@pytest.mark.parametrize("kind, options", [("LSTMCell", {}), ("GRUCell", {}), ("RNNCell", {}), ("RNNCell", {"nonlinearity": "relu"}), ("LSTMCell", {"bias": False})])
def test_cells(kind, options):
    ours, theirs = pair(kind, **options)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for a, b in zip(ours.parameters(), theirs.parameters()):
        np.testing.assert_allclose(a.asnumpy(), b.detach().numpy(), atol=1e-7)
    lstm = kind == "LSTMCell"
    hx = torch.full((B, H), 0.2)
    state = (hx, -hx) if lstm else hx
    check(ours(Tensor(X[0])), theirs(torch.tensor(X[0])))
    check(ours(Tensor(X[0]), to_ours(state)), theirs(torch.tensor(X[0]), state))
    check(ours(Tensor(X[0, 0])), theirs(torch.tensor(X[0, 0])))

    def run(cell, x):
        state = None
        for t in range(T):
            state = cell(x[t], state)
        return ((state[0] if lstm else state) ** 2).sum()

    compare_gradients(ours, theirs, lambda: run(ours, Tensor(X)), lambda: run(theirs, torch.tensor(X)))


def test_a_lstm_inside_a_jitted_function():
    ours, theirs = pair("LSTM", num_layers=2, bidirectional=True)

    @ms.jit
    def run(x):
        out, (h, c) = ours(x)
        return (out**2).sum() + h.sum() + c.sum()

    loss, grads = value_and_grad(run, None, tuple(ours.parameters()))(Tensor(X))
    out, (h, c) = theirs(torch.tensor(X))
    ((out**2).sum() + h.sum() + c.sum()).backward()
    for g, p in zip(grads, theirs.parameters()):
        np.testing.assert_allclose(g.asnumpy(), p.grad.numpy(), rtol=1e-4, atol=2e-5)


def test_padding_and_packing_helpers():
    parts = [RNG.randn(n, 2).astype("float32") for n in (2, 4, 1)]
    ours, theirs = [Tensor(p) for p in parts], [torch.tensor(p) for p in parts]
    u = torch.nn.utils.rnn
    for options in ({}, {"batch_first": True}, {"padding_value": 7.0, "padding_side": "left"}):
        check(rnn.pad_sequence(ours, **options), u.pad_sequence(theirs, **options))
    packed, t_packed = rnn.pack_sequence(ours, enforce_sorted=False), u.pack_sequence(theirs, enforce_sorted=False)
    check(packed.data, t_packed.data)
    for a, b in zip(rnn.unpack_sequence(packed), u.unpack_sequence(t_packed)):
        check(a, b)
    lengths = [2, 4, 1]
    for a, b in zip(rnn.unpad_sequence(rnn.pad_sequence(ours), Tensor(lengths)), u.unpad_sequence(u.pad_sequence(theirs), torch.tensor(lengths))):
        check(a, b)
    np.testing.assert_array_equal(packed.sorted_indices.asnumpy(), t_packed.sorted_indices.numpy())
    np.testing.assert_array_equal(packed.unsorted_indices.asnumpy(), t_packed.unsorted_indices.numpy())
    data, batch_sizes, *_ = packed
    assert data is packed.data and batch_sizes is packed.batch_sizes
    for call in (lambda: rnn.pack_padded_sequence(Tensor(X), Tensor([1, 5, 3])), lambda: rnn.pack_padded_sequence(Tensor(X), Tensor([5, 3, 0]))):
        with pytest.raises(RuntimeError):
            call()


def test_wrong_use_raises():
    for call in (
        lambda: nn.LSTM(I, H)(Tensor(X[0, 0])),
        lambda: nn.LSTM(I, H)(Tensor(X[..., :2])),
        lambda: nn.GRU(I, H)(Tensor(X), Tensor(np.zeros((2, B, H), np.float32))),
        lambda: nn.RNN(I, H, nonlinearity="sigmoid"),
        lambda: nn.GRU(I, H, dropout=2),
        lambda: nn.GRU(I, H, proj_size=2),
        lambda: nn.LSTM(I, H, proj_size=H),
    ):
        with pytest.raises((ValueError, RuntimeError, TypeError)):
            call()
