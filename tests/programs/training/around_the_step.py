"""What stands around a step: averages of weights, frozen parts, tied weights, kept states, early ends, endless loaders."""
import copy
import itertools

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(21)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def settle(module):
    for p in module.parameters():
        p.data.copy_(array(*p.shape) * 0.4)
    return module


def make():
    return settle(nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2)))


data = [(array(5, 3), torch.from_numpy(rng.randint(0, 2, 5))) for _ in range(4)]


def average(model, loader, decay=0.8):
    teacher = copy.deepcopy(model)
    for p in teacher.parameters():
        p.requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    log = []
    for x, y in loader:
        with torch.no_grad():
            wanted = teacher(x)
        out = model(x)
        loss = F.cross_entropy(out, y) + 0.5 * F.mse_loss(out.softmax(1), wanted.softmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for t, s in zip(teacher.parameters(), model.parameters()):
                t.copy_(decay * t + (1 - decay) * s)
        log.append(loss.item())
    return log, teacher


def thawed(model, loader):
    """The first layer is frozen in the first epoch; the optimizer holds it all the time."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=0.1, eps=1e-3)
    log = []
    for epoch in range(2):
        for p in model[0].parameters():
            p.requires_grad = epoch > 0
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            log.append(loss.item())
    return log


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Embedding(6, 4)
        self.decoder = nn.Linear(4, 6, bias=False)
        self.decoder.weight = self.encoder.weight

    def forward(self, tokens):
        return self.decoder(torch.tanh(self.encoder(tokens)))


def tied(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.5)
    tokens = torch.from_numpy(rng.randint(0, 6, (3, 4)))
    log = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).view(-1, 6), tokens.view(-1))
        loss.backward()
        optimizer.step()
        log.append(loss.item())
    return log


def best_of(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    lowest, kept, log = float("inf"), None, []
    for epoch in range(3):
        model.train()
        running = 0.0
        for i, (x, y) in enumerate(loader):
            optimizer.zero_grad()
            outputs = model(x)
            loss = F.cross_entropy(outputs, y)
            loss.backward()
            optimizer.step()
            running += loss.item() * x.size(0)
        model.eval()
        correct = 0
        with torch.no_grad():
            for x, y in loader:
                outputs = model(x)
                correct += (outputs.argmax(dim=1) == y).sum().item()
        if running < lowest:
            lowest, kept = running, copy.deepcopy(model.state_dict())
        log.append([running, correct])
        if len(log) > 1 and log[-1][0] > log[-2][0]:
            break
    model.load_state_dict(kept)
    return log


def endless(model, loader, steps=6):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = itertools.cycle(loader)
    log, step = [], 0
    while True:
        x, y = next(batches)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], 0.5)
        optimizer.step()
        log.append(loss.item())
        step += 1
        if step >= steps:
            break
    return log


def retried(model, loader):
    """A batch that fails is left out; what it left of its gradients goes."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    log = []
    for i, (x, y) in enumerate(loader):
        try:
            if i == 1:
                raise RuntimeError("out of memory")
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            log.append("skipped")
            continue
        log.append(loss.item())
    return log


def running_tensor(model, loader):
    """The sum of the losses is a tensor; a scheduler steps with each batch; the learning rate is also set by hand."""
    optimizer = torch.optim.SGD([{"params": model[0].parameters(), "lr": 0.01}, {"params": model[3].parameters()}], lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=[0.05, 0.2], total_steps=8)
    total = 0
    for epoch in range(2):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            total += loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    x, y = loader[0]
    optimizer.zero_grad(set_to_none=True)
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    return [total.item(), scheduler.get_last_lr()]


RESULT = {}
model = make()
log, teacher = average(model, data)
RESULT["average"] = [log, [p.detach() for p in (*model.parameters(), *teacher.parameters())], [b.clone() for b in teacher.buffers()]]
for build in (thawed, best_of, endless, retried, running_tensor):
    model = make()
    RESULT[build.__name__] = [build(model, data), [p.detach() for p in model.parameters()], [b.clone() for b in model.buffers()]]
model = settle(Tied())
RESULT["tied"] = [tied(model), [p.detach() for p in model.parameters()]]
