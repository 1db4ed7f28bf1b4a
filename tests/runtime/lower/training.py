"""Small networks trained in an autocast region of the CPU, in numbers of 16 bits, and with scaled losses."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

rng = np.random.default_rng(0)


def fill(model):
    for p in model.parameters():
        scale = 1 / math.sqrt(p.shape[-1]) if p.ndim > 1 else 0.1
        with torch.no_grad():
            p.copy_(torch.from_numpy((rng.standard_normal(tuple(p.shape)) * scale).astype(np.float32)))
    return model


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, x):
        h = self.a(x)
        SEEN.append(h.dtype)
        h = F.relu(h)
        SEEN.append(h.dtype)
        return self.b(h)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.fc = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Linear(4 * 9, 3)

    def forward(self, x):
        h = self.conv(x)
        SEEN.append(h.dtype)
        h = self.bn(h)
        SEEN.append(h.dtype)
        h = F.max_pool2d(F.relu(h), 2)
        SEEN.append(h.dtype)
        return self.fc(h.flatten(1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.n1, self.n2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.up, self.down, self.fc = nn.Linear(8, 16), nn.Linear(16, 8), nn.Linear(8, 3)

    def forward(self, x):
        n = self.n1(x)
        SEEN.append(n.dtype)
        q, k, v = self.qkv(n).view(x.shape[0], -1, 3, 2, 4).permute(2, 0, 3, 1, 4)
        SEEN.append(q.dtype)
        a = (q @ k.transpose(-2, -1)) / math.sqrt(4)
        SEEN.append(a.dtype)
        a = F.softmax(a, dim=-1)
        SEEN.append(a.dtype)
        y = (a @ v).transpose(1, 2).reshape(x.shape)
        SEEN.append(y.dtype)
        x = x + self.out(y)
        SEEN.append(x.dtype)
        x = x + self.down(F.gelu(self.up(self.n2(x))))
        SEEN.append(x.dtype)
        return self.fc(x.mean(dim=1))


SEEN = []
SHAPES = {"mlp": (6, 8), "cnn": (6, 2, 6, 6), "block": (6, 5, 8)}


NETWORKS = {"mlp": MLP, "cnn": CNN, "block": Block}


def given(kind):
    x = torch.from_numpy(rng.standard_normal(SHAPES[kind]).astype(np.float32))
    return x, torch.from_numpy(rng.integers(0, 3, 6).astype(np.int64))


def weights(model):
    return {name: value.detach().float().numpy().copy() for name, value in model.state_dict().items()}


def types():
    return [str(dtype).split(".")[-1].lower() for dtype in SEEN]


def in_region(kind):
    SEEN.clear()
    model = fill(NETWORKS[kind]())
    x, y = given(kind)
    before = weights(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
            SEEN.append(out.dtype)
            loss = F.cross_entropy(out, y)
        SEEN.append(loss.dtype)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, types(), before, weights(model)


def in_type(kind, dtype):
    SEEN.clear()
    model = fill(NETWORKS[kind]()).to(dtype)
    x, y = given(kind)
    x = x.to(dtype)
    before = weights(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        out = model(x)
        SEEN.append(out.dtype)
        loss = F.cross_entropy(out, y)
        SEEN.append(loss.dtype)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, types(), before, weights(model)


def scaled():
    model = fill(MLP())
    x, y = given("mlp")
    before = weights(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**17, growth_interval=2)
    losses = []
    scales = []
    for _ in range(5):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        scales.append(scaler.get_scale())
    return losses, scales, before, weights(model)


def on_a_tape():
    """A loop whose gradients are read between the backward pass and the step."""
    model = fill(MLP())
    x, y = given("mlp")
    before = weights(model)
    losses = []
    kinds = []
    for _ in range(3):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        model.losses = [loss]
        model.losses[0].backward()
        for p in model.parameters():
            kinds.append(str(p.grad.dtype).split(".")[-1].lower())
            p.data -= 0.1 * p.grad
            p.grad = None
        losses.append(loss.item())
    return losses, kinds, before, weights(model)


RESULT = {}
for kind in NETWORKS:
    RESULT["region", kind] = in_region(kind)
    RESULT["bfloat16", kind] = in_type(kind, torch.bfloat16)
    RESULT["float16", kind] = in_type(kind, torch.float16)
RESULT["scaled", "mlp"] = scaled()
RESULT["tape", "mlp"] = on_a_tape()
