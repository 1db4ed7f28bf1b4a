"""Attention and Transformer layers beside torch.nn: names, initial weights, masks, values, gradients, dropout."""
from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import manual_seed, mint, nn, value_and_grad

RNG = np.random.RandomState(0)
E, HEADS, L, S, N = 8, 2, 4, 5, 3
Q, K = (RNG.randn(n, N, E).astype("float32") for n in (L, S))


def pair(name, *args, **options):
    torch.manual_seed(3)
    theirs = getattr(torch.nn, name)(*args, **options)
    manual_seed(3)
    ours = getattr(nn, name)(*args, **options)
    assert [k for k, _ in ours.named_parameters()] == [k for k, _ in theirs.named_parameters()]
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for a, b in zip(ours.parameters(), theirs.parameters()):
        np.testing.assert_allclose(a.asnumpy(), b.detach().numpy(), atol=1e-6)
    return ours, theirs


def same(ours, theirs, tol=3e-5):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), rtol=tol, atol=tol)


def gradients(ours, theirs, run, t_run):
    _, grads = value_and_grad(run, None, tuple(ours.parameters()))()
    theirs.zero_grad()
    t_run().backward()
    for g, (name, p) in zip(grads, theirs.named_parameters()):
        np.testing.assert_allclose(g.asnumpy(), p.grad.numpy(), rtol=1e-3, atol=5e-5, err_msg=name)


@pytest.mark.parametrize("options", [{}, {"batch_first": True}, {"bias": False}, {"kdim": 6, "vdim": 7}, {"add_bias_kv": True, "add_zero_attn": True}])
@pytest.mark.parametrize("masks", ["none", "bool", "float", "padding", "heads"])
def test_attention(options, masks):
    ours, theirs = pair("MultiheadAttention", E, HEADS, **options)
    q, k = Q, K
    v = RNG.randn(S, N, options.get("vdim", E)).astype("float32")
    if "kdim" in options:
        k = RNG.randn(S, N, 6).astype("float32")
    if options.get("batch_first"):
        q, k, v = (t.transpose(1, 0, 2).copy() for t in (q, k, v))
    blocked = np.triu(np.ones((L, S), bool), 2)
    arguments = {
        "none": {},
        "bool": {"attn_mask": blocked},
        "float": {"attn_mask": RNG.randn(L, S).astype("float32")},
        "padding": {"key_padding_mask": np.arange(S)[None] >= np.array([[5], [3], [4]]), "attn_mask": blocked},
        "heads": {"attn_mask": np.repeat(blocked[None], N * HEADS, 0)},
    }[masks]
    ms_args, pt_args = ({n: make(a) for n, a in arguments.items()} for make in (Tensor, torch.tensor))
    inputs, t_inputs = [Tensor(t) for t in (q, k, v)], [torch.tensor(t) for t in (q, k, v)]
    for extra in ({}, {"average_attn_weights": False}, {"need_weights": False}):
        for a, b in zip(ours(*inputs, **ms_args, **extra), theirs(*t_inputs, **pt_args, **extra)):
            same(a, b)
    gradients(ours, theirs, lambda: (ours(*inputs, **ms_args)[0] ** 2).sum(), lambda: (theirs(*t_inputs, **pt_args)[0] ** 2).sum())


def test_attention_without_a_batch():
    ours, theirs = pair("MultiheadAttention", E, HEADS)
    for a, b in zip(ours(*(Tensor(t[:, 0]) for t in (Q, K, K))), theirs(*(torch.tensor(t[:, 0]) for t in (Q, K, K)))):
        same(a, b)


@pytest.mark.parametrize("options", [{}, {"batch_first": True, "norm_first": True}, {"activation": "gelu"}])
@pytest.mark.parametrize("name", ["TransformerEncoderLayer", "TransformerDecoderLayer"])
def test_layers(name, options):
    ours, theirs = pair(name, E, HEADS, 16, dropout=0.0, **options)
    x, memory = (t.transpose(1, 0, 2).copy() if options.get("batch_first") else t for t in (Q, K))
    args = (x,) if "Encoder" in name else (x, memory)
    run, t_run = lambda: ours(*map(Tensor, args)), lambda: theirs(*map(torch.tensor, args))
    same(run(), t_run())
    gradients(ours, theirs, lambda: (run() ** 2).sum(), lambda: (t_run() ** 2).sum())


def test_stacks_and_the_whole_transformer():
    def encoder(lib, norm):
        return lib.TransformerEncoder(lib.TransformerEncoderLayer(E, HEADS, 16, dropout=0.0), 2, norm)

    torch.manual_seed(3)
    theirs = encoder(torch.nn, torch.nn.LayerNorm(E))
    manual_seed(3)
    ours = encoder(nn, mint.nn.LayerNorm(E))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    mask, t_mask = nn.Transformer.generate_square_subsequent_mask(L), torch.nn.Transformer.generate_square_subsequent_mask(L)
    same(mask, t_mask)
    same(ours(Tensor(Q), mask=mask), theirs(torch.tensor(Q), mask=t_mask))
    ours, theirs = pair("Transformer", E, HEADS, 1, 1, 16, dropout=0.0)
    same(ours(Tensor(K), Tensor(Q), tgt_mask=mask), theirs(torch.tensor(K), torch.tensor(Q), tgt_mask=t_mask))
    gradients(ours, theirs, lambda: (ours(Tensor(K), Tensor(Q)) ** 2).sum(), lambda: (theirs(torch.tensor(K), torch.tensor(Q)) ** 2).sum())


def test_dropout_in_training_only():
    ours, theirs = pair("TransformerEncoderLayer", E, HEADS, 16, dropout=0.5)
    assert not np.allclose(ours(Tensor(Q)).asnumpy(), ours(Tensor(Q)).asnumpy())
    ours.set_train(False)
    theirs.eval()
    same(ours(Tensor(Q)), theirs(torch.tensor(Q)))


def test_wrong_use_raises():
    with pytest.raises(AssertionError):
        nn.MultiheadAttention(E, 3)
    with pytest.raises(ValueError):
        nn.MultiheadAttention(0, 1)
