"""Loading a large state dict: `python benchmarks/checkpoint.py [--gib 2]`, on Linux.

`serialization.load` and `torch.load` read the same file in processes of their own, alternating, and use it in three ways:
every byte is read and all tensors are kept; every byte is read and each tensor is dropped then; and a model loads the
state dict, `model.load_state_dict(load(path))`. Printed are the time, the peak memory beside what the process has before
it loads (the library, and the model), and what is left of that without the mapped file, which the system gets back
whenever it needs memory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

_SIDE = 2048
_HEADS = {
    "runtime": """
import os
os.environ["GLOG_v"] = "3"
from torch2ms.runtime import mint, nn, serialization
load, array, base, linear = serialization.load, lambda t: t.asnumpy(), nn.Cell, mint.nn.Linear
""",
    "PyTorch": """
import torch
load, array, base, linear = torch.load, lambda t: t.detach().numpy(), torch.nn.Module, torch.nn.Linear
""",
}
_BODY = """
import sys, time
import numpy as np
path, way, side, count = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])

class Model(base):
    def __init__(self):
        super().__init__()
        for i in range(count):
            setattr(self, f"layer{i}", linear(side, side, bias=False))

def memory(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 1024

def bytes_of(tensor):
    return int(array(tensor).view(np.uint8).sum(dtype=np.uint64))

model = Model() if way == "model" else None
if model is not None:
    # the model's own pages are there before the measurement
    for layer in range(count):
        array(getattr(model, f"layer{layer}").weight)[...] = 0
before, own = memory("VmRSS"), memory("RssAnon")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
wall, start = time.perf_counter(), time.process_time()
state = load(path)
if way == "dropped":
    total = 0
    for name in list(state):
        total += bytes_of(state.pop(name))
elif way == "kept":
    total = sum(map(bytes_of, state.values()))
else:
    model.load_state_dict(state)
wall, spent = time.perf_counter() - wall, time.process_time() - start
peak, held = memory("VmHWM") - before, memory("RssAnon") - own
if model is not None:
    total = sum(bytes_of(getattr(model, f"layer{i}").weight) for i in range(count))
print(wall, spent, peak, held, total)
"""
_WAYS = {
    "kept": "every byte read, tensors kept",
    "dropped": "every byte read, tensors dropped",
    "model": "model.load_state_dict(load(path))",
}


def _write(path: Path, count: int) -> None:
    import torch

    torch.save({f"layer{i}.weight": torch.randn(_SIDE, _SIDE) for i in range(count)}, path)


def _compare(path: Path, way: str, count: int, passes: int) -> None:
    best: dict[str, list[float]] = {}
    sums = set()
    for _ in range(passes):
        for who, head in _HEADS.items():
            command = [sys.executable, "-c", head + _BODY, str(path), way, str(_SIDE), str(count)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            *figures, total = done.stdout.split()
            sums.add(total)
            before = best.get(who, [float("inf")] * 4)
            best[who] = [min(old, float(new)) for old, new in zip(before, figures)]
    if len(sums) != 1:
        raise SystemExit("the two libraries read different bytes")
    print(_WAYS[way])
    for who, (wall, spent, peak, held) in best.items():
        print(f"  {who:8s} {wall:6.2f} s  processor {spent:6.2f} s  peak {peak:6.0f} MB  of its own {held:6.0f} MB")
    print(f"  PyTorch / runtime: time {best['PyTorch'][0] / best['runtime'][0]:.2f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--passes", type=int, default=3)
    options = parser.parse_args()
    count = max(1, round(options.gib * 2**30 / (4 * _SIDE**2)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.pth"
        _write(path, count)
        for way in _WAYS:
            _compare(path, way, count, options.passes)


if __name__ == "__main__":
    main()
