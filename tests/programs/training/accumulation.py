"""Gradient accumulation: a window with a tail, a step every n batches, gradients left over from call to call."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

rng = np.random.RandomState(5)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


def tail(net, data, steps=3):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.5)
    log = []
    for epoch in range(2):
        optimizer.zero_grad()
        for i, (x, y) in enumerate(data):
            loss = F.mse_loss(net(x), y) / steps
            loss.backward()
            if (i + 1) % steps == 0 or i + 1 == len(data):
                norm = clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()
                optimizer.zero_grad()
                log.append(norm.item())
            log.append(loss.item())
    return log


def inner(net, data):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    log = []
    for _ in range(3):
        optimizer.zero_grad()
        for x, y in data[:2]:
            loss = F.mse_loss(net(x), y)
            loss.backward()
        optimizer.step()
        log.append(loss.item())
    return log


def left_over(net, optimizer, data):
    """The last gradients of a call are used in the next one."""
    for i, (x, y) in enumerate(data):
        F.mse_loss(net(x), y).backward()
        if i % 2 == 1:
            optimizer.step()
            optimizer.zero_grad()


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
settle(net)
data = [(torch.from_numpy(rng.randn(4, 3).astype("float32")), torch.from_numpy(rng.randn(4, 1).astype("float32"))) for _ in range(5)]
log = tail(net, data) + inner(net, data)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    left_over(net, optimizer, data)
RESULT = {"log": log, "weights": [p.detach().numpy().tolist() for p in net.parameters()]}
