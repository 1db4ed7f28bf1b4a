"""What stands before and behind each of the small programs."""

from __future__ import annotations

HEAD = """\
import copy, numpy as np, torch
from torch import nn
import torch.nn.functional as F
rng = np.random.RandomState(1)
def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))
def settle(module):
    for p in module.parameters():
        p.data.copy_(array(*p.shape) * 0.4)
    return module
def Net(i=4, o=2):
    return settle(nn.Sequential(nn.Linear(i, 5, bias=False), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, o)))
data = [(array(6, 4), torch.from_numpy(rng.randint(0, 2, 6))) for _ in range(4)]
log = []
a, b = Net(4, 5), Net(5, 2)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
"""
TAIL = """
RESULT = [
    log,
    [p.detach().numpy().copy() for m in (a, b, net) for p in m.parameters()],
    [t.numpy().copy() for m in (a, b, net) for t in m.buffers()],
]
"""
