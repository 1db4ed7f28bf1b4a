"""Containers of cells and parameters beside those of torch.nn."""
from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

import mindspore as ms
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import mint, nn, value_and_grad

T = torch.nn


def lin(i=3):
    return mint.nn.Linear(i, i)


def keys(net):
    return [k for k, _ in net.named_parameters()]


def both(ours, theirs, actions):
    """Do the same to both and compare the keys after each action."""
    for act in actions:
        results = []
        for net, make in ((ours, lin), (theirs, lambda i=3: T.Linear(i, i))):
            try:
                act(net, make)
                results.append(None)
            except (IndexError, KeyError, TypeError, ValueError, AssertionError) as error:
                results.append(type(error))
        assert results[0] == results[1], (results, act.__code__.co_firstlineno)
        assert keys(ours) == keys(theirs) and len(ours) == len(theirs)


def test_sequential():
    both(
        nn.SequentialCell(lin(), lin()),
        T.Sequential(T.Linear(3, 3), T.Linear(3, 3)),
        [
            lambda s, m: s.append(m()),
            lambda s, m: s.insert(1, m()),
            lambda s, m: s.insert(-1, m()),
            lambda s, m: s.insert(99, m()),
            lambda s, m: s.extend([m(), m()]),
            lambda s, m: s.__setitem__(0, m()),
            lambda s, m: s.__setitem__(-1, m()),
            lambda s, m: s.__delitem__(2),
            lambda s, m: s.__delitem__(slice(0, 2)),
            lambda s, m: s.pop(1),
            lambda s, m: s.pop(50),
            lambda s, m: s.append(3),
            lambda s, m: s[99],
            lambda s, m: s.__iadd__(type(s)(m())),
            lambda s, m: s.__imul__(2),
            lambda s, m: s.add_module("named", m()),
            lambda s, m: s * 0,
            lambda s, m: s * 1.5,
            lambda s, m: s + [m()],
        ],
    )


def test_sequential_results():
    s = nn.SequentialCell(OrderedDict([("first", lin()), ("act", mint.nn.ReLU()), ("phase", lin())]))
    t = T.Sequential(OrderedDict([("first", T.Linear(3, 3)), ("act", T.ReLU()), ("phase", T.Linear(3, 3))]))
    assert keys(s) == keys(t) and keys(s[1:]) == keys(t[1:]) and keys(s + s[:1]) == keys(t + t[:1]) and keys(2 * s) == keys(2 * t)
    assert s[-1] is s._cells["phase"] and s.first is s[0] and list(s)[1] is s.act
    s.load_state_dict({k: Tensor(v.numpy()) for k, v in t.state_dict().items()})
    x = np.random.RandomState(0).randn(2, 3).astype("float32")
    np.testing.assert_allclose(s(Tensor(x)).asnumpy(), t(torch.tensor(x)).detach().numpy(), rtol=1e-5, atol=1e-6)
    s.extra = mint.nn.Tanh()
    t.extra = T.Tanh()
    np.testing.assert_allclose(s(Tensor(x)).asnumpy(), t(torch.tensor(x)).detach().numpy(), rtol=1e-4, atol=1e-5)
    assert nn.SequentialCell()(5) == 5


def test_a_subclass_of_sequential():
    class Block(nn.SequentialCell):
        def __init__(self, n):
            super().__init__(mint.nn.Linear(n, n), mint.nn.ReLU())
            self.add_module("more", mint.nn.Linear(n, n))

        def construct(self, x):
            return super().construct(x) + x

    b = Block(3)
    assert keys(b) == ["0.weight", "0.bias", "more.weight", "more.bias"] and b.training
    assert b(Tensor(np.ones((2, 3), np.float32))).shape == (2, 3)


def test_cell_list():
    both(
        nn.CellList([lin(), lin()]),
        T.ModuleList([T.Linear(3, 3), T.Linear(3, 3)]),
        [
            lambda s, m: s.append(m()),
            lambda s, m: s.extend(m() for _ in range(2)),
            lambda s, m: s.insert(1, m()),
            lambda s, m: s.__iadd__([m()]),
            lambda s, m: s.__setitem__(-1, m()),
            lambda s, m: s.__delitem__(0),
            lambda s, m: s.__delitem__(-1),
            lambda s, m: s.__delitem__(slice(1, 3)),
            lambda s, m: s.pop(0),
            lambda s, m: s.extend(3),
            lambda s, m: s[77],
            lambda s, m: s.extend(type(s)([m()])),
        ],
    )
    s = nn.CellList(lin() for _ in range(3))
    assert s[np.int64(-1)] is s[2] and isinstance(s[1:], nn.CellList) and s[1:][0] is s[1]
    assert keys(s + [lin()]) == keys(nn.CellList([*s, lin()])) and list(s)[0] is s[0]
    assert isinstance(s, ms.nn.CellList)


