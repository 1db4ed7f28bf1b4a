"""Backward passes that a gradient tape has to record."""
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
kept = []
RESULT = []


def act(state):
    scores = torch.log_softmax(policy(state) * 0.7, dim=-1)
    kept.append(scores[0] * 0.3 + scores[1] / 3)


def finish():
    loss = -sum(value * (0.9 ** i) for i, value in enumerate(kept))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del kept[:]
    return loss.item()


for episode in range(3):
    for step in range(4):
        act(torch.tensor([0.1 * step, 0.3, -0.7]))
    RESULT.append(finish())
RESULT += [p.detach().clone() for p in policy.parameters()]
