"""Truncated back-propagation: a carried state detached by a function, by a comprehension, and inside the model."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(3)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.x, self.h = nn.Linear(2, 3), nn.Linear(3, 3)
        self.out = nn.Linear(3, 2)

    def forward(self, x, state):
        h = torch.tanh(self.x(x) + self.h(state[0]))
        return self.out(h), (h, state[1] + 1)


def repackage(state):
    if isinstance(state, torch.Tensor):
        return state.detach()
    return tuple(repackage(s) for s in state)


def run(net, optimizer, data, comprehension):
    state = (torch.zeros(4, 3), torch.zeros(1))
    losses = []
    for x in data:
        if comprehension:
            state = tuple([s.detach() for s in state])
        else:
            state = repackage(state)
        output, state = net(x, state)
        loss = (output - x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, state


def run_windows(net, optimizer, data):
    """Several time steps per update, losses summed in a loop."""
    state = (torch.zeros(4, 3), torch.zeros(1))
    losses = []
    for start in range(0, len(data), 2):
        state = (state[0].detach(), state[1])
        loss = 0
        for x in data[start:start + 2]:
            output, state = net(x, state)
            loss += (output - x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


net = Cell()
settle(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
data = [torch.from_numpy(rng.randn(4, 2).astype("float32")) for _ in range(6)]
first, state = run(net, optimizer, data, False)
second, state = run(net, optimizer, data, True)
third = run_windows(net, optimizer, data)
RESULT = {"first": first, "second": second, "third": third, "state": state[0].detach().numpy().tolist()}
