"""Forward, backward and step in different functions and methods."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(11)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def settle(module):
    module.load_state_dict({k: array(*v.shape) * 0.3 for k, v in module.state_dict().items()})


def forward_backward(net, x, y):
    """No step here."""
    loss = F.mse_loss(net(x), y)
    loss.backward()
    return loss.item()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

    def set_input(self, x, y):
        self.x, self.y = x, y

    def forward(self):
        self.output = self.net(self.x)

    def compute_loss(self):
        self.loss = F.mse_loss(self.output, self.y)

    def update(self):
        self.optimizer.zero_grad()
        self.loss.backward()
        self.optimizer.step()

    def optimize(self):
        self.forward()
        self.compute_loss()
        self.update()


class Model:
    """The backward is in one method, zero_grad and step in another."""

    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=0.01)

    def backward_net(self, x, y):
        self.loss_net = (self.net(x) - y).abs().mean()
        self.loss_net.backward()

    def optimize_parameters(self, x, y):
        self.optimizer.zero_grad()
        self.backward_net(x, y)
        self.optimizer.step()


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
settle(net)
x, y = array(8, 3), array(8, 1)
log = []
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    log.append(forward_backward(net, x, y))
    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
trainer = Trainer(net)
for _ in range(3):
    trainer.set_input(x, y)
    trainer.optimize()
    log.append(trainer.loss.item())
model = Model(net)
for _ in range(3):
    model.optimize_parameters(x, y)
    log.append(model.loss_net.item())
RESULT = {"log": log, "weights": [p.detach().numpy().tolist() for p in net.parameters()]}
