"""Objects that hold no tensor, given to functions that write: meters, logs, options of the command line."""

from __future__ import annotations

from tests.side_by_side import check

TRAINING = """
import argparse
import torch
import torch.nn as nn
class Log:
    def __init__(self, every, epoch=-1):
        self.every, self.epoch, self.state = every, epoch, {"loss": 0., "steps": 0}
    def train(self):
        self.epoch += 1
        self.state = {"loss": 0., "steps": 0}
    def __call__(self, loss, n):
        self.state["loss"] += loss.item()
        self.state["steps"] += n
        return self.state["loss"] / self.state["steps"]
def make(every):
    return Log(every)
net = nn.Linear(3, 1)
nn.init.constant_(net.weight, .5); nn.init.zeros_(net.bias)
optimizer = torch.optim.SGD(net.parameters(), lr=.1)
x = torch.sin(torch.arange(12.)).view(4, 3)
def main(lr, ways, name):
    lr *= 1
    ways += 1
    log = make(10)
    other = log
    seen = []
    for epoch in range(2):
        log.train()
        for step in range(2):
            optimizer.zero_grad()
            loss = net(x).pow(2).mean() * lr
            loss.backward()
            optimizer.step()
            seen.append(log(loss, 4))
    return seen, other.epoch, ways
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=.5)
parser.add_argument("--ways", type=int, default=5)
args = parser.parse_args([])
RESULT = [main(lr=args.lr, ways=args.ways, name="a"), args.ways, net.weight]
"""


def test_meters_and_options() -> None:
    check(TRAINING)
