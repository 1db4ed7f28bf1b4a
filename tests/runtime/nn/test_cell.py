"""Cell beside torch.nn.Module: modes, listings, attributes, state, copies, hooks."""
from __future__ import annotations

import copy
import pickle

import mindspore as ms
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor, ops

from torch2ms.runtime import mint, nn, value_and_grad

X = np.random.RandomState(0).randn(4, 3).astype("float32")


class TBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)
        self.bn = torch.nn.BatchNorm1d(3)
        self.register_buffer("scale", torch.ones(3))
        self.register_buffer("mask", None)
        self.register_buffer("temp", torch.zeros(1), persistent=False)
        self.w = torch.nn.Parameter(torch.ones(3))
        self.register_parameter("missing", None)

    def forward(self, x):
        return self.bn(self.lin(x)) * self.w * self.scale


class TNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = TBlock()
        self.seq = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.BatchNorm1d(3).eval())
        self.shared = self.a
        self.items = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.ModuleDict({"k": torch.nn.Linear(3, 3)})])
        self.tied = torch.nn.Linear(3, 3)
        self.tied.weight = self.a.lin.weight
        self.plain = [torch.nn.Linear(3, 3)]

    def forward(self, x):
        return self.seq(self.a(x))


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lin = mint.nn.Linear(3, 3)
        self.bn = mint.nn.BatchNorm1d(3)
        self.register_buffer("scale", mint.ones(3))
        self.register_buffer("mask", None)
        self.register_buffer("temp", mint.zeros(1), persistent=False)
        self.w = Parameter(mint.ones(3))
        self.register_parameter("missing", None)

    def construct(self, x):
        return self.bn(self.lin(x)) * self.w * self.scale


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Block()
        self.seq = nn.SequentialCell(mint.nn.Linear(3, 3), mint.nn.ReLU(), mint.nn.BatchNorm1d(3).set_train(False))
        self.shared = self.a
        self.items = nn.CellList([mint.nn.Linear(3, 3), nn.CellDict({"k": mint.nn.Linear(3, 3)})])
        self.tied = mint.nn.Linear(3, 3)
        self.tied.weight = self.a.lin.weight
        self.plain = [mint.nn.Linear(3, 3)]

    def construct(self, x):
        return self.seq(self.a(x))


@pytest.fixture
def nets():
    return Net(), TNet()


def names(pairs):
    return [name for name, _ in pairs]


def test_listings_are_those_of_pytorch(nets):
    ours, theirs = nets
    for method in ("named_parameters", "named_buffers", "named_children", "named_modules"):
        assert names(getattr(ours, method)()) == names(getattr(theirs, method)()), method
        assert names(getattr(nn, method)(ours)) == names(getattr(theirs, method)())
    for method in ("named_parameters", "named_buffers"):
        for options in ({"recurse": False}, {"prefix": "x"}, {"remove_duplicate": False}, {"prefix": "x", "recurse": False}):
            assert names(getattr(ours, method)(**options)) == names(getattr(theirs, method)(**options)), (method, options)
    assert names(ours.named_modules(prefix="m")) == names(theirs.named_modules(prefix="m"))
    assert names(ours.named_modules(remove_duplicate=False)) == names(theirs.named_modules(remove_duplicate=False))
    for method in ("parameters", "buffers", "children", "modules"):
        assert len(list(getattr(ours, method)())) == len(list(getattr(theirs, method)())) == len(list(getattr(nn, method)(ours)))
    assert [p.requires_grad for p in ours.buffers()] == [False] * len(list(theirs.buffers()))
    assert list(ours.state_dict()) == list(theirs.state_dict())


