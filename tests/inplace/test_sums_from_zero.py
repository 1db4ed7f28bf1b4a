"""Sums that begin as a number and become tensors: the first `+=` makes one, the next ones write into it."""

import pytest

from tests.side_by_side import check

PROGRAMS = {
    "meter": """
class Meter:
    def __init__(self):
        self.sum = self.count = 0
    def update(self, value, n=1):
        self.value = value
        self.sum += value * n
        self.count += n
        self.mean = self.sum / self.count
meter = Meter()
meter.update(torch.tensor(2.5), 2)
held = meter.sum
meter.update(torch.tensor(1.0), 3)
RESULT = [meter.sum, meter.mean, held, meter.count]
""",
    "kept in a list": """
def f():
    total, kept = 0, []
    for i in range(3):
        total += torch.tensor([1.0]) * i
        kept.append(total)
    return kept
RESULT = f()
""",
    "kept in a name": """
def f():
    total = 0
    for _ in range(2):
        total += torch.ones(1)
    other = total
    total += 1
    return other
RESULT = f()
""",
    "kept from an attribute": """
class Trainer:
    def run(self):
        self.total = 0
        for _ in range(2):
            self.total += torch.ones(1)
        other = self.total
        self.total += 1
        return other
RESULT = Trainer().run()
""",
    "a number and a tensor alike": """
class Meter:
    def __init__(self):
        self.total = 0.0
    def add(self, value):
        self.total += value
meter, other = Meter(), Meter()
meter.add(torch.ones(2)), meter.add(1.0)
other.add(1.0), other.add(2.0)
RESULT = [meter.total, other.total]
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_equal(program: str) -> None:
    check("import torch\n" + program)


def test_first_write_of_a_training_step() -> None:
    check("""
import torch
from torch import nn
net = nn.Linear(1, 1)
nn.init.ones_(net.weight), nn.init.zeros_(net.bias)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
running, seen = 0.0, []
for i in range(3):
    optimizer.zero_grad()
    loss = net(torch.ones(1, 1)).sum()
    loss.backward()
    optimizer.step()
    running += loss.detach()
    seen.append(running)
RESULT = [running, seen, net.weight]
""")
