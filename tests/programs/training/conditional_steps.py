"""Steps under conditions: phases with set_grad_enabled, a backward only above a threshold, zero_grad every second time."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(6)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


def phases(model, optimizer, data):
    log = []
    for phase in ("train", "val", "train"):
        if phase == "train":
            model.train()
        else:
            model.eval()
        for inputs, labels in data:
            optimizer.zero_grad()
            with torch.set_grad_enabled(phase == "train"):
                outputs = model(inputs)
                preds = outputs.argmax(1)
                loss = F.cross_entropy(outputs, labels)
                if phase == "train":
                    loss.backward()
                    optimizer.step()
            log.append([loss.item(), (preds == labels).sum().item()])
    return log


def threshold(model, optimizer, data):
    log = []
    for x, y in data:
        loss = F.cross_entropy(model(x), y)
        if loss.item() > 0.5:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        log.append(loss.item())
    return log


def train_or_not(model, optimizer, data, train):
    total = 0.0
    for x, y in data:
        out = model(x)
        loss = F.cross_entropy(out, y)
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total


def sometimes_zero(model, optimizer, data):
    for i, (x, y) in enumerate(data):
        if i % 2 == 0:
            optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()


net = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
settle(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
data = [(torch.from_numpy(rng.randn(5, 3).astype("float32")), torch.from_numpy(rng.randint(0, 2, 5))) for _ in range(4)]
log = phases(net, optimizer, data)
log += [threshold(net, optimizer, data), train_or_not(net, optimizer, data, True), train_or_not(net, optimizer, data, False)]
sometimes_zero(net, optimizer, data)
RESULT = {
    "log": log,
    "weights": [p.detach().numpy().tolist() for p in net.parameters()],
    "var": net[1].running_var.numpy().tolist(),
}
