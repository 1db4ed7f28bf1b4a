"""The runtime's optimizers against mindspore.nn's on 100 parameters, interleaved in one process.

    python benchmarks/optimizers.py [--parameters 100] [--size 64] [--steps 40]

Prints the CPU time of a step of each and the ratio.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ.setdefault("GLOG_v", "3")

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parameters", type=int, default=100)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    mindspore.runtime.launch_blocking()
    rng = np.random.RandomState(0)
    shape = (options.size, options.size)
    grads = tuple(Tensor(rng.randn(*shape).astype("float32")) for _ in range(options.parameters))
    for name, makers in PAIRS.items():
        optimizers = [make(parameters(options.parameters, options.size)) for make in makers]
        for optimizer in optimizers:
            for _ in range(8):
                optimizer(grads)
        best = [float("inf")] * 2
        for _ in range(options.steps):
            for i, optimizer in enumerate(optimizers):
                start = time.process_time()
                optimizer(grads)
                best[i] = min(best[i], time.process_time() - start)
        print(
            f"{name:14s} runtime {best[0] * 1e3:6.2f} ms   mindspore {best[1] * 1e3:6.2f} ms   ratio {best[0] / best[1]:.2f}"
        )


if __name__ == "__main__":
    main()
