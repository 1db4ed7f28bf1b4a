"""`torch2ms weights` on a large state dict: `python benchmarks/weights.py [--gib 2]`.

Prints time and peak memory of each conversion, and the bound that it must keep: 1.3 times the largest tensor and 200 MB.
The library that owns the format then reads the file, and the sum of its bytes is compared. Exit code 1 outside of
the bound.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

_RUN = """
import sys
from torch2ms.cli import cli
if cli(["weights", *sys.argv[1:]], standalone_mode=False):
    sys.exit(1)
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024)
"""
_LARGEST = 512 << 20
_CASES = (
    (".safetensors", ()), (".ckpt", ()), (".pth", ()), (".safetensors", ("--dtype", "bfloat16")),
    (".ckpt", ("--dtype", "float64")),
)  # fmt: skip


def _write(path: Path, gib: float) -> int:
    import torch

    count = max(1, round((gib * 1024 - 512) / 16))
    state = {"largest": torch.randn(_LARGEST // 4 // 4096, 4096), "turned": torch.randn(1024, 4096).t()}
    state |= {f"layer{i}.weight": torch.randn(2048, 2048) for i in range(count)}
    torch.save(state, path)
    return sum(_sum(tensor.numpy()) for tensor in state.values())


def _sum(array: np.ndarray) -> int:
    return int(np.ascontiguousarray(array).reshape(-1).view(np.uint8).sum(dtype=np.uint64))


def _arrays(path: Path) -> Any:
    if path.suffix == ".ckpt":
        # mindspore.load_checkpoint refuses files larger than the memory that is unused right now; the tests ask it
        back = path.with_suffix(".back.safetensors")
        command = [sys.executable, "-m", "torch2ms", "weights", str(path), str(back), "--force"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        path = back
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return (tensor.numpy() for tensor in load_file(path).values())
    import torch

    return (tensor.numpy() for tensor in torch.load(path, weights_only=True, mmap=True).values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    options = parser.parse_args()
    bound = 1.3 * _LARGEST / 2**20 + 200
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "old.pth"
        expected = _write(old, options.gib)
        for suffix, more in _CASES:
            new = Path(folder) / f"new{suffix}"
            start = time.perf_counter()
            command = [sys.executable, "-c", _RUN, str(old), str(new), *more]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, peak = time.perf_counter() - start, float(done.stdout.split()[-1])
            if not more and sum(map(_sum, _arrays(new))) != expected:
                raise SystemExit(f"{suffix}: other bytes than in the old file")
            size = new.stat().st_size / 2**30
            print(f"{' '.join((suffix, *more)):32s} {size:5.2f} GiB {seconds:6.1f} s  peak {peak:5.0f} MB (bound {bound:.0f})")
            worst = max(worst, peak)
            new.unlink()
    return int(worst > bound)


if __name__ == "__main__":
    sys.exit(main())
