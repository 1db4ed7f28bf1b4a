"""Accumulation with clipping over a model whose optimizer has two groups that leave nothing out, a part frozen at first."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(44)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
        self.norm = nn.LayerNorm(6)
        self.head = nn.Linear(6, 1)
        self.unused = nn.Linear(6, 2)

    def forward(self, x):
        return self.head(self.norm(self.encoder(x))).squeeze(-1)


def set_requires_grad(module, flag):
    for p in module.parameters():
        p.requires_grad = flag


def train(data, epochs):
    model = Regressor()
    model.load_state_dict({k: array(*v.shape) * 0.5 for k, v in model.state_dict().items()})
    set_requires_grad(model.encoder, False)
    no_decay = ["bias", "norm"]
    optimizer = torch.optim.AdamW(
        [
            {"params": [p for n, p in model.named_parameters() if not any(d in n for d in no_decay)], "weight_decay": 0.1},
            {"params": [p for n, p in model.named_parameters() if any(d in n for d in no_decay)], "weight_decay": 0.0},
        ],
        lr=1e-2,
    )
    history = []
    for epoch in range(epochs):
        if epoch == 1:
            set_requires_grad(model.encoder, True)
        optimizer.zero_grad()
        for i, (x, y) in enumerate(data):
            loss = F.mse_loss(model(x), y)
            (loss / 3).backward()
            history.append(loss.item())
            if (i + 1) % 3 == 0 or (i + 1) == len(data):
                norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
                optimizer.zero_grad()
                history.append(norm.item())
    return model, history


model, log = train([(array(5, 4), array(5)) for _ in range(7)], 3)
RESULT = {"log": log, "weights": [p.detach().numpy().tolist() for p in model.parameters()]}
