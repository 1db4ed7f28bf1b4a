"""`torch2ms weights` on a large state dict: `python benchmarks/weights.py [--gib 2]`.

Every format is read and written, single files and folders with an index. Prints time and peak memory of each
conversion, and the bound that it must keep: 1.3 times the largest tensor and 200 MB. The library that owns the format
(PyTorch, safetensors, MindSpore) then reads what was written, and the sum of its bytes is compared. Exit code 1 outside
of the bound.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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
_PARTS = 3
# what is read, what is written, options; a folder is named by the format of its parts
_CASES = (
    ("old.pth", "new.safetensors", ()),
    ("new.safetensors", "new.bin", ()),
    ("new.bin", "new.ckpt", ()),
    ("new.ckpt", "back.safetensors", ()),
    ("new.ckpt", "back.pth", ()),
    ("new.safetensors", "other.ckpt", ()),
    ("parts.bin", "folder.safetensors", ("--to", "safetensors")),
    ("folder.safetensors", "folder.ckpt", ("--to", "ckpt")),
    ("folder.safetensors", "folder.bin", ("--to", "bin")),
    ("folder.bin", "whole.pth", ()),
    ("old.pth", "half.safetensors", ("--dtype", "bfloat16")),
    ("old.pth", "double.ckpt", ("--dtype", "float64")),
)
_READERS = {
    ".safetensors": """
from safetensors import safe_open
def tensors(path):
    with safe_open(path, "np") as file:
        yield from (file.get_tensor(name) for name in file.keys())
""",
    ".ckpt": """
import os
os.environ["GLOG_v"] = "3"
import mindspore
from mindspore.train import serialization
# it refuses files larger than the memory that is unused, not counting what the system would give back
serialization._check_checkpoint_protobuf_size = lambda *_: None
def tensors(path):
    return (value.asnumpy() for value in mindspore.load_checkpoint(path).values())
""",
    ".pth": """
import torch
def tensors(path):
    return (value.numpy() for value in torch.load(path, weights_only=True, mmap=True).values())
""",
}
_READERS[".bin"] = _READERS[".pth"]
_SUM = """
import sys
import numpy as np
def sum_of(array):
    return int(np.ascontiguousarray(array).reshape(-1).view(np.uint8).sum(dtype=np.uint64))
print(sum(sum_of(array) for path in sys.argv[1:] for array in tensors(path)))
"""


def _sum(array: np.ndarray) -> int:
    return int(np.ascontiguousarray(array).reshape(-1).view(np.uint8).sum(dtype=np.uint64))


def _write(folder: Path, gib: float) -> int:
    """Write one file, and the same tensors as a folder of several; return the sum of their bytes."""
    import torch

    count = max(1, round((gib * 1024 - 512) / 16))
    state = {"largest": torch.randn(_LARGEST // 4 // 4096, 4096), "turned": torch.randn(1024, 4096).t()}
    state |= {f"layer{i}.weight": torch.randn(2048, 2048) for i in range(count)}
    torch.save(state, folder / "old.pth")
    parts, places, names = folder / "parts.bin", {}, list(state)
    parts.mkdir()
    for i in range(_PARTS):
        name = f"pytorch_model-{i + 1:05d}-of-{_PARTS:05d}.bin"
        torch.save({key: state[key] for key in names[i::_PARTS]}, parts / name)
        places.update(dict.fromkeys(names[i::_PARTS], name))
    index = {"metadata": {}, "weight_map": places}
    (parts / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    return sum(_sum(tensor.numpy()) for tensor in state.values())


def _read(path: Path) -> int:
    """Return the sum of the bytes that the library which owns the format finds."""
    files = sorted(map(str, path.glob(f"*{path.suffix}"))) if path.is_dir() else [str(path)]
    done = subprocess.run([sys.executable, "-c", _READERS[path.suffix] + _SUM, *files], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{path.name} is not read\n{done.stderr}")
    return int(done.stdout.split()[-1])


def _size(path: Path) -> int:
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _figures(folder: Path, gib: float, read: bool) -> Iterator[float]:
    """Convert and print, case by case; yield the peak memory of each in MB."""
    expected = _write(folder, gib)
    for old, new, more in _CASES:
        start = time.perf_counter()
        command = [sys.executable, "-c", _RUN, str(folder / old), str(folder / new), *more]
        done: Any = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        seconds, peak = time.perf_counter() - start, float(done.stdout.split()[-1])
        if read and "--dtype" not in more and _read(folder / new) != expected:
            raise SystemExit(f"{new}: other bytes than in {old}")
        size = _size(folder / new) / 2**30
        print(f"{old:20s} -> {new:20s} {size:5.2f} GiB {seconds:6.1f} s  peak {peak:5.0f} MB", flush=True)
        yield peak
        if all(new != later for later, _, _ in _CASES):
            _remove(folder / new)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0)
    parser.add_argument("--no-read", action="store_true", help="convert only")
    options = parser.parse_args()
    bound = 1.3 * _LARGEST / 2**20 + 200
    with tempfile.TemporaryDirectory() as folder:
        worst = max(_figures(Path(folder), options.gib, not options.no_read))
    print(f"largest peak {worst:.0f} MB, bound {bound:.0f} MB")
    return int(worst > bound)


if __name__ == "__main__":
    sys.exit(main())