def test_function_forms_take_bare_mindspore_layers():
    bare = ms.nn.SequentialCell(ms.mint.nn.Linear(2, 2), ms.mint.nn.BatchNorm1d(2), ms.nn.BatchNorm1d(2))
    assert names(nn.named_parameters(bare)) == ["0.weight", "0.bias", "1.weight", "1.bias", "2.gamma", "2.beta"]
    assert names(nn.named_buffers(bare)) == ["1.running_mean", "1.running_var", "1.num_batches_tracked", "2.moving_mean", "2.moving_variance"]
    assert len(list(nn.modules(bare))) == 4 and len(list(nn.children(bare))) == 3
    assert nn.get_parameter(bare, "0.weight") is bare[0].weight and nn.get_submodule(bare, "1") is bare[1]


def test_members_by_path(nets):
    ours, _ = nets
    assert ours.get_submodule("items.1.k") is ours.items[1]["k"] and ours.get_submodule("") is ours
    assert ours.get_parameter("a.lin.weight") is ours.a.lin.weight
    assert ours.get_buffer("a.scale") is ours.a.scale and ours.get_buffer("seq.2.running_mean") is ours.seq[2].running_mean
    for call in (lambda: ours.get_submodule("a.none"), lambda: ours.get_submodule("a.w"), lambda: ours.get_parameter("a.scale"), lambda: ours.get_parameter("a.bn.running_mean"), lambda: ours.get_buffer("a.w")):
        with pytest.raises(AttributeError):
            call()


def test_mode_at_birth_and_afterwards(nets):
    ours, theirs = nets
    def modes():
        return [m.training for m in ours.modules()]
    def t_modes():
        return [m.training for m in theirs.modules()]
    assert modes() == t_modes() and modes().count(False) == 1
    assert ours.set_train(False) is ours
    theirs.eval()
    assert modes() == t_modes()
    ours.set_train()
    theirs.train()
    assert modes() == t_modes()
    ours.a.set_train(False)
    theirs.a.eval()
    assert modes() == t_modes()
    with pytest.raises(ValueError, match="boolean"):
        ours.set_train(1)


def test_an_overridden_mode_of_a_child_is_honoured():
    class Frozen(nn.Cell):
        def __init__(self):
            super().__init__()
            self.bn = mint.nn.BatchNorm1d(3)

        def set_train(self, mode=True):
            super().set_train(mode)
            self.bn.set_train(False)
            return self

    net = nn.SequentialCell(Frozen(), mint.nn.Dropout(0.5))
    net.set_train()
    assert net[0].training and not net[0].bn.training and net[1].training


def test_apply_goes_from_the_children_to_the_cell(nets):
    ours, theirs = nets
    seen, t_seen = [], []
    assert ours.apply(lambda m: seen.append(len(list(m.children())))) is ours
    theirs.apply(lambda m: t_seen.append(len(list(m.children()))))
    assert seen == t_seen


def test_requires_grad_and_zero_grad(nets):
    ours, _ = nets
    assert ours.requires_grad_(False) is ours
    assert not any(p.requires_grad for p in ours.parameters())
    ours.requires_grad_()
    assert all(p.requires_grad for p in ours.parameters())
    for p in ours.parameters():
        p.grad = ops.ones_like(p)
    ours.zero_grad(set_to_none=False)
    assert all(float(p.grad.abs().sum()) == 0 for p in ours.parameters())
    ours.zero_grad()
    assert all(p.grad is None for p in ours.parameters())


def test_buffers_can_be_assigned():
    b = Block()
    kept = b.scale
    b.scale = mint.zeros((2, 2))
    assert b.scale.shape == (2, 2) and kept.shape == (3,)
    b.mask = mint.ones(2)
    assert "mask" in dict(b.named_buffers()) and "mask" in b.state_dict()
    b.mask = None
    assert b.mask is None and "mask" not in b.state_dict()
    with pytest.raises(TypeError, match="buffer 'scale'"):
        b.scale = 3.0
    del b.scale
    assert not hasattr(b, "scale")


