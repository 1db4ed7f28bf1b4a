"""The emitted train step against a hand-written MindSpore step on the same network, interleaved in one process.

    python benchmarks/steps.py [--rounds 60]

Prints the CPU time of one step of each and the median of the ratios, in PyNative mode and with the forward function
jitted; the last column is the ratio to a MindSpore step that is jitted as a whole.
"""
from __future__ import annotations

import argparse
import os
from collections.abc import Callable

os.environ.setdefault("GLOG_v", "3")

import mindspore
import numpy as np
from mindspore import Tensor
from rounds import Rounds

from torch2ms.runtime import mint, nn, optim, value_and_grad

Step = Callable[[], object]


class MLP(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.SequentialCell(mint.nn.Linear(64, 256), mint.nn.ReLU(), mint.nn.Linear(256, 10))

    def construct(self, x: Tensor) -> Tensor:
        return self.body(x)


class CNN(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = mint.nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = mint.nn.Conv2d(8, 16, 3, padding=1)
        self.fc = mint.nn.Linear(16 * 7 * 7, 10)

    def construct(self, x: Tensor) -> Tensor:
        pool = mint.nn.functional.max_pool2d
        x = pool(mint.nn.functional.relu(self.conv1(x)), 2)
        x = pool(mint.nn.functional.relu(self.conv2(x)), 2)
        return self.fc(x.view(x.shape[0], -1))


class Block(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.fc = mint.nn.Linear(32, 10)

    def construct(self, x: Tensor) -> Tensor:
        return self.fc(self.encoder(x)[:, 0])


def emitted(net: nn.Cell, x: Tensor, y: Tensor, jit: bool) -> Step:
    optimizer = optim.Adam(net.parameters(), lr=1e-3)

    def forward_fn(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        outputs = net(x)
        loss = mint.nn.functional.cross_entropy(outputs, y)
        return loss, outputs

    if jit:
        forward_fn = mindspore.jit(forward_fn)
    grad_fn = value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

    def train_step() -> float:
        (loss, _), grads = grad_fn(x, y)
        optimizer(grads)
        return float(loss)

    return train_step


def by_hand(net: nn.Cell, x: Tensor, y: Tensor, jit: str) -> Step:
    weights = mindspore.ParameterTuple(net.parameters())
    optimizer = mindspore.nn.Adam(weights, learning_rate=1e-3)

    def forward_fn(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        outputs = net(x)
        loss = mint.nn.functional.cross_entropy(outputs, y)
        return loss, outputs

    if jit == "forward":
        forward_fn = mindspore.jit(forward_fn)
    grad_fn = mindspore.value_and_grad(forward_fn, None, weights, has_aux=True)

    def step(x: Tensor, y: Tensor) -> Tensor:
        (loss, _), grads = grad_fn(x, y)
        optimizer(grads)
        return loss

    if jit == "all":
        step = mindspore.jit(step)
    return lambda: float(step(x, y))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    mindspore.runtime.launch_blocking()
    rng = np.random.RandomState(0)
    shapes = {MLP: (64, 64), CNN: (16, 1, 28, 28), Block: (8, 16, 32)}
    for make, shape in shapes.items():
        x, y = Tensor(rng.randn(*shape).astype("float32")), Tensor(rng.randint(0, 10, shape[0]))
        steps = {
            "emitted": emitted(make(), x, y, False),
            "by hand": by_hand(make(), x, y, ""),
            "emitted jit": emitted(make(), x, y, True),
            "by hand jit": by_hand(make(), x, y, "forward"),
            "by hand whole": by_hand(make(), x, y, "all"),
        }
        found = Rounds(steps, options.rounds)
        print(
            f"{make.__name__:6s} PyNative {found.median('emitted'):7.2f} / {found.median('by hand'):7.2f} ms = "
            f"{found.ratio('emitted', 'by hand'):.2f}   jit {found.median('emitted jit'):7.2f} / "
            f"{found.median('by hand jit'):7.2f} ms = {found.ratio('emitted jit', 'by hand jit'):.2f}   "
            f"whole {found.ratio('emitted jit', 'by hand whole'):.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
