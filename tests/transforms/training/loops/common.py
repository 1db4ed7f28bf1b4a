"""What all random training programs share: imports, networks and data, and the random choices."""

from __future__ import annotations

from random import Random

HEAD = '''\
import copy
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

rng = np.random.RandomState({seed})


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def settle(module):
    for p in module.parameters():
        p.data.copy_(array(*p.shape) * 0.4)
    return module


class Masked(nn.Module):
    """Dropout that draws from numpy."""

    def forward(self, x):
        if not self.training:
            return x
        return x * torch.from_numpy((rng.rand(*x.shape) > 0.3).astype("float32")) / 0.7


class Net(nn.Module):
    def __init__(self, inputs=4, outputs=2):
        super().__init__()
        self.body = nn.Linear(inputs, 5, bias={bias})
        self.norm = {norm}
        self.drop = {drop}
        self.head = nn.Linear(5, outputs)
        self.spare = nn.Linear(2, 2)

    def features(self, x):
        return self.drop(torch.tanh(self.norm(self.body(x))))

    def forward(self, x):
        return self.head(self.features(x))


def report(*modules):
    values = []
    for module in modules:
        values += [p.detach().numpy().copy() for p in module.parameters()]
        values += [b.numpy().copy() for b in module.buffers()]
    return values


data = [(array(6, 4), torch.from_numpy(rng.randint(0, 2, 6))) for _ in range({batches})]
log = []
'''

OPTIMIZERS = (
    "torch.optim.SGD({p}, lr=0.1)",
    "torch.optim.SGD({p}, lr=0.05, momentum=0.9)",
    "torch.optim.SGD({p}, lr=0.05, momentum=0.5, weight_decay=0.1)",
    "torch.optim.Adam({p}, lr=0.02, eps=1e-3)",
    "torch.optim.AdamW({p}, lr=0.02, eps=1e-3, weight_decay=0.1)",
    "torch.optim.RMSprop({p}, lr=0.01, eps=1e-2)",
)


def indent(lines: list[str]) -> list[str]:
    """The lines one level deeper."""
    return ["    " + line if line else line for line in lines]


class Maker:
    """Random choices for one program; the same seed makes the same program."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.helpers: list[str] = []
        self.counter = self.pick("i", "step", "batch_idx")

    def pick(self, *options: str) -> str:
        """One of the options."""
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        """True in `share` of all cases."""
        return self.random.random() < share

    def head(self) -> list[str]:
        """Imports, networks and data."""
        norm = self.pick("nn.Identity()", "nn.Identity()", "nn.BatchNorm1d(5)", "nn.LayerNorm(5)")
        return HEAD.format(
            seed=self.seed,
            bias=norm != "nn.BatchNorm1d(5)",
            norm=norm,
            drop=self.pick("nn.Identity()", "Masked()", "nn.Dropout(0.0)"),
            batches=self.random.choice((3, 4, 5)),
        ).splitlines()

    def optimizer(self, parameters: str) -> str:
        """The call that makes an optimizer."""
        return self.pick(*OPTIMIZERS).format(p=parameters)

    def condition(self) -> str:
        """Something that holds in a part of the iterations."""
        c = self.counter
        return self.pick(
            f"{c} % 2 == 0",
            f"({c} + 1) % 2 == 0",
            f"({c} + 1) % 3 == 0 or {c} + 1 == len(data)",
            f"{c} > 0",
            f"{c} != 1",
        )

    def maybe_if(self, lines: list[str], share: float = 0.15) -> list[str]:
        """The lines, now and then under a condition."""
        return [f"if {self.condition()}:", *indent(lines)] if self.chance(share) else lines
