"""Functions of the file that zero gradients or step, called between forward and backward."""

from torch2ms.convert import convert_source

PROGRAM = """
import torch
from torch import nn

net, other = nn.Linear(2, 1), nn.Linear(1, 2)
a = torch.optim.SGD(net.parameters(), lr=0.1)
b = torch.optim.SGD(other.parameters(), lr=0.1)

def reset():
    BODY

for x in torch.ones(3, 4, 2):
    loss = net(other(net(x))).sum()
    reset()
    loss.backward()
    a.step()
"""


def test_a_helper_that_only_zeroes_counts_as_zero_grad():
    text = convert_source(PROGRAM.replace("BODY", "a.zero_grad()\n    b.zero_grad()")).text
    assert "accumulate" not in text
    assert text.count("reset()") == 1


def test_a_helper_that_does_more_is_not_moved_into_the_forward():
    result = convert_source(PROGRAM.replace("BODY", "a.zero_grad()\n    print(1)"))
    assert any(d.code in ("T2M201", "T2M202") and "reset()" in d.message for d in result.diagnostics)
    assert "value_and_grad" not in result.text
