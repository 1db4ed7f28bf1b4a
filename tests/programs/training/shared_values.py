"""Values on which several backwards hang: one forward for two arms, a production with more results, two productions."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(16)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def settle(module):
    module.load_state_dict({k: array(*v.shape) * 0.3 for k, v in module.state_dict().items()})


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=256.0)

    def run_batch(self, x, y, mixed):
        loss = F.mse_loss(self.model(x), y)
        self.optimizer.zero_grad()
        if mixed:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            loss.backward()
            self.optimizer.step()
        return loss.item()


def scaled_fakes(generator, critic):
    opt_g = torch.optim.SGD(generator.parameters(), lr=0.1)
    opt_c = torch.optim.SGD(critic.parameters(), lr=0.1)
    log = []
    for _ in range(4):
        h = generator(array(6, 2))
        scale = h.abs().mean()
        fake = h / scale
        opt_c.zero_grad()
        loss_c = critic(fake.detach()).mean() - critic(array(6, 3)).mean()
        loss_c.backward()
        opt_c.step()
        opt_g.zero_grad()
        loss_g = -critic(fake).mean()
        loss_g.backward()
        opt_g.step()
        log.append([loss_c.item(), loss_g.item(), scale.item()])
    return log


def two_generators(first, second, critic):
    optimizer_G = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)
    optimizer_D = torch.optim.Adam(critic.parameters(), lr=0.01)
    log = []
    for _ in range(4):
        fake_a = first(array(6, 2))
        fake_b = second(array(6, 2))
        optimizer_D.zero_grad()
        d_loss = (critic(fake_a.detach()) + critic(fake_b.detach())).pow(2).mean()
        d_loss.backward()
        optimizer_D.step()
        optimizer_G.zero_grad()
        g_loss = (critic(fake_a) - critic(fake_b) * 0.5).mean() + 0.1 * (fake_a - fake_b).abs().mean()
        g_loss.backward()
        optimizer_G.step()
        log.append([d_loss.item(), g_loss.item()])
    return log


model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
settle(model)
trainer = Trainer(model)
x, y = array(8, 3), array(8, 1)
log = [trainer.run_batch(x, y, i % 2 == 0) for i in range(6)]

nets = [nn.Linear(2, 3), nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))]
for net in nets:
    settle(net)
log += scaled_fakes(nets[0], nets[2])
log += two_generators(nets[0], nets[1], nets[2])
RESULT = {"log": log, "weights": [p.detach().numpy().tolist() for m in (model, *nets) for p in m.parameters()]}