def test_a_buffer_carries_gradient_from_call_to_call():
    class Leaky(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(np.array([0.5], np.float32)))
            self.register_buffer("state", mint.zeros(1))

        def construct(self, x):
            self.state = self.w * self.state + x
            return self.state

    net = Leaky()

    def fn():
        net.state = ops.stop_gradient(net.state)
        for _ in range(3):
            out = net(mint.ones(1))
        return out.sum()

    w = torch.tensor([0.5], requires_grad=True)
    state = torch.zeros(1)
    for _ in range(2):
        loss, (g,) = value_and_grad(fn, None, (net.w,))()
        state, w.grad = state.detach(), None
        for _ in range(3):
            state = w * state + 1
        state.sum().backward()
        np.testing.assert_allclose(float(loss), float(state.detach()), rtol=1e-6)
        np.testing.assert_allclose(g.asnumpy(), w.grad.numpy(), rtol=1e-6)


def test_attributes_move_between_registries():
    m = nn.Cell()
    m.x = None
    m.x = mint.nn.Linear(1, 1)
    assert names(m.named_children()) == ["x"]
    m.x = Parameter(mint.ones(1))
    assert names(m.named_children()) == [] and names(m.named_parameters()) == ["x"]
    m.x = None
    assert names(m.named_parameters()) == [] and m.x is None
    m.register_buffer("b", mint.ones(1))
    m.b = Parameter(mint.ones(1))
    assert names(m.named_buffers()) == [] and names(m.named_parameters()) == ["b"]
    with pytest.raises(TypeError, match="as parameter 'b'"):
        m.b = mint.ones(1)
    m.params = [Parameter(mint.ones(1), name="same"), Parameter(mint.ones(1), name="same")]
    assert names(m.named_parameters()) == ["b"] and len(m.params) == 2
    m.add_module("child", mint.nn.Linear(1, 1))
    m.register_module("none", None)
    assert names(m.named_children()) == ["child"] and m.none is None
    with pytest.raises(TypeError, match="child cell 'child'"):
        m.child = [1]


def test_a_cell_with_bprop_is_no_module():
    class Scale(nn.Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, g):
            return 3 * g

    net = nn.Cell()
    net.scale = Scale()
    assert list(net.modules()) == [net]
    p = Parameter(mint.ones(2))
    assert float(value_and_grad(lambda: net.scale(p).sum(), None, (p,))()[1][0][0]) == 3.0


def test_deepcopy_owns_everything(nets):
    ours, _ = nets
    ours.note = {"t": mint.ones(2)}
    ours.hooked = []
    ours.register_forward_hook(lambda m, i, o: None)
    clone = copy.deepcopy(ours)
    assert names(clone.named_parameters()) == names(ours.named_parameters()) and clone.tied.weight is clone.a.lin.weight
    assert clone.shared is clone.a and [m.training for m in clone.modules()] == [m.training for m in ours.modules()]
    for a, b in zip((*clone.parameters(), *clone.buffers()), (*ours.parameters(), *ours.buffers())):
        assert a is not b
        if b.dtype == ms.float32:
            ops.assign(b, b + 1)
            assert not np.allclose(a.asnumpy(), b.asnumpy())
    ours.note["t"][0] = 7.0
    assert float(clone.note["t"][0]) == 1.0
    clone(Tensor(X))


def test_shallow_copy_has_its_own_attributes(nets):
    ours, theirs = nets
    for net in (ours, theirs):
        clone = copy.copy(net)
        clone.extra = 1
        assert not hasattr(net, "extra") and clone.a is net.a


def test_pickle_of_a_cell():
    clone = pickle.loads(pickle.dumps(nn.ParameterList([mint.ones(2)])))
    assert names(clone.named_parameters()) == ["0"] and clone.training


def load_errors(call):
    with pytest.raises(RuntimeError) as caught:
        call()
    return str(caught.value)


def test_load_state_dict(nets):
    ours, theirs = nets
    state = {k: Tensor(v.numpy()) for k, v in theirs.state_dict().items()}
    result = ours.load_state_dict(state)
    assert str(result) == "<All keys matched successfully>" and result == ([], []) and result.missing_keys == []
    for key, value in ours.state_dict().items():
        np.testing.assert_array_equal(value.asnumpy(), state[key].asnumpy())
        assert value is not state[key]
    state["seq.0.bias"][0] = 99.0
    assert float(ours.seq[0].bias[0]) != 99.0
    live = ours.a.lin.weight
    assert ours.tied.weight is live


