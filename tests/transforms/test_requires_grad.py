"""`requires_grad_()` as a statement: on a leaf, where it stands right before the loss, and on a result, where it does nothing."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check

NET = """
import torch
import torch.nn as nn
net = nn.Linear(2, 3)
for i, p in enumerate(net.parameters()):
    nn.init.constant_(p, 0.1 * (i + 1))
    p.data += torch.sin(torch.arange(float(p.numel()))).view(p.shape)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
"""

RIGHT_BEFORE_THE_LOSS = NET + """
g = []
x.requires_grad_(True)
x.register_hook(lambda gr: g.append(gr) or gr * 2)
net(x).sum().backward()
RESULT = [x.grad, g]
"""

ON_A_RESULT = NET + """
y = net(x)
y.requires_grad_()
(y * y).sum().backward()
RESULT = [net.weight.grad]
"""

SALIENCY = NET + """
def saliency(x, t):
    x.requires_grad_()
    net.zero_grad()
    score = net(x)[:, t].sum()
    score.backward()
    s = x.grad.abs().max(1)[0]
    return s, x
RESULT = saliency(x, 1)
"""

ATTACK = NET + """
def attack(x, t, eps=.1, steps=3):
    adv = x.clone().detach()
    adv = adv + .01
    for _ in range(steps):
        adv.requires_grad_()
        with torch.enable_grad():
            loss = nn.functional.cross_entropy(net(adv), t)
        grad = torch.autograd.grad(loss, [adv])[0]
        adv = adv.detach() + eps * torch.sign(grad.detach())
        adv = torch.min(torch.max(adv, x - .2), x + .2)
    return adv
def fgsm(x, t, eps=.1):
    x.requires_grad = True
    out = net(x)
    loss = nn.functional.cross_entropy(out, t)
    net.zero_grad()
    loss.backward()
    g = x.grad.data
    return torch.clamp(x + eps * g.sign(), 0, 5)
t = torch.tensor([0, 2])
RESULT = [attack(x, t), fgsm(x, t)]
"""


IN_A_STEP = NET + """
opt = torch.optim.SGD(net.parameters(), lr=0.1)
found = []
for _ in range(3):
    opt.zero_grad()
    y = net(x)
    y.requires_grad_()
    loss = (y * y).mean()
    loss.backward()
    opt.step()
    found.append(loss.item())
RESULT = [found, net.weight]
"""


ALIAS = """
import torch
x = torch.ones(3); y = x; box = [x]
x.requires_grad_()
(x * 2).sum().backward()
RESULT = [y.grad, box[0].grad, y is x, y.requires_grad]
"""

CALLER = """
import torch
import torch.nn as nn
net = nn.Linear(3, 1); nn.init.constant_(net.weight, .5); nn.init.zeros_(net.bias)
def attack(model, img):
    img.requires_grad_(True)
    model(img).sum().backward()
img = torch.ones(2, 3)
attack(net, img)
RESULT = [img.grad, net.weight.grad, img.requires_grad]
"""

ATTRIBUTE = """
import torch
import torch.nn as nn
net = nn.Linear(3, 1); nn.init.constant_(net.weight, .5); nn.init.zeros_(net.bias)
class Engine:
    def __init__(self, x):
        self.x = x
    def run(self):
        self.x.requires_grad_()
        out = net(self.x).pow(2).sum()
        out.backward()
        return self.x.grad
data = torch.ones(2, 3)
e = Engine(data)
RESULT = [e.run(), data.requires_grad]
"""

OF_A_MODULE = """
import torch
import torch.nn as nn
class Style(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = torch.ones(3)
        self.w = torch.zeros(3, requires_grad=True)
        self.register_parameter('p', None)
        self.q = nn.Parameter(torch.ones(2), requires_grad=False)
    def forward(self, x):
        return (x * self.w + self.t).sum() * self.q.sum()
m = Style()
m(torch.ones(3)).backward()
RESULT = [m.w.grad, list(dict(m.named_parameters())), m.q.requires_grad, m.p is None]
"""


OF_A_LEAF = """
import torch
x = torch.ones(3).requires_grad_()
z = torch.arange(3.0)
z.requires_grad_()
y = (x * 2).requires_grad_()
v = z.view(3, 1).requires_grad_()
(y.sum() + (v * 3).sum()).backward()
RESULT = [x.grad, z.grad]
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("program", [RIGHT_BEFORE_THE_LOSS, ON_A_RESULT, SALIENCY, ATTACK, IN_A_STEP, ALIAS, CALLER, ATTRIBUTE, OF_A_LEAF])
def test_gradients_are_those_of_pytorch(program: str) -> None:
    check(program)


def test_a_leaf_that_would_become_a_parameter_of_its_module_is_refused() -> None:
    with pytest.raises(Refused, match="would become a parameter of the module"):
        check(OF_A_MODULE)
