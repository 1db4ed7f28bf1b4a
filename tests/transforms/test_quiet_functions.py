"""Functions that are only called under no_grad may write into their arguments."""

from __future__ import annotations

from tests.side_by_side import check

PROGRAM = """
import torch
from torch import nn

def _fill_(tensor, bound):
    tensor.uniform_(-bound, bound)
    tensor.erfinv_()
    tensor.mul_(2.).clamp_(min=-bound, max=bound)
    return tensor

def fill_(tensor, bound=0.5):
    with torch.no_grad():
        return _fill_(tensor, bound)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.apply(self._init)

    def _init(self, module):
        if isinstance(module, nn.Linear):
            fill_(module.weight)
            nn.init.zeros_(module.bias)

    def forward(self, x):
        return self.fc(x)

torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
RESULT = [net.fc.weight]
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(torch.ones(4, 2)) ** 2).sum()
    loss.backward()
    optimizer.step()
    RESULT.append(loss)
RESULT = [r.detach() for r in RESULT]
"""


def test_a_private_initialiser_called_under_no_grad() -> None:
    check(PROGRAM)