def test_load_state_dict_reports_everything_at_once(nets):
    ours, theirs = nets
    state = {k: Tensor(v.numpy()) for k, v in ours_state(theirs).items()}
    del state["a.w"], state["seq.2.running_var"]
    state["extra.weight"] = state["other"] = mint.ones(1)
    state["seq.0.bias"], state["items.0.weight"] = mint.ones(4), mint.ones((2, 2))
    t_state = {k: torch.tensor(v.asnumpy()) for k, v in state.items()}
    with pytest.raises(RuntimeError) as theirs_error:
        theirs.load_state_dict(t_state)
    message = load_errors(lambda: ours.load_state_dict(state))
    assert "Net:" in message
    for word in ("Missing key(s)", '"a.w", "seq.2.running_var"', "Unexpected key(s)", '"extra.weight", "other"', "size mismatch for seq.0.bias", "size mismatch for items.0.weight"):
        assert word in message and word in str(theirs_error.value)
    message = load_errors(lambda: ours.load_state_dict(state, strict=False))
    assert "size mismatch" in message and "Missing" not in message
    del state["seq.0.bias"], state["items.0.weight"]
    result = ours.load_state_dict(state, strict=False)
    del t_state["seq.0.bias"], t_state["items.0.weight"]
    expected = theirs.load_state_dict(t_state, strict=False)
    assert result.missing_keys == expected.missing_keys and result.unexpected_keys == expected.unexpected_keys
    with pytest.raises(TypeError, match="dict-like"):
        ours.load_state_dict([1])
    assert "expected Tensor" in load_errors(lambda: ours.load_state_dict({**ours.state_dict(), "a.w": 3}))


def ours_state(theirs):
    return {k: v.clone() for k, v in theirs.state_dict().items()}


def test_load_state_dict_casts_keeps_identity_and_can_assign():
    lin = mint.nn.Linear(2, 2)
    w = lin.weight
    lin.load_state_dict({"weight": Tensor(np.full((2, 2), 2.0)), "bias": Tensor(np.array([1, 2]))})
    assert lin.weight is w and w.dtype == ms.float32 and float(w[0, 0]) == 2.0
    new = Parameter(mint.ones((2, 2)), name="new")
    lin.load_state_dict({"weight": new, "bias": mint.zeros(2)}, assign=True)
    assert lin.weight is new and isinstance(lin.bias, Parameter)
    bn = mint.nn.BatchNorm1d(2)
    state = {k: (v * 0 + 5).astype(v.dtype) for k, v in bn.state_dict().items()}
    bn.load_state_dict(state)
    assert int(bn.num_batches_tracked) == 5 and bn.num_batches_tracked.dtype == ms.int64
    bn.load_state_dict({**state, "num_batches_tracked": Tensor([7])})
    assert int(bn.num_batches_tracked) == 7


def test_extra_state_and_hooks_of_loading():
    class Counted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    net = nn.SequentialCell(Counted())
    state = net.state_dict()
    assert state == {"0._extra_state": {"count": 3}}
    net[0].count = 9
    seen = []
    net.register_load_state_dict_pre_hook(lambda *args: seen.append("pre"))
    net.register_load_state_dict_post_hook(lambda cell, keys: seen.append(keys.missing_keys))
    net.load_state_dict(state)
    assert net[0].count == 3 and seen == ["pre", []]
    assert "_extra_state" in load_errors(lambda: net.load_state_dict({}))
    assert "_extra_state" in load_errors(lambda: mint.nn.Linear(1, 1).load_state_dict({"weight": mint.ones((1, 1)), "bias": mint.ones(1), "_extra_state": 1}))


