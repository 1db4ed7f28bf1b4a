"""Tensors among numpy, text, dicts and indices; models pickled and copied."""
# ruff: noqa: UP031, UP032  (every way of writing numbers into text is meant)
import copy
import json

import numpy as np
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.norm = nn.BatchNorm1d(2)
        self.register_buffer("steps", torch.zeros(1))
        self.scale = 2.0

    def forward(self, x):
        return self.norm(self.fc(x)) * self.scale


x = torch.arange(6.0).reshape(2, 3)
i = torch.tensor([1, 0])
one = torch.tensor(1)
net = Net()
nn.init.constant_(net.fc.weight, 0.5)
nn.init.constant_(net.fc.bias, -1.0)
twin = copy.deepcopy(net)
with torch.no_grad():
    twin.fc.weight.mul_(3)
    twin.steps += 1
RESULT = {
    "scalars": [np.float32(2) * x, x * np.float32(2), np.float64(2) * x, np.float32(1) + x, 2 - x, np.float32(2) / (x + 1)],
    "arrays": [np.ones((2, 3), np.float32) + x.numpy(), np.asarray(x), np.array(x), np.mean(x.numpy()), np.sqrt(x.numpy())],
    "index": [[10, 20, 30][one], np.arange(5)[i.numpy()], x[i], x[one], x[i, i], x[1][one].item(), list(range(4))[one:]],
    "text": [f"{x[0, 1]}", f"{x.mean():.3f}", f"{x.sum().item():.2f}", f"{one}", f"{one:d}", f"{one:03d}", "%.2f" % x.mean(), "{:.1f}".format(x.max()), str(one.item()), "%d" % one],
    "python": [float(x[0, 1]), int(one), bool(one), len(x), x.tolist(), one.item(), range(one + 1)[-1], round(x.mean().item(), 2), max(x.flatten()).item(), sum(x.flatten()).item(), sorted(i.tolist())],
    "json": json.dumps({"loss": x.mean().item(), "shape": list(x.shape)}),
    "twin": [net.fc.weight.sum().item(), twin.fc.weight.sum().item(), net.steps.item(), twin.steps.item()],
    "outputs": [net.eval()(x), twin.eval()(x)],
}
table = {x: "x", i: "i"}
RESULT["keys"] = [table[x], table[i], one in [one], x is x, len({x, i, x}), hash(x) == hash(x)]
best = copy.deepcopy(net.state_dict())
with torch.no_grad():
    net.fc.weight.zero_()
RESULT["kept"] = [best["fc.weight"].sum().item(), net.fc.weight.sum().item()]
net.load_state_dict(best)
RESULT["restored"] = [net.fc.weight.sum().item(), sorted(best)]
copied = copy.deepcopy(x)
copied += 1
RESULT["tensors"] = [x.sum().item(), copied.sum().item(), copy.copy(x).shape[0]]
