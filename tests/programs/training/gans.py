"""Three GANs with BatchNorm in the generator: fakes shared by both steps, fakes made first, a critic trained more often."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(7)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3 + 0.1, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


def make():
    generator = nn.Sequential(nn.Linear(2, 6, bias=False), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 3))
    critic = nn.Sequential(nn.Linear(3, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
    settle(generator)
    settle(critic)
    return generator, critic


def noise(n):
    return torch.from_numpy(rng.randn(n, 2).astype("float32"))


def reals(n):
    return torch.from_numpy((rng.randn(n, 3) * 0.5 + 1).astype("float32"))


def shared_fakes():
    netG, netD = make()
    bce = nn.BCEWithLogitsLoss()
    optimizerG = torch.optim.Adam(netG.parameters(), lr=0.01)
    optimizerD = torch.optim.Adam(netD.parameters(), lr=0.01)
    log = []
    for _ in range(5):
        netD.zero_grad()
        real = reals(8)
        output = netD(real)
        errD_real = bce(output, torch.ones_like(output))
        errD_real.backward()
        fake = netG(noise(8))
        output = netD(fake.detach())
        errD_fake = bce(output, torch.zeros_like(output))
        errD_fake.backward()
        errD = errD_real + errD_fake
        optimizerD.step()

        netG.zero_grad()
        output = netD(fake)
        errG = bce(output, torch.ones_like(output))
        errG.backward()
        optimizerG.step()
        log.append([errD.item(), errG.item(), output.mean().item()])
    return log, netG, netD


def generator_first():
    generator, discriminator = make()
    loss = nn.BCEWithLogitsLoss()
    optimizer_G = torch.optim.SGD(generator.parameters(), lr=0.05, momentum=0.5)
    optimizer_D = torch.optim.SGD(discriminator.parameters(), lr=0.05, momentum=0.5)
    log = []
    for _ in range(5):
        real = reals(6)
        valid, fake = torch.ones(6, 1), torch.zeros(6, 1)
        optimizer_G.zero_grad()
        gen = generator(noise(6))
        g_loss = loss(discriminator(gen), valid)
        g_loss.backward()
        optimizer_G.step()

        optimizer_D.zero_grad()
        real_loss = loss(discriminator(real), valid)
        fake_loss = loss(discriminator(gen.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2
        d_loss.backward()
        optimizer_D.step()
        log.append([g_loss.item(), d_loss.item()])
    return log, generator, discriminator


def critic_more_often():
    """The critic's loss also leaves gradients in the generator, which its own zero_grad removes."""
    generator, critic = make()
    opt_g = torch.optim.RMSprop(generator.parameters(), lr=0.005)
    opt_d = torch.optim.RMSprop(critic.parameters(), lr=0.005)
    log = []
    for i in range(6):
        z = noise(5)
        opt_d.zero_grad()
        fake = generator(z)
        d_loss = critic(fake).mean() - critic(reals(5)).mean()
        d_loss.backward()
        opt_d.step()
        if i % 2 == 0:
            opt_g.zero_grad()
            g_loss = -critic(generator(z)).mean()
            g_loss.backward()
            opt_g.step()
            log.append(g_loss.item())
        log.append(d_loss.item())
    return log, generator, critic


RESULT = {}
for build in (shared_fakes, generator_first, critic_more_often):
    log, generator, critic = build()
    weights = [p.detach().numpy().tolist() for m in (generator, critic) for p in m.parameters()]
    RESULT[build.__name__] = [log, weights, generator[1].running_mean.numpy().tolist()]