def test_forward_hooks():
    lin = mint.nn.Linear(3, 3)
    calls = []
    handles = [
        lin.register_forward_pre_hook(lambda m, args: (args[0] * 2,)),
        lin.register_forward_hook(lambda m, args, out: calls.append(float(args[0][0, 0]))),
        lin.register_forward_hook(lambda m, args, out: out + 1, prepend=True),
        lin.register_forward_hook(lambda m, args, kwargs, out: calls.append(kwargs), with_kwargs=True),
    ]
    plain = lin.construct(Tensor(X) * 2) + 1
    np.testing.assert_allclose(lin(Tensor(X)).asnumpy(), plain.asnumpy(), rtol=1e-6)
    assert calls[0] == pytest.approx(2 * X[0, 0]) and calls[1] == {}
    for handle in handles:
        handle.remove()
    np.testing.assert_allclose(lin(Tensor(X) * 2).asnumpy() + 1, plain.asnumpy(), rtol=1e-6)


def test_backward_hooks_see_pytorchs_gradients():
    lin, t_lin = mint.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    lin.load_state_dict({k: Tensor(v.detach().numpy()) for k, v in t_lin.state_dict().items()})
    seen, t_seen = [], []
    for layer, log, to in ((lin, seen, lambda t: t.asnumpy().copy()), (t_lin, t_seen, lambda t: t.numpy().copy())):
        layer.register_full_backward_hook(lambda m, gi, go, log=log, to=to: log.append([to(gi[0]), to(go[0])]))
        layer.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
    x, tx = Tensor(X), torch.tensor(X, requires_grad=True)
    gx, grads = value_and_grad(lambda x: (lin(x) ** 2).sum(), 0, tuple(lin.parameters()))(x)[1]
    (t_lin(tx) ** 2).sum().backward()
    np.testing.assert_allclose(gx.asnumpy(), tx.grad.numpy(), rtol=1e-5, atol=1e-6)
    for g, p in zip(grads, t_lin.parameters()):
        np.testing.assert_allclose(g.asnumpy(), p.grad.numpy(), rtol=1e-5, atol=1e-6)
    for ours, theirs in zip(seen, t_seen):
        for a, b in zip(ours, theirs):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_to_changes_floating_point_members_in_place(nets):
    ours, _ = nets
    params = list(ours.parameters())
    ours.to(ms.float64)
    assert all(a is b for a, b in zip(params, ours.parameters()))
    assert {p.dtype for p in ours.parameters()} == {ms.float64}
    assert ours.a.bn.num_batches_tracked.dtype == ms.int64 and ours.a.scale.dtype == ms.float64
    assert ours(Tensor(X.astype(np.float64))).dtype == ms.float64


def test_jit_of_a_cell_follows_mode_and_containers(nets):
    ours, _ = nets
    x = Tensor(X)
    for mode in (True, False):
        ours.set_train(mode)

        @ms.jit
        def run(x):
            return ours(x)

        clone = copy.deepcopy(ours)
        np.testing.assert_allclose(run(x).asnumpy(), clone(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_an_empty_container_is_false_and_a_cell_is_true():
    class Sized(nn.Cell):
        def __len__(self):
            return 0

    assert nn.Cell() and not nn.SequentialCell() and not nn.CellList() and not nn.CellDict() and not Sized()
    net = nn.Cell()
    net.inner = Sized()
    net.inner.w = Parameter(mint.ones(1))
    assert names(net.named_parameters()) == ["inner.w"] and len(list(net.modules())) == 2


def test_repr_has_pytorchs_layout():
    net, t_net = nn.SequentialCell(nn.CellList([mint.nn.ReLU(), mint.nn.ReLU(), mint.nn.Tanh()])), torch.nn.Sequential(torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.ReLU(), torch.nn.Tanh()]))
    assert repr(net) == repr(t_net)

    class Noted(nn.Cell):
        def extend_repr(self):
            return "a=1"

    assert repr(Noted()) == "Noted(a=1)"
