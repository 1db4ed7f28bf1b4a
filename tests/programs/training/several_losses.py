"""Several losses on one graph: retain_graph, two optimizers over shared parts, backward with a gradient."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(8)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


trunk, head_a, head_b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 2)
for module in (trunk, head_a, head_b):
    settle(module)
opt_main = torch.optim.SGD([*trunk.parameters(), *head_a.parameters()], lr=0.1)
opt_side = torch.optim.SGD(head_b.parameters(), lr=0.2, momentum=0.5)
x = torch.from_numpy(rng.randn(6, 3).astype("float32"))
labels = torch.from_numpy(rng.randint(0, 2, 6))
log = []
for _ in range(4):
    h = torch.tanh(trunk(x))
    reg = (head_a(h).squeeze(-1) - 1).pow(2).mean()
    cls = F.cross_entropy(head_b(h), labels)
    opt_main.zero_grad()
    opt_side.zero_grad()
    reg.backward(retain_graph=True)
    cls.mul(0.5).backward()
    opt_main.step()
    opt_side.step()
    log.append([reg.item(), cls.item()])

for _ in range(3):
    opt_main.zero_grad()
    rows = head_a(torch.tanh(trunk(x))).squeeze(-1)
    rows.backward(gradient=torch.linspace(-1, 1, 6))
    opt_main.step()
    log.append(rows.mean().item())

for _ in range(3):
    opt_main.zero_grad()
    per_sample = (head_a(torch.tanh(trunk(x))).squeeze(-1) - 2).abs()
    per_sample.backward(torch.ones_like(per_sample))
    opt_main.step()
    log.append(per_sample.sum().item())

both = torch.optim.SGD([*trunk.parameters(), *head_a.parameters(), *head_b.parameters()], lr=0.05)
for _ in range(3):
    h = torch.tanh(trunk(x))
    losses = []
    losses.append((head_a(h).squeeze(-1) - 1).pow(2).mean())
    losses.append(F.cross_entropy(head_b(h), labels))
    both.zero_grad()
    sum(losses).backward()
    both.step()
    log.append([value.item() for value in losses])
RESULT = {"log": log, "weights": [p.detach().numpy().tolist() for m in (trunk, head_a, head_b) for p in m.parameters()]}
