"""Two losses over the same graphs of a generator and a discriminator, each backward for both before the steps."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(42)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def log_of(x):
    return torch.log(x + 1e-8)


generator = nn.Sequential(nn.Linear(3, 6, bias=False), nn.BatchNorm1d(6), nn.LeakyReLU(0.2), nn.Linear(6, 4), nn.Tanh())
discriminator = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1, bias=False))
for net in (generator, discriminator):
    net.load_state_dict(
        {k: array(*v.shape) * 0.4 if v.dtype == torch.float32 else v for k, v in net.state_dict().items()}, strict=True
    )
generator[1].running_var.fill_(1.0)
optimizer_G = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.5, 0.999))
optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=1e-2, betas=(0.5, 0.999))
log = []
for i in range(6):
    real_imgs, z = array(8, 4), array(8, 3)
    optimizer_G.zero_grad()
    optimizer_D.zero_grad()
    gen_imgs = generator(z)
    d_real = discriminator(real_imgs)
    d_fake = discriminator(gen_imgs)
    Z = torch.sum(torch.exp(-d_real)) + torch.sum(torch.exp(-d_fake))
    d_loss = torch.sum(d_real) / 8 + log_of(Z)
    d_loss.backward(retain_graph=True)
    g_loss = (torch.sum(d_real) + torch.sum(d_fake)) / 16 + log_of(Z)
    g_loss.backward()
    optimizer_D.step()
    optimizer_G.step()
    log += [d_loss.item(), g_loss.item()]
RESULT = {
    "log": log,
    "weights": [p.detach().numpy().tolist() for net in (generator, discriminator) for p in net.parameters()],
}
