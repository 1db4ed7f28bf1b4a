"""Gradients inside losses: WGAN-GP, R1 on the reals, a penalty without create_graph that only weights the loss."""
import numpy as np
import torch
import torch.nn as nn
from torch import autograd

rng = np.random.RandomState(13)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


critic = nn.Sequential(nn.Linear(3, 5), nn.Softplus(), nn.Linear(5, 1))
critic.load_state_dict({k: array(*v.shape) * 0.3 for k, v in critic.state_dict().items()})
optimizer = torch.optim.Adam(critic.parameters(), lr=0.02)


def gradient_penalty(net, real, fake):
    alpha = torch.linspace(0.1, 0.9, 6).view(6, 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = net(mixed)
    slopes = autograd.grad(outputs=scores, inputs=mixed, grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True)[0]
    return ((slopes.norm(2, dim=1) - 1) ** 2).mean()


log = []
for _ in range(4):
    real, fake = array(6, 3), array(6, 3)
    loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(critic, real, fake)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.append(loss.item())

for _ in range(3):
    real = array(6, 3)
    real.requires_grad_()
    optimizer.zero_grad()
    pred = critic(real)
    grad_real, = autograd.grad(outputs=pred.sum(), inputs=real, create_graph=True)
    penalty = grad_real.pow(2).view(6, -1).sum(1).mean()
    loss = nn.functional.softplus(-pred).mean() + 5 * penalty
    loss.backward()
    optimizer.step()
    log.append([loss.item(), penalty.item()])


def saliency(net, image):
    image = image.clone()
    image.requires_grad = True
    score = net(image)
    return torch.autograd.grad(score, image, torch.ones_like(score))[0]


RESULT = {"log": log, "saliency": saliency(critic, array(2, 3)).numpy().tolist(), "weights": [p.detach().numpy().tolist() for p in critic.parameters()]}
