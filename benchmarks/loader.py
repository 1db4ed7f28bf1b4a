"""Throughput of the runtime's data loader against PyTorch's, in one run: `python benchmarks/loader.py`.

Both read the same numpy samples (32 x 32 x 3 bytes, scaled and normalized) in alternating passes. Printed is the ratio of
the best passes, by wall clock and by processor time of this process and its workers: above 1 the runtime is faster.

On a machine with other work the wall clock says little: a scheduler prefers processes that sleep often over those that
compute. `--real-time` gives each pass a real-time priority (for fractions of a second), which needs the right to.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def _undisturbed(real_time: bool) -> Iterator[None]:
    if not real_time:
        yield
        return
    # others get their turn between the passes
    time.sleep(0.5)
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _cost(run: Callable[[], None], real_time: bool) -> tuple[float, float]:
    def used() -> float:
        kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(resource.getrusage(k).ru_utime + resource.getrusage(k).ru_stime for k in kinds)

    with _undisturbed(real_time):
        wall, before = time.perf_counter(), used()
        run()
        return time.perf_counter() - wall, used() - before


def _pass(library: Any, dataset: Any, workers: int) -> Callable[[], None]:
    def run() -> None:
        for _ in library.DataLoader(dataset, 64, shuffle=True, num_workers=workers):
            pass

    return run


def compare(name: str, first: Any, second: Any, workers: int, options: argparse.Namespace) -> None:
    costs: dict[str, list[tuple[float, float]]] = {"PyTorch": [], "runtime": []}
    for _ in range(options.passes):
        costs["PyTorch"].append(_cost(_pass(theirs, first, workers), options.real_time))
        costs["runtime"].append(_cost(_pass(ours, second, workers), options.real_time))
    best = {who: [min(cost[i] for cost in spent) for i in (0, 1)] for who, spent in costs.items()}
    wall, cpu = (best["PyTorch"][i] / best["runtime"][i] for i in (0, 1))
    print(f"{name:15s} workers={workers}  wall {wall:5.2f}x  processor {cpu:5.2f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=6000)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--real-time", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = np.random.RandomState(0).rand(options.samples, 100).astype(np.float32)
    for workers in (0, 2):
        compare("cheap samples", Cheap(options.samples), Cheap(options.samples), workers, options)
        compare("heavy samples", Heavy(options.samples // 3), Heavy(options.samples // 3), workers, options)
        pair = theirs.TensorDataset(torch.tensor(rows)), ours.TensorDataset(Tensor(rows))
        compare("TensorDataset", *pair, workers, options)


if __name__ == "__main__":
    main()
