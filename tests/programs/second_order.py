"""Gradients of gradients through norms and pooling, again and again; a penalty, meta learning, Grad-CAM, recomputation."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

rng = np.random.RandomState(4)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def settle(module):
    for p in module.parameters():
        p.data.copy_(array(*p.shape) * 0.4)
    return module


def penalty(critic, real, fake):
    """The slope of a critic between real and made inputs."""
    mix = torch.from_numpy(rng.rand(real.size(0), *[1] * (real.dim() - 1)).astype("float32"))
    between = (mix * real + (1 - mix) * fake).requires_grad_(True)
    scores = critic(between)
    slopes = torch.autograd.grad(
        outputs=scores, inputs=between, grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True
    )[0]
    return ((slopes.reshape(slopes.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


def train(critic, *shape):
    opt = torch.optim.SGD(critic.parameters(), lr=0.02)
    losses = []
    for _ in range(5):
        real, fake = array(4, *shape), array(4, *shape)
        opt.zero_grad()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return [losses, [p.detach() for p in critic.parameters()], [b.clone() for b in critic.buffers()]]


RESULT = {
    "batch norm": train(settle(nn.Sequential(nn.Linear(3, 5, bias=False), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 1))), 3),
    "layer norm": train(settle(nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.LeakyReLU(0.2), nn.Linear(5, 1))), 3),
    "max pool": train(
        settle(nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.Tanh(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 1))), 1, 4, 4
    ),
    "conv batch norm": train(
        settle(nn.Sequential(nn.Conv2d(1, 2, 3, bias=False), nn.BatchNorm2d(2), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(8, 1))), 1, 4, 4
    ),
}


def r1(critic, real):
    """The zero-centered penalty on real inputs only."""
    opt = torch.optim.Adam(critic.parameters(), lr=0.01, eps=1e-3)
    losses = []
    for _ in range(5):
        x = real.clone().requires_grad_()
        out = critic(x)
        slope, = torch.autograd.grad(out.sum(), x, create_graph=True)
        loss = F.softplus(-out).mean() + 0.5 * slope.pow(2).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return [losses, [p.detach() for p in critic.parameters()]]


RESULT["r1"] = r1(settle(nn.Sequential(nn.Linear(3, 5), nn.Softplus(), nn.Linear(5, 1))), array(4, 3))


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(3, 6), nn.Tanh())
        self.second = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
        self.last = nn.Linear(6, 2)

    def forward(self, x):
        h = checkpoint(self.first, x, use_reentrant=False)
        h = checkpoint(self.second, h, use_reentrant=False)
        return self.last(h)


def recomputed(net):
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(5):
        opt.zero_grad()
        loss = F.cross_entropy(net(array(4, 3)), torch.tensor([0, 1, 1, 0]))
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return [losses, [p.detach() for p in net.parameters()]]


RESULT["checkpoint"] = recomputed(settle(Deep()))


def heat(body, head, image, wanted):
    """Grad-CAM: the slope of a class with respect to a feature map."""
    maps = body(image)
    scores = head(maps)
    slope = torch.autograd.grad(scores[0, wanted], maps)[0]
    return F.relu((maps * slope.mean(dim=(2, 3), keepdim=True)).sum(1)).detach()


body = settle(nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU()))
head = settle(nn.Sequential(nn.Flatten(), nn.Linear(12, 2)))
RESULT["heat"] = heat(body, head, array(1, 1, 4, 4), 1)


def meta(net, x, targets):
    """The loss after one inner step, differentiated through that step."""
    weights = dict(net.named_parameters())
    outer = torch.optim.SGD(net.parameters(), lr=0.05)
    losses = []
    for _ in range(5):
        outer.zero_grad()
        inner = F.mse_loss(torch.func.functional_call(net, weights, (x,)), targets)
        grads = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
        fast = {k: w - 0.1 * g for (k, w), g in zip(weights.items(), grads)}
        loss = F.mse_loss(torch.func.functional_call(net, fast, (x,)), targets * 0.5)
        loss.backward()
        outer.step()
        losses.append(loss.item())
    return [losses, [p.detach() for p in net.parameters()]]


RESULT["meta"] = meta(settle(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))), array(5, 3), array(5, 2))
