"""`inplace=` whose value only the run tells, and items of containers that begin as numbers."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check, convert, execute

FUNCTIONS = """
import torch
import torch.nn.functional as F

def written(x, flag):
    return F.relu(x, inplace=flag)

def alone(x, flag):
    F.leaky_relu(x, 0.3, flag)
    return x

def kept(x, flag):
    h = x * 2
    y = F.elu(h, 0.5, inplace=flag)
    return y + h

def viewed(x, flag):
    h = x * 2
    v = h.view(-1)
    y = F.relu(v, inplace=flag)
    return y.sum() + (h * h).sum()

x = torch.linspace(-2, 2, 6).view(2, 3)
RESULT = []
for name in (written, alone, kept, viewed):
    given = x.clone()
    RESULT.append([name(given, FLAG), given])
"""

TRAINED = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.flag = flag
        self.fc = nn.Linear(3, 3)
        with torch.no_grad():
            self.fc.weight.copy_(torch.linspace(-1, 1, 9).view(3, 3))
            self.fc.bias.zero_()

    def forward(self, x):
        x = F.relu(x, inplace=self.flag)
        h = self.fc(x)
        y = F.hardtanh(h, -0.5, 0.5, inplace=self.flag)
        return y.sum() + (h * h).sum()

net = Net(FLAG)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.linspace(-2, 2, 6).view(2, 3)
RESULT = []
for step in range(3):
    optimizer.zero_grad()
    loss = net(GIVEN)
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
    READ
RESULT.append(net.fc.weight)
"""


@pytest.mark.parametrize("flag", ["True", "False", "1", "None"])
def test_the_tensor_is_written_where_the_flag_is_true(flag: str) -> None:
    check(FUNCTIONS.replace("FLAG", flag))


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize(("given", "read"), [("x * 1", "RESULT.append(x.sum())"), ("x[step % 2] + 0", "pass")])
def test_inside_a_gradient(flag: bool, given: str, read: str) -> None:
    check(TRAINED.replace("FLAG", str(flag)).replace("GIVEN", given).replace("READ", read))


@pytest.mark.parametrize("given", ["x", "x[step % 2]", "x.view(3, 2).T"])
def test_an_argument_that_is_read_later_raises_only_where_it_would_be_written(given: str) -> None:
    program = TRAINED.replace("GIVEN", given).replace("READ", "RESULT.append(x.sum())")
    check(program.replace("FLAG", "False").replace("self.fc(x)", "self.fc(x.reshape(-1, 3))"))
    text = convert(program.replace("FLAG", "True").replace("self.fc(x)", "self.fc(x.reshape(-1, 3))")).text
    with pytest.raises(NotImplementedError, match="the caller reads later"):
        execute(text, "flagged")


def test_a_constant_flag_is_refused_where_the_caller_reads() -> None:
    program = TRAINED.replace("inplace=self.flag", "inplace=True").replace("FLAG", "True").replace("GIVEN", "x")
    with pytest.raises(Refused, match="T2M301"):
        convert(program.replace("READ", "RESULT.append(x.sum())"))


@pytest.mark.parametrize("quiet", ["torch.no_grad()", "torch.enable_grad()"])
@pytest.mark.parametrize("start", ["[0 for _ in range(2)]", "[0] * 2", "{0: 0, 1: 0.0}"])
def test_items_that_begin_as_numbers(start: str, quiet: str) -> None:
    check(f"""
import torch

class Meter:
    def __init__(self):
        self.sums = {start}

    def update(self, loss):
        self.sums[0] += loss
        self.sums[1] += loss * 2

def total(values):
    sums = {start}
    held = []
    for value in values:
        with {quiet}:
            sums[0] += value
            sums[1] += value * 3
        held.append(sums[1])
    return sums, held

values = [torch.tensor(float(i)) for i in range(1, 4)]
meter = Meter()
for value in values:
    meter.update(value)
    first = meter.sums[0]
RESULT = [total(values), first, meter.sums]
""")


HELPED = """
import torch
import torch.nn.functional as F

def act(x, flag):
    F.leaky_relu(x, 0.3, flag)
    return x

def sum_of(x, flag):
    y = F.leaky_relu(x, 0.3, flag)
    return y + x

w = torch.linspace(-1, 1, 9).view(3, 3).requires_grad_()
optimizer = torch.optim.SGD([w], lr=0.1)
x = torch.linspace(-2, 2, 6).view(2, 3)
RESULT = []
for step in range(3):
    optimizer.zero_grad()
    h = x @ w
    y = act(h, FLAG)
    loss = y.sum() + (h * h).sum() + sum_of(h * 1, FLAG).sum()
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
RESULT.append(w)
"""


@pytest.mark.parametrize("flag", ["True", "False", "step == 1"])
def test_functions_that_write_their_argument_give_it_back(flag: str) -> None:
    check(HELPED.replace("FLAG", flag))
