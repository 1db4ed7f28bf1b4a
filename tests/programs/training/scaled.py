"""GradScaler around backward and step, with and without unscaling for the clipping."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(15)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
net.load_state_dict({k: array(*v.shape) * 0.3 for k, v in net.state_dict().items()})
data = [(array(5, 3), array(5, 1)) for _ in range(4)]
log = []


def train(scaler, optimizer, clip):
    for x, y in data:
        optimizer.zero_grad()
        pred = net(x)
        loss = F.mse_loss(pred, y)
        scaler.scale(loss).backward()
        if clip:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.3)
        scaler.step(optimizer)
        scaler.update()
        log.append([loss.item(), pred.mean().item()])


optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
train(scaler, optimizer, False)
train(scaler, optimizer, True)
train(torch.amp.GradScaler("cpu", enabled=False), torch.optim.Adam(net.parameters(), lr=0.01), False)
RESULT = {"log": log, "scale": scaler.get_scale(), "weights": [p.detach().numpy().tolist() for p in net.parameters()]}
