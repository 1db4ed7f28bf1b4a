"""Steps outside loops: a function for one batch, a closure over globals, a method."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(4)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


net = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2))
settle(net)
opt = torch.optim.RMSprop(net.parameters(), lr=0.01)


def train_batch(x, y):
    opt.zero_grad()
    x = x * 2.0
    out = net(x)
    loss = F.cross_entropy(out, y)
    loss.backward()
    opt.step()
    return loss.item(), out


def fit(model, x, y, lr):
    """The whole data at once, without a loop."""
    optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()


class Learner:
    def __init__(self, model):
        self.model = model
        self.optim = torch.optim.Adam(self.model.parameters(), lr=0.02, amsgrad=True)

    def learn(self, x, y):
        prediction = self.model(x)
        error = F.cross_entropy(prediction, y, reduction="none")
        loss = error.mean()
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return error.detach()


log = []
learner = Learner(net)
for _ in range(4):
    x = torch.from_numpy(rng.randn(6, 3).astype("float32"))
    y = torch.from_numpy(rng.randint(0, 2, 6))
    value, out = train_batch(x, y)
    log.append([value, out.sum().item()])
    fit(net, x, y, 0.05)
    log.append(learner.learn(x, y).numpy().tolist())
RESULT = {"log": log, "weights": [p.detach().numpy().tolist() for p in net.parameters()]}
