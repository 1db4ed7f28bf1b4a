"""Another tensor under a weight: `p.data = new` leaves alone what was kept of the old storage."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check

NET = """
import torch
import torch.nn as nn
net = nn.Linear(3, 2); nn.init.constant_(net.weight, .5); nn.init.zeros_(net.bias)
x = torch.sin(torch.arange(12.)).view(4, 3)
"""

PROBE = NET + """
def probe(p, d):
    old = p.data
    p.data = p.data + d
    up = net(x).sum().item()
    p.data = old
    return up, net(x).sum().item()
RESULT = [probe(net.weight, .1), probe(net.bias, .2), net.weight]
"""

AVERAGES = """
import copy
import torch
import torch.nn as nn
class EMA:
    def __init__(self, model, decay):
        self.model, self.decay, self.shadow, self.backup = model, decay, {}, {}
    def register(self):
        for n, p in self.model.named_parameters():
            if p.requires_grad:
                self.shadow[n] = p.data.clone()
    def update(self):
        for n, p in self.model.named_parameters():
            if p.requires_grad:
                assert n in self.shadow
                new = (1.0 - self.decay) * p.data + self.decay * self.shadow[n]
                self.shadow[n] = new.clone()
    def apply_shadow(self):
        for n, p in self.model.named_parameters():
            if p.requires_grad:
                self.backup[n] = p.data
                p.data = self.shadow[n]
    def restore(self):
        for n, p in self.model.named_parameters():
            if p.requires_grad:
                p.data = self.backup[n]
        self.backup = {}
net = nn.Linear(3, 2); nn.init.constant_(net.weight, .5); nn.init.zeros_(net.bias)
ema = EMA(net, .9); ema.register()
opt = torch.optim.SGD(net.parameters(), lr=.1)
x = torch.sin(torch.arange(12.)).view(4, 3)
best, best_state, out = float('inf'), None, []
for i in range(4):
    loss = net(x).pow(2).sum()
    opt.zero_grad(); loss.backward(); opt.step(); ema.update()
    if loss < best:
        best = loss.item(); best_state = copy.deepcopy(net.state_dict())
    ema.apply_shadow(); a = net(x).sum().item(); ema.restore(); b = net(x).sum().item()
    out.append((a, b))
net.load_state_dict(best_state)
RESULT = [out, best, net.weight, ema.shadow]
"""

COPIED = NET + """
class Swap:
    def __init__(self, net):
        self.net = net
        self.kept = []
    def store(self):
        self.kept = [p.data.clone() for p in self.net.parameters()]
    def perturb(self):
        for p in self.net.parameters():
            p.data = p.data * 2
    def restore(self):
        for p, k in zip(self.net.parameters(), self.kept):
            p.data = k.clone()
s = Swap(net)
s.store(); s.perturb(); a = net(x); s.restore(); b = net(x)
RESULT = [a, b]
"""

LEFT = NET + """
old = net.weight.data
norm = old.norm()
net.weight.data = net.weight.data * 2
RESULT = [norm, net.weight]
"""

SWAPPED = [
    """
kept = [p.data for p in net.parameters()]
for p in net.parameters():
    p.data = p.data * 2
RESULT = [kept, net.weight]
""",
    """
old = net.weight.detach()
x = x + 1
net.weight.data = net.weight.data * 2
RESULT = [old, net.weight]
""",
    """
def average(old, new):
    return old * .9 + new * .1
other = nn.Linear(3, 2); nn.init.constant_(other.weight, .1); nn.init.ones_(other.bias)
for p, q in zip(net.parameters(), other.parameters()):
    old, new = q.data, p.data
    q.data = average(old, new)
RESULT = [net.weight, other.weight, other.bias, other(x)]
""",
    """
w = torch.ones(2, 3) * .3
net.weight.data = w
out = train(net)
w += 1
RESULT = [out, w, net.weight, net(x)]
""",
    """
target = nn.Linear(3, 2); nn.init.constant_(target.weight, .1)
for t, p in zip(target.parameters(), net.parameters()):
    t.data = p.data
out = train(net)
RESULT = [out, target.weight, net.weight]
""",
    """
first = {n: p.data.clone() for n, p in net.named_parameters()}
mask = {"weight": torch.tensor([1., 0., 1.])}
out = train(net)
for n, p in net.named_parameters():
    p.data = first[n] * mask[n] if n in mask else first[n]
out += train(net)
RESULT = [out, first, net.weight, net.bias]
net.bias.data = net.bias.data * 2
RESULT += [first, net.bias]
""",
]

STATE = """
kept = net.state_dict()
net.weight.data = net.weight.data * 2
net.load_state_dict(kept)
RESULT = net.weight
"""

TRAIN = """
def train(net):
    opt, out = torch.optim.Adam(net.parameters(), lr=.1), []
    for _ in range(3):
        loss = (net(x) - x[:, :2]).pow(2).sum()
        opt.zero_grad(); loss.backward(); opt.step()
        out.append(loss.item())
    return out
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("program", [PROBE, AVERAGES, COPIED, LEFT], ids=["probe", "averages", "copied", "left"])
def test_the_old_storage_keeps_its_values(program: str) -> None:
    check(program)


@pytest.mark.mindspore
@pytest.mark.parametrize("program", SWAPPED)
def test_the_tensor_itself_is_put_under_the_weight(program: str) -> None:
    result = check(NET + TRAIN + program)
    assert ".set_data(" in result.text


@pytest.mark.parametrize("program", [STATE, *(one for one in SWAPPED if "average" not in one)])
def test_what_would_change_along_is_refused_where_nothing_can_be_put_there(program: str) -> None:
    with pytest.raises(Refused, match="T2M301"):
        check(NET + TRAIN + program, jit=program is not STATE)
