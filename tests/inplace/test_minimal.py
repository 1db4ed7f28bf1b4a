"""The smallest programs of the differences that random programs found, each with the kind it stands for."""

from __future__ import annotations

import textwrap

import pytest

from tests.inplace.judge import Verdict, judge
from torch2ms.convert import convert_source

pytestmark = pytest.mark.mindspore

HEAD = """
from collections import namedtuple
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

Pair = namedtuple("Pair", ["a", "b"])

class Holder:
    def __init__(self, t):
        self.t = t

class Changer:
    def __call__(self, t):
        t.mul_(2)
"""
HELPERS = """
def bump(t):
    t.add_(1)

def scale(t, by):
    t *= by

def clear(t):
    t[0] = 0

def grow(t):
    t += 1
    t[1:] = 2

def wrapped(t):
    return [t]
"""
NUMBERS = "x = torch.tensor(np.linspace(-1.0, 1.5, 12).reshape(3, 4).astype(np.float32))\n"
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(np.linspace(-0.8, 1.1, 12).reshape(3, 4).astype(np.float32)))

    def forward(self, x):
        h = x * self.w
        s = self.w.mean()
{forward}
        return h, v

def train(net, batches):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for x in batches:
        optimizer.zero_grad()
        h, v = net(x)
{loop}
        loss = (h * h).mean() + (v * v * 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses

"""
END = """
net = Net()
net.eval()
with torch.no_grad():
    first = net(x)
net.train()
losses = train(net, [x, x + 0.5])
RESULT = [first, losses, net.w, x]
"""


def _head(body: str) -> str:
    """The imports and the functions that the body names: an unnamed one could be called from anywhere."""
    functions = HELPERS.strip("\n").split("\n\n")
    return HEAD + "".join(f"\n{f}\n" for f in functions if f[4 : f.index("(")] in body)


def plain(body: str) -> str:
    """A function of x that is never differentiated; h and v are returned."""
    body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{_head(body)}\ndef f(x):\n    h = x * 2\n    s = x.mean()\n{body}\n    return h, v\n\n{NUMBERS}RESULT = [f(x), x]\n"


def trained(body: str, loop: str = "pass") -> str:
    """The same lines in the forward of a network, or in its training loop."""
    forward = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    inside = textwrap.indent(textwrap.dedent(loop).strip(), " " * 8)
    return _head(forward + inside) + NET.format(forward=forward, loop=inside) + NUMBERS + END


PLAIN = {
    "a mask through a view": "v = h.view(-1)\nv[v > 0] = s",
    "a list through a transpose": "v = h.t()\nv[[0, 1]] *= 2",
    "a mask in a function": "v = h[1:]\nclear(v)\nv[v < 0] = 1",
    "the ellipsis through a chunk": "v = h.chunk(2)[0]\nv[...] = s",
    "a tuple with a list": "v = h.t()\nv[..., [0]] = 3",
    "advanced indexing, written as a whole": "v = h[[0, 2]]\nv.mul_(2)",
    "advanced indexing, given to a function": "v = h[[0, 2]]\nclear(v)",
    "advanced indexing, given to an object that is called": "v = h[[0, 2]]\nchanger = Changer()\nchanger(v)",
    "a method on the result of a mask": "v = h\nh[h > 0].mul_(2)",
    "a method on a view without a name": "v = h.t()\nh.t().add_(s)\nh.view(-1)[1:3] = s",
    "detach shares": "v = h.detach()\nh.detach().mul_(2)\nv.add_(1)",
    "data of a view": "v = h[0, 1:]\nv.data.clamp_(0, 1)",
    "data of the cast of a view": "v = h[0].type(torch.float32)\nv.data[0] = 3",
    "data assigned to a view": "v = h[1:]\nv.data = v.data * 2",
    "rows that are numbers": "v = h.view(-1)\nfor i, row in enumerate(v):\n    row.fill_(i)\n    row.mul_(s)",
    "rows of a loop": "v = h.t()\nfor row in v:\n    row.mul_(2)",
    "rows given to a function": "v = h[0]\nfor row in v:\n    bump(row)",
    "a layer in place on a view": "v = h[:1]\ny = F.relu(v, inplace=True)\nF.elu(v, inplace=True)",
    "out of a view": "v = h[0]\ntorch.add(v, 1, out=v)",
    "nn.init on a number": "v = h[0]\nnn.init.constant_(v[1], 2.0)",
    "nn.init on nothing": "v = h[:1]\nnn.init.ones_(v[1:])",
    "perhaps None": "v = h if x.shape[0] > 1 else None\nv //= 2",
    "inside an expression": "v = h[0]\nk = torch.sin(v.add_(1)) * 2\n[row.add_(1) for row in h]\nh = h + k",
    "index_put_": "v = h.t()\nv.index_put_((torch.tensor([0]),), s)",
    "perhaps None, seen by the caller": "def halve(t, really):\n    r = t if really else None\n    r /= 2\nv = h\nhalve(v, True)",
    "a layer that works in place, used in an expression": "v = h\nact = nn.ReLU(inplace=True)\ny = act(v) + 1",
}
TRAINED = {
    "a view of views": "v = h.t()[0]\nv.mul_(s)",
    "through functions of torch": "v = torch.unsqueeze(torch.transpose(h, 0, 1), 0)\nv -= v.mean()",
    "an alias and a view": "k = h\nv = h.view(-1)\nv.masked_fill_(v < 0.5, 2.0)\nh = h + k",
    "bound again between writes": "v = h[:-1]\ngrow(v)\nv = v[:, [0, 2]]\nv[...] = torch.ones_like(v) * s",
    "a view without a name": "v = h[0]\nh.t()[0] = s\nh.view(-1)[1:3] *= 2",
    "a mask through a view": "v = h.view_as(h)\nv[(v > 0) & (v < 2)] = 1",
    "a part by an index": "v = h[0, 1:]\nv[:1].add_(s)\nv[:1] += s",
    "a part by a mask": "v = h[0, 1:]\nv[v > 0] = s",
    "a part by a function": "a0 = h[:, :]\na1 = a0[:2, 1:]\nv = a1[0, 1:]\ngrow(v)",
    "columns by their number": "for c in range(4):\n    h[:, c].mul_(2.0).add_(s)\nv = h * 1\nfor c in range(h.shape[0]):\n    v[c, :] *= s",
    "columns of an axis of one": "v = h.unsqueeze(0) * 1\nfor c in range(v.shape[0]):\n    v[c, :, :].mul_(2.0).add_(s)\n    v[c, ...] *= s",
    "in a loop": "v = h.permute(1, 0).t()[:-1]\nfor _ in range(2):\n    v.mul_(s)",
}
REFUSED = {
    "a container": "box = []\nbox.append(h)\nv = box[0]\nv.sub_(s)",
    "an attribute": "holder = Holder(h)\nv = holder.t\nv[..., :1] = 4",
    "a layer in place on an attribute": "holder = Holder(h)\nv = holder.t\nF.leaky_relu(v, 0.2, inplace=True)",
    "a conversion that sometimes copies": "v = h.float()\nv.mul_(2)",

    "data": "v = h\nv.data[0] = 3",
    "another tensor as data under no_grad": "v = h[:, [0, 2]]\nwith torch.no_grad():\n    v.data = v.data * 2",
    "detach": "v = h\nh.detach().zero_()",
    "nn.init": "v = h[:1]\nnn.init.constant_(v, 2.0)",
    "a record": "pair = Pair(h, 1)\nv = pair.a\ntorch.sigmoid_(v)",
    "all of an argument": "def fill(t):\n    r = t\n    r[:, :] = 2\n    return r\nv = fill(h)",
    "a record of an argument": "def mark(t):\n    k = t.t()\n    r = Pair(t, 1).a\n    r[..., [0]] = 3\n    return k\nv = mark(h)",
    "a reshaped argument": "def halve(t):\n    k = t + 1\n    r = torch.reshape(t, (-1,))\n    r[0] /= 2\n    return k\nv = halve(h)",
    "a lambda": "v = (lambda t: t[1:])(h)\nv.mul_(2)",
}
LOOPS = {
    "a function": "r = wrapped(h)[0]\nr *= 2",
    "a list": "box = []\nbox.append(h)\nr = box[-1]\nv = r * 2",
    "a layer": "r = h\nF.relu(r, inplace=True)",
    "a function brings the gradient in": "v = h[0].detach()\nscale(v, net.w.mean())\nh = v",
    "a view brings the gradient in": "h = torch.zeros(3)\nr = h[:1]\nr.add_(net.w.mean())\nv = h",
    "a chain brings the gradient in": "v = h[0].detach()\nv.add_(net.w.mean()).clamp_(max=2)\nh = v",
    "an item of a view brings the gradient in": "v = h.detach().view(-1)\nv.view(-1)[0] += net.w.mean()\nh = v",
    "an init": "r = wrapped(h)[0]\nnn.init.constant_(r[0], 1.0)",
}


def verdict(text: str) -> Verdict:
    outcome = judge(text)
    assert not outcome.is_fault, f"{outcome.verdict.value}\n{outcome.detail}\n\n{text}\n\n{outcome.converted}"
    return outcome.verdict


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN.keys())
def test_outside_of_gradients(body: str) -> None:
    assert verdict(plain(body)) in (Verdict.EQUAL, Verdict.REFUSED)


@pytest.mark.parametrize("body", TRAINED.values(), ids=TRAINED.keys())
def test_inside_of_gradients(body: str) -> None:
    assert verdict(trained(body)) is Verdict.EQUAL


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused_inside_of_gradients(body: str) -> None:
    assert verdict(trained(body)) is Verdict.REFUSED


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS.keys())
def test_writes_stay_before_the_loss(loop: str) -> None:
    assert verdict(trained("v = h + 1", loop)) in (Verdict.EQUAL, Verdict.REFUSED)


def test_a_function_that_nobody_names_writes_as_it_did_and_raises_inside_a_gradient() -> None:
    text = convert_source("import torch\ndef bump(t):\n    t.add_(1)\n    t += 1\n", path="a.py").text
    assert text.count("tensor.write(t, ..., t + 1)") == 2
