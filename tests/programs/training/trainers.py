"""Trainer classes, step functions and callbacks: forward, backward and step in several methods, in several spellings."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(22)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


class Masked(nn.Module):
    """Dropout that draws from numpy: a forward that ran twice would change all that follows."""

    def forward(self, x):
        if not self.training:
            return x
        return x * torch.from_numpy((rng.rand(*x.shape) > 0.3).astype("float32")) / 0.7


def settle(module):
    for p in module.parameters():
        p.data.copy_(array(*p.shape) * 0.4)
    return module


def make(inputs=3, outputs=2):
    return settle(nn.Sequential(nn.Linear(inputs, 4, bias=False), nn.BatchNorm1d(4), nn.LeakyReLU(0.2), Masked(), nn.Linear(4, outputs)))


class Pix:
    """Two networks: each backward in a method of its own, all called by one that steps."""

    def __init__(self):
        self.netG, self.netD = make(2, 3), make(5, 1)
        self.optimizer_G = torch.optim.Adam(self.netG.parameters(), lr=0.01, betas=(0.5, 0.999), eps=1e-3)
        self.optimizer_D = torch.optim.Adam(self.netD.parameters(), lr=0.01, betas=(0.5, 0.999), eps=1e-3)
        self.criterion = nn.BCEWithLogitsLoss()

    def set_input(self, real_A, real_B):
        self.real_A, self.real_B = real_A, real_B

    def forward(self):
        self.fake_B = self.netG(self.real_A)

    def set_requires_grad(self, net, requires_grad):
        for param in net.parameters():
            param.requires_grad = requires_grad

    def backward_D(self):
        fake_AB = torch.cat((self.real_A, self.fake_B), 1)
        pred_fake = self.netD(fake_AB.detach())
        self.loss_D_fake = self.criterion(pred_fake, torch.zeros_like(pred_fake))
        real_AB = torch.cat((self.real_A, self.real_B), 1)
        pred_real = self.netD(real_AB)
        self.loss_D_real = self.criterion(pred_real, torch.ones_like(pred_real))
        self.loss_D = (self.loss_D_fake + self.loss_D_real) * 0.5
        self.loss_D.backward()

    def backward_G(self):
        fake_AB = torch.cat((self.real_A, self.fake_B), 1)
        pred_fake = self.netD(fake_AB)
        self.loss_G_GAN = self.criterion(pred_fake, torch.ones_like(pred_fake))
        self.loss_G_L1 = (self.fake_B - self.real_B).abs().mean() * 10
        self.loss_G = self.loss_G_GAN + self.loss_G_L1
        self.loss_G.backward()

    def optimize_parameters(self):
        self.forward()
        self.set_requires_grad(self.netD, True)
        self.optimizer_D.zero_grad()
        self.backward_D()
        self.optimizer_D.step()
        self.set_requires_grad(self.netD, False)
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()


class Returned:
    """The step returns the loss to a caller who goes backward."""

    def __init__(self, model):
        self.model = model
        self.optim = torch.optim.SGD(model.parameters(), lr=0.1)

    def training_step(self, batch):
        x, y = batch
        return F.cross_entropy(self.model(x), y)

    def fit(self, loader, epochs):
        history = []
        for epoch in range(epochs):
            for batch in loader:
                loss = self.training_step(batch)
                self.optim.zero_grad()
                loss.backward()
                self.optim.step()
                history.append(loss.item())
        return history


class Phases:
    """One method for training and evaluation."""

    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def run(self, loader, train):
        self.model.train(train)
        losses = []
        for x, y in loader:
            with torch.set_grad_enabled(train):
                loss = F.cross_entropy(self.model(x), y)
            if train:
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            losses.append(loss.item())
        return losses


def step(model, optimizer, x, y, accumulate=False):
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    if not accumulate:
        optimizer.step()
        optimizer.zero_grad()
    return loss.detach()


RESULT = {}
pix = Pix()
log = []
for _ in range(5):
    pix.set_input(array(6, 2), array(6, 3))
    pix.optimize_parameters()
    log.append([pix.loss_D.item(), pix.loss_G.item(), pix.loss_G_L1.item(), pix.fake_B.detach().mean().item()])
RESULT["pix"] = [log, [p.detach() for n in (pix.netG, pix.netD) for p in n.parameters()], [b.clone() for b in pix.netG.buffers()]]

data = [(array(5, 3), torch.from_numpy(rng.randint(0, 2, 5))) for _ in range(4)]
model = make()
RESULT["returned"] = [Returned(model).fit(data, 2), [p.detach() for p in model.parameters()], [b.clone() for b in model.buffers()]]
model = make()
phases = Phases(model)
RESULT["phases"] = [[phases.run(data, train) for train in (True, False, True)], [p.detach() for p in model.parameters()]]
model = make()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
log = [step(model, optimizer, x, y, accumulate=i % 2 == 0).item() for i, (x, y) in enumerate(data)]
RESULT["step"] = [log, [p.detach() for p in model.parameters()]]
