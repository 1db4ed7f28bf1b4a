"""Closures that the optimizer runs: LBFGS in float64, defined once, in the loop, and with a scalar result."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(10)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape))


net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()
net.load_state_dict({k: array(*v.shape) * 0.5 for k, v in net.state_dict().items()})
x, y = array(10, 2), array(10, 1)
criterion = nn.MSELoss()
log = []

optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    return loss


for _ in range(3):
    log.append(optimizer.step(closure).item())

strong = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=3, line_search_fn="strong_wolfe")
for i in range(2):
    def evaluate():
        strong.zero_grad()
        out = net(x)
        value = criterion(out, y)
        value.backward()
        return value
    strong.step(evaluate)
    log.append(criterion(net(x), y).item())


def fit(point, rounds):
    opt = torch.optim.LBFGS([point], lr=0.8, max_iter=5)

    def objective():
        opt.zero_grad()
        value = ((point - 3) ** 2).sum() + (point ** 4).sum()
        value.backward()
        return value

    for _ in range(rounds):
        opt.step(objective)
    return point


point = fit(nn.Parameter(array(3)), 2)
RESULT = {"log": log, "point": point.detach().numpy().tolist()}
