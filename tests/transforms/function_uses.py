"""Programs that use one autograd.Function F in each of the ways in which projects use them."""

from __future__ import annotations

import pytest

from tests.side_by_side import assert_equal, check, convert, execute, plain
from torch2ms.runtime import _backend

HEAD = """
import numpy as np
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

def tensor(*shape, seed=0):
    return torch.tensor(np.random.RandomState(seed).randn(*shape).astype("float32"))

"""

# a Function for programs that are about something else
SIN = """
class Sin(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()
"""

_SCRIPT = """
x = tensor(3, 4, seed=1).requires_grad_()
y = APPLY(x)
(y * tensor(3, 4, seed=2)).sum().backward()
RESULT = [y.detach(), x.grad]
"""

_TWICE = """
f = F.apply
x = tensor(3, 4, seed=1).requires_grad_()
first = CALL(f, x)
second = CALL(f, first * 0.5)
y = first * second + CALL(f, x * 2)
(y * tensor(3, 4, seed=2)).sum().backward()
RESULT = [first.detach(), second.detach(), x.grad]
"""

_NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.f = F.apply

    def forward(self, x):
        h = CALL(self.f, torch.tanh(self.fc(x)))
        return CALL(self.f, 0.5 * torch.tanh(h)).sum() + APPLY(x).mean()

net = Net()
net.load_state_dict({"fc.weight": 0.3 * tensor(4, 4, seed=1), "fc.bias": 0.3 * tensor(4, seed=2)})
"""

_CELL = _NET + """
x = tensor(3, 4, seed=3).requires_grad_()
loss = net(x)
loss.backward()
with torch.no_grad():
    again = net(x)
RESULT = [loss.detach(), again, x.grad, net.fc.weight.grad, net.fc.bias.grad]
"""

_STEP = _NET + """
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
RESULT = []
for step in range(5):
    optimizer.zero_grad()
    loss = net(tensor(3, 4, seed=step + 3))
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
RESULT.append(net.fc.weight.detach().numpy())
"""

# losses that outlive the step that made them need the tape
_TAPE = _NET + """
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
history = []

def remember(step):
    history.append(net(tensor(3, 4, seed=step + 3)))

RESULT = []
for step in range(5):
    remember(step)
    if step % 2 == 1:
        optimizer.zero_grad()
        for loss in history:
            loss.backward()
        optimizer.step()
        RESULT.append(history[-1].item())
        history.clear()
RESULT.append(net.fc.weight.detach().numpy())
"""

_SECOND = """
x = tensor(3, 4, seed=1).requires_grad_()
y = APPLY(x)
(g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
(g * g * tensor(3, 4, seed=2)).sum().backward()
RESULT = [g.detach(), x.grad]
"""

_NO_GRAD = """
with torch.no_grad():
    y = APPLY(tensor(3, 4, seed=1))
RESULT = [y, y.requires_grad]
"""

_TRAIN = """
net = Net()
for number, p in enumerate(net.parameters()):
    with torch.no_grad():
        p.copy_(0.5 * tensor(*p.shape, seed=number + 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
RESULT = []
for step in range(6):
    x, y = tensor(6, 4, seed=10 + step), tensor(6, 3, seed=30 + step)
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
RESULT.append([p.detach().numpy() for p in net.parameters()])
"""

USES = {
    "script": _SCRIPT,
    "twice": _TWICE,
    "cell": _CELL,
    "step": _STEP,
    "tape": _TAPE,
    "second": _SECOND,
    "no_grad": _NO_GRAD,
}


def program(function: str, call: str, use: str) -> str:
    """A program with the class F of `function`; `call` says how F is called on `x`: `f(x, 2.0)[0]`."""
    text = USES[use]
    call = "(" + call + ")" if " " in call else call
    for shown, apply in (("APPLY(", "F.apply"), ("CALL(", None)):
        while (start := text.find(shown)) >= 0:
            end = _closing(text, start + len(shown))
            inner = text[start + len(shown) : end]
            f, x = (apply, inner) if apply else inner.split(", ", 1)
            text = text[:start] + call.replace("f(x", f"{f}({x}") + text[end + 1 :]
    return HEAD + function.strip() + "\n" + text


def _closing(text: str, position: int) -> int:
    depth = 1
    while True:
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if not depth:
            return position
        position += 1


def check_everywhere(call: str, form: str, function: str, uses: tuple[str, ...] = tuple(USES)) -> None:
    """Compare values and gradients with PyTorch in all uses; what raises in PyTorch must raise.

    `form` is what the class F becomes outside of programs that differentiate twice: "bprop" or "Function".
    """
    for use in uses:
        source = program(function, call, use)
        result = convert(source)
        if use != "second":
            assert any(d.code == "T2M204" for d in result.diagnostics) == (form == "Function"), result.text
            assert ("def bprop(self, " in result.text) == (form == "bprop"), result.text
        try:
            expected = plain(execute(source, "torch_program")["RESULT"])
        except RuntimeError:
            with pytest.raises(Exception):  # each library has its own words for it
                run(result.text)
            continue
        assert_equal(expected, run(result.text), path=use)


def check_training(model: str) -> None:
    """Train the class Net of `model` for six steps on both sides; losses and weights are equal."""
    try:
        check(HEAD + model + _TRAIN)
    finally:
        _backend.stop_recording()


def run(text: str) -> object:
    """What a converted program leaves in RESULT."""
    try:
        return plain(execute(text, "mindspore_program")["RESULT"])
    finally:
        # a program that used the tape must not record what the next one does
        _backend.stop_recording()
