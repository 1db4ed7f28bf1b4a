"""The runtime's optimizers against mindspore.nn's on 100 parameters, interleaved in one process.

    python benchmarks/optimizers.py [--parameters 100] [--size 64] [--rounds 60]

Prints the CPU time of a step of each and the median of the ratios.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("GLOG_v", "3")

import mindspore
import numpy as np
from mindspore import Parameter, Tensor
from rounds import Rounds

from torch2ms.runtime import optim

PAIRS = {
    "SGD": (lambda p: optim.SGD(p, 0.01), lambda p: mindspore.nn.SGD(p, 0.01)),
    "SGD momentum": (
        lambda p: optim.SGD(p, 0.01, momentum=0.9),
        lambda p: mindspore.nn.SGD(p, 0.01, momentum=0.9),
    ),
    "Adam": (lambda p: optim.Adam(p, 0.01), lambda p: mindspore.nn.Adam(p, 0.01)),
    "AdamW": (lambda p: optim.AdamW(p, 0.01), lambda p: mindspore.nn.AdamWeightDecay(p, 0.01, weight_decay=0.01)),
    "RMSprop": (lambda p: optim.RMSprop(p, 0.01), lambda p: mindspore.nn.RMSProp(p, 0.01)),
    "Adagrad": (lambda p: optim.Adagrad(p, 0.01), lambda p: mindspore.nn.Adagrad(p, learning_rate=0.01)),
}


def parameters(count: int, size: int) -> list[Parameter]:
    return [Parameter(Tensor(np.ones((size, size), np.float32)), name=f"p{i}") for i in range(count)]


def stepper(
    make: Callable[[list[Parameter]], Any], count: int, size: int, grads: tuple[Tensor, ...]
) -> Callable[[], object]:
    weights = parameters(count, size)
    optimizer = make(weights)

    def step() -> object:
        optimizer(grads)
        return weights[-1].asnumpy()

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parameters", type=int, default=100)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    mindspore.runtime.launch_blocking()
    rng = np.random.RandomState(0)
    shape = (options.size, options.size)
    grads = tuple(Tensor(rng.randn(*shape).astype("float32")) for _ in range(options.parameters))
    for name, makers in PAIRS.items():
        runtime, reference = (stepper(make, options.parameters, options.size, grads) for make in makers)
        found = Rounds({"runtime": runtime, "mindspore": reference}, options.rounds)
        print(
            f"{name:14s} runtime {found.median('runtime'):6.2f} ms   mindspore {found.median('mindspore'):6.2f} ms   "
            f"ratio {found.ratio('runtime', 'mindspore'):.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
