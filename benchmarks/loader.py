"""Throughput of the runtime's data loader against PyTorch's, in one run: `python benchmarks/loader.py`.

Both read the same numpy samples (32 x 32 x 3 bytes, scaled and normalized) in alternating passes. Printed is the ratio of
the best passes, by wall clock and by processor time of this process and its workers: above 1 the runtime is faster.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("GLOG_v", "3")

import numpy as np
import torch
import torch.utils.data as theirs
from mindspore import Tensor
from PIL import Image

from torch2ms.runtime import data as ours


class Cheap:
    """Bytes to normalized floats."""

    def __init__(self, samples: int) -> None:
        self.images = np.random.RandomState(0).randint(0, 256, (samples, 32, 32, 3)).astype(np.uint8)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, i: int) -> Any:
        image = self.images[i].transpose(2, 0, 1).astype(np.float32) / 255
        return (image - np.float32(0.5)) / np.float32(0.25), i % 10


class Heavy(Cheap):
    """A rotation and a larger size by PIL before that."""

    def __getitem__(self, i: int) -> Any:
        image = Image.fromarray(self.images[i]).rotate(i % 30).resize((64, 64))
        return np.asarray(image).transpose(2, 0, 1).astype(np.float32) / 255, i % 10


def _cost(run: Callable[[], None]) -> tuple[float, float]:
    def used() -> float:
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(resource.getrusage(k).ru_utime + resource.getrusage(k).ru_stime for k in kinds)

    wall, before = time.perf_counter(), used()
    run()
    return time.perf_counter() - wall, used() - before


def _pass(library: Any, dataset: Any, workers: int) -> Callable[[], None]:
    def run() -> None:
        for _ in library.DataLoader(dataset, 64, shuffle=True, num_workers=workers):
            pass

    return run


def compare(name: str, first: Any, second: Any, workers: int, passes: int) -> None:
    costs: dict[str, list[tuple[float, float]]] = {"PyTorch": [], "runtime": []}
    for _ in range(passes):
        costs["PyTorch"].append(_cost(_pass(theirs, first, workers)))
        costs["runtime"].append(_cost(_pass(ours, second, workers)))
    best = {who: [min(cost[i] for cost in spent) for i in (0, 1)] for who, spent in costs.items()}
    wall, cpu = (best["PyTorch"][i] / best["runtime"][i] for i in (0, 1))
    print(f"{name:15s} workers={workers}  wall {wall:5.2f}x  processor {cpu:5.2f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=6000)
    parser.add_argument("--passes", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = np.random.RandomState(0).rand(options.samples, 100).astype(np.float32)
    for workers in (0, 2):
        compare("cheap samples", Cheap(options.samples), Cheap(options.samples), workers, options.passes)
        compare("heavy samples", Heavy(options.samples // 3), Heavy(options.samples // 3), workers, options.passes)
        pair = theirs.TensorDataset(torch.tensor(rows)), ours.TensorDataset(Tensor(rows))
        compare("TensorDataset", *pair, workers, options.passes)


if __name__ == "__main__":
    main()
