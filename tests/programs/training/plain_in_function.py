"""Loops in functions: `.item()` before backward, a scheduler, an early end, a loss from a helper, inputs in a dict."""
import numpy as np
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR

rng = np.random.RandomState(1)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(5, 6, bias=False)
        self.norm = nn.BatchNorm1d(6)
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        h = torch.relu(self.norm(self.body(x)))
        return self.head(h), h


def batches(n):
    for _ in range(n):
        yield {"x": torch.from_numpy(rng.randn(6, 5).astype("float32")), "y": torch.from_numpy(rng.randint(0, 2, 6))}


def compute_loss(net, batch, weight=0.1):
    logits, h = net(batch["x"])
    return nn.functional.cross_entropy(logits, batch["y"]) + weight * h.abs().mean(), logits


def train_epoch(net, optimizer, scheduler, log):
    net.train()
    total, seen = 0.0, 0
    for i, batch in enumerate(batches(5)):
        optimizer.zero_grad()
        loss, logits = compute_loss(net, batch)
        value = loss.item()
        total += value
        loss.backward()
        optimizer.step()
        scheduler.step()
        seen += logits.shape[0]
        log.append(value)
        if i == 3:
            break
    return total / seen


def train_pairs(net, optimizer, data):
    values = []
    for x, y in data:
        pred, _ = net(x)
        pred = pred.squeeze()
        loss = ((pred - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.05)
        optimizer.step()
        values.append(float(loss))
    return values


net = Net()
settle(net)
optimizer = optim.Adam(net.parameters(), lr=0.05)
scheduler = StepLR(optimizer, 3, gamma=0.5)
log = []
means = [train_epoch(net, optimizer, scheduler, log) for _ in range(3)]
data = [(torch.from_numpy(rng.randn(4, 5).astype("float32")), torch.from_numpy(rng.randn(4, 2).astype("float32"))) for _ in range(4)]
log += train_pairs(net, optimizer, data)
RESULT = {
    "log": log,
    "means": means,
    "lr": optimizer.param_groups[0]["lr"],
    "weights": [p.detach().numpy().tolist() for p in net.parameters()],
    "mean": net.norm.running_mean.numpy().tolist(),
}