def test_cell_dict():
    both(
        nn.CellDict({"b": lin(), "a": lin()}),
        T.ModuleDict({"b": T.Linear(3, 3), "a": T.Linear(3, 3)}),
        [
            lambda s, m: s.__setitem__("c", m()),
            lambda s, m: s.update({"d": m(), "a": m()}),
            lambda s, m: s.update([("e", m())]),
            lambda s, m: s.update(type(s)({"f": m()})),
            lambda s, m: s.pop("b"),
            lambda s, m: s.pop("zz"),
            lambda s, m: s.__delitem__("a"),
            lambda s, m: s["zz"],
            lambda s, m: s.__setitem__("g", 3),
            lambda s, m: s.__setitem__("h.i", m()),
            lambda s, m: s.update(3),
            lambda s, m: s.clear(),
        ],
    )
    s = nn.CellDict({"cells": lin(), "phase": lin(), "list": nn.CellList([lin()])})
    assert list(s.keys()) == list(s) == ["cells", "phase", "list"] and "phase" in s and "x" not in s
    assert [k for k, _ in s.items()] == ["cells", "phase", "list"] and list(s.values())[0] is s["cells"]
    assert keys(s)[-1] == "list.0.bias"


def p(n=2):
    return Parameter(mint.ones(n))


def test_parameter_list():
    ours, theirs = nn.ParameterList([p(), p()]), T.ParameterList([T.Parameter(torch.ones(2))] * 2)
    for net, make in ((ours, p), (theirs, lambda n=2: T.Parameter(torch.ones(n)))):
        net.append(make())
        net.extend([make(), make()])
        net[1] = make(3)
        net += [make()]
        net.append("text")
        with pytest.raises(IndexError):
            net[50]
        with pytest.raises(TypeError):
            net.extend(3)
    assert keys(ours) == keys(theirs) and len(ours) == len(theirs) == 7
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert ours[1].shape == (3,) and ours[-1] == "text" and isinstance(ours[:2], nn.ParameterList) and len(ours[:2]) == 2
    ours.append(mint.ones(1))
    assert isinstance(ours[7], Parameter) and "(6): Object of type: str" in repr(ours)
    clone = copy.deepcopy(ours)
    assert clone[0] is not ours[0] and len(clone) == 8 and clone[6] == "text"


def test_parameter_list_in_a_net_trains():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.ws = nn.ParameterList([Parameter(mint.ones(2)) for _ in range(3)])

        def construct(self, x):
            for i, w in enumerate(self.ws):
                x = x * w + self.ws[i]
            return x.sum()

    net = Net()
    assert keys(net) == ["ws.0", "ws.1", "ws.2"]
    assert all(g is not None for g in value_and_grad(net, None, tuple(net.parameters()))(mint.ones(2))[1])


def test_parameter_dict():
    ours, theirs = nn.ParameterDict({"b": p(), "a": p()}), T.ParameterDict({"b": T.Parameter(torch.ones(2)), "a": T.Parameter(torch.ones(2))})
    for net, make in ((ours, p), (theirs, lambda n=2: T.Parameter(torch.ones(n)))):
        net["c"] = make()
        net.update({"z": make(), "y": make()})
        net.update([("x", make())])
        net.setdefault("c", None)
        net.setdefault("n", make())
        net |= type(net)({"m": make()})
        net.pop("a")
        del net["z"]
        with pytest.raises(AttributeError):
            net["zz"]
        with pytest.raises(AttributeError):
            net.pop("zz")
    with pytest.raises(TypeError):
        ours[3] = p()
    assert list(ours) == list(theirs) and keys(ours) == keys(theirs) and len(ours) == len(theirs)
    assert list(reversed(ours)) == list(reversed(theirs)) and list(ours.keys()) == list(theirs.keys())
    assert ours.get("c") is ours["c"] and ours.get("zz", 1) == 1 and "c" in ours
    assert ours.popitem()[0] == theirs.popitem()[0]
    assert list(ours.copy()) == list(theirs.copy()) and list(ours.fromkeys(["u"], p())) == list(theirs.fromkeys(["u"]))
    assert [k for k, _ in ours.items()] == list(ours) and len(list(ours.values())) == len(ours)
    ours.clear()
    assert len(ours) == 0 and keys(ours) == []


@pytest.mark.parametrize("name", ["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"])
def test_classes_are_called_as_in_pytorch(name: str) -> None:
    ours = {"Sequential": "SequentialCell", "ModuleList": "CellList", "ModuleDict": "CellDict"}.get(name, name)
    module = getattr(nn, ours)()
    assert type(module).__name__ == type(getattr(torch.nn, name)()).__name__
    assert type(pickle.loads(pickle.dumps(module))) is type(module)


def test_a_class_derived_from_a_container_has_its_own_name() -> None:
    class Stack(nn.SequentialCell):
        pass

    assert Stack(mint.nn.ReLU()).__class__.__name__ == "Stack"


def test_a_container_compiles_under_its_name() -> None:
    net = nn.SequentialCell(mint.nn.ReLU(), nn.SequentialCell(mint.nn.Tanh()))
    x = mint.ones((2, 2))

    @ms.jit
    def compiled(value):
        return net(value)

    np.testing.assert_allclose(compiled(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)
