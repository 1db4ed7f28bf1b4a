"""Gradients of tensors that no module owns: optimised inputs, an attack, scalars."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(12)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))
net.load_state_dict({k: array(*v.shape) * 0.3 for k, v in net.state_dict().items()})


def stylise(content, steps):
    target = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([target], lr=0.05)
    log = []
    for _ in range(steps):
        features = net(target)
        wanted = net(content + 1)
        loss = ((features - wanted) ** 2).sum() + 0.1 * target.abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.append(loss.item())
    return log, target


log, target = stylise(array(3, 4), 5)

# scalars
x = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
out = w * x + b
out.backward()
grads = [x.grad.item(), w.grad.item(), b.grad.item()]

# two losses on one leaf add up
v = torch.ones(3, requires_grad=True)
(v * 2).sum().backward()
(v ** 2).sum().backward()
RESULT = {"log": log, "target": target.detach().numpy().tolist(), "grads": grads, "v": v.grad.numpy().tolist()}
