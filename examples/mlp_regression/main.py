"""Fit a noisy surface with a small network and stop when the validation loss no longer falls."""
import argparse
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, x):
        return x + self.body(x)


class Net(nn.Module):
    def __init__(self, inputs, scale, width=64, depth=2):
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.blocks = nn.Sequential(*[Residual(width) for _ in range(depth)])
        self.last = nn.Linear(width, 1)
        # predictions are made on the scale of the data; the scale is no parameter
        self.register_buffer("scale", torch.tensor(scale))

    def forward(self, x):
        x = torch.tanh(self.first(x))
        return self.last(self.blocks(x)).squeeze(-1) * self.scale


def surface(x):
    return torch.sin(3 * x[:, 0]) * torch.cos(2 * x[:, 1]) + 0.5 * x[:, 2] ** 2


def make_data(count, noise):
    x = torch.rand(count, 3) * 2 - 1
    y = surface(x) + noise * torch.randn(count)
    return TensorDataset(x, y)


def run_epoch(model, loader, criterion, optimizer=None):
    total, count = 0.0, 0
    for x, y in loader:
        prediction = model(x)
        loss = criterion(prediction, y)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(x)
        count += len(x)
    return total / count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--patience", type=int, default=4)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    data = make_data(args.samples, args.noise)
    train_size = int(0.8 * len(data))
    train_set, valid_set = random_split(data, [train_size, len(data) - train_size])
    train_loader = DataLoader(train_set, batch_size=100, shuffle=True)
    valid_loader = DataLoader(valid_set, batch_size=400)

    model = Net(inputs=3, scale=data.tensors[1].abs().max().item())
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[6, 10], gamma=0.2)

    best, best_state, waited = float("inf"), None, 0
    for epoch in range(args.epochs):
        model.train()
        train_loss = run_epoch(model, train_loader, criterion, optimizer)
        model.eval()
        with torch.no_grad():
            valid_loss = run_epoch(model, valid_loader, criterion)
        scheduler.step()
        print(f"epoch {epoch:2d}  train {train_loss:.5f}  valid {valid_loss:.5f}")
        if valid_loss < best:
            best, best_state, waited = valid_loss, copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
            if waited == args.patience:
                break

    model.load_state_dict(best_state)
    model.eval()
    corners = torch.tensor([[0.0, 0.0, 0.0], [0.5, 0.0, 1.0], [-0.5, 1.0, -1.0]])
    with torch.no_grad():
        for point, value, truth in zip(corners, model(corners), surface(corners)):
            print(f"f({', '.join(f'{c:+.1f}' for c in point.tolist())}) = {value.item():+.3f}  (true {truth.item():+.3f})")


if __name__ == "__main__":
    main()
