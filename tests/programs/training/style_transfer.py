"""Style transfer: an image as the only weight, clamped between the steps; LBFGS over a closure, and Adam."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(40)


def array(*shape):
    return torch.from_numpy(rng.rand(*shape))


class Features(nn.Module):
    """The first layers of a VGG, small, frozen."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Conv2d(4, 6, 3, padding=1), nn.ReLU(),
        )

    def forward(self, x):
        found = []
        for index, layer in enumerate(self.layers):
            x = layer(x)
            if index in (0, 2, 5):
                found.append(x)
        return found


def gram_matrix(x):
    b, c, h, w = x.size()
    rows = x.view(b * c, h * w)
    return torch.mm(rows, rows.t()).div(b * c * h * w)


vgg = Features().double()
vgg.load_state_dict({k: array(*v.shape) - 0.5 for k, v in vgg.state_dict().items()})
vgg.eval()
for p in vgg.parameters():
    p.requires_grad_(False)

content, style = array(1, 3, 8, 8), array(1, 3, 8, 8)
style_grams = [gram_matrix(f).detach() for f in vgg(style)]
content_features = vgg(content)[1].detach()
log = []


def run_lbfgs(rounds):
    img = array(1, 3, 8, 8).requires_grad_()
    optimizer = torch.optim.LBFGS([img], lr=0.5, max_iter=4)
    for _ in range(rounds):

        def closure():
            with torch.no_grad():
                img.clamp_(0, 1)
            optimizer.zero_grad()
            features = vgg(img)
            style_loss = 0
            for f, g in zip(features, style_grams):
                style_loss += F.mse_loss(gram_matrix(f), g)
            content_loss = F.mse_loss(features[1], content_features)
            loss = style_loss * 1e3 + content_loss
            loss.backward()
            log.append(loss.item())
            return loss

        optimizer.step(closure)
    with torch.no_grad():
        img.clamp_(0, 1)
    return img


def run_adam(rounds):
    img = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([img], lr=0.2)
    for _ in range(rounds):
        optimizer.zero_grad()
        features = vgg(img)
        style_loss = 0
        for f, g in zip(features, style_grams):
            style_loss = style_loss + F.mse_loss(gram_matrix(f), g)
        loss = style_loss * 1e3 + F.mse_loss(features[1], content_features)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            img.clamp_(0, 1)
        log.append(loss.item())
    return img


def run_data(rounds):
    img = array(1, 3, 8, 8).requires_grad_()
    optimizer = torch.optim.Adam([img], lr=0.2)
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = F.mse_loss(vgg(img)[2], vgg(style)[2])
        loss.backward()
        optimizer.step()
        img.data.clamp_(0, 1)
        log.append(loss.item())
    return img


images = [run_lbfgs(3), run_adam(5), run_data(6)]
RESULT = {
    "log": log,
    "images": [i.detach().numpy().tolist() for i in images],
    "frozen": [v.numpy().tolist() for v in vgg.state_dict().values()],
}
