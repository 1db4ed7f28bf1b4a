"""Loading a large state dict, every byte read: `python benchmarks/checkpoint.py [--gib 2]`.

`serialization.load` and `torch.load` read the same file in processes of their own, alternating. Printed are time, peak
memory beside what importing the library takes, and the part of it that is not the file itself, mapped, which the system
gets back when it needs memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_READ = {
    "runtime": """
import os, sys, time
os.environ["GLOG_v"] = "3"
from torch2ms.runtime import serialization
load, array = serialization.load, lambda t: t.asnumpy()
""",
    "PyTorch": """
import sys, time
import torch
load, array = torch.load, lambda t: t.numpy()
""",
}
_BODY = """
import numpy as np
def peak(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 1024
base, private, start = peak("VmRSS"), peak("RssAnon"), time.perf_counter()
state = load(sys.argv[1])
total = sum(int(array(t).view(np.uint8).sum(dtype=np.uint64)) for t in state.values())
print(time.perf_counter() - start, peak("VmHWM") - base, peak("RssAnon") - private, total)
"""


def _write(path: Path, gib: float) -> None:
    import torch

    count = max(1, round(gib * 64))
    torch.save({f"layer{i}.weight": torch.randn(2048, 2048) for i in range(count)}, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--passes", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.pth"
        _write(path, options.gib)
        best: dict[str, list[float]] = {}
        sums = set()
        for _ in range(options.passes):
            for who, head in _READ.items():
                command = [sys.executable, "-c", head + _BODY, str(path)]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ})
                *figures, total = done.stdout.split()
                sums.add(total)
                before = best.get(who, [float("inf")] * 3)
                best[who] = [min(old, float(new)) for old, new in zip(before, figures)]
    if len(sums) != 1:
        raise SystemExit("the two libraries read different bytes")
    for who, (seconds, memory, private) in best.items():
        print(f"{who:8s} {seconds:6.2f} s  peak {memory:7.0f} MB  of its own {private:7.0f} MB")
    ours, theirs = best["runtime"], best["PyTorch"]
    print(f"PyTorch / runtime: time {theirs[0] / ours[0]:.2f}x  memory {theirs[1] / ours[1]:.2f}x")


if __name__ == "__main__":
    main()
