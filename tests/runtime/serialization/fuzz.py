"""Feeds damaged and malicious checkpoints to the reader: `python -m tests.runtime.serialization.fuzz COUNT SEED`.

Prints one JSON object: how the files ended, and every violation (code that ran, an unexpected exception, more memory than
twice the file and 64 MB). A crash shows in the exit code.
"""

from __future__ import annotations

import collections
import encodings.utf_32_le  # noqa: F401  (numpy's text uses it)
import io
import json
import os
import pickle
import random
import struct
import sys
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from torch2ms.runtime import serialization

_FREE = 64 * 1024 * 1024
_HUGE = (0, 1, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**64 - 1)
_MODULES = ("os", "posix", "builtins", "subprocess", "torch", "torch._utils", "numpy", "collections", "sys", "importlib")
_NAMES = (
    "system", "eval", "exec", "getattr", "popen", "Popen", "_rebuild_tensor_v2", "FloatStorage", "OrderedDict", "dtype",
    "bytearray", "import_module", "__import__", "set", "range", "open", "load", "Size", "scalar", "_reconstruct",
)  # fmt: skip


class Runs:
    def __reduce__(self) -> Any:
        return os.system, ("echo run > fuzz-marker",)


def seeds() -> list[bytes]:
    """Well-formed files of every kind."""
    state = {
        "model": collections.OrderedDict((f"layer{i}.weight", torch.randn(4, 5)) for i in range(4)),
        "half": torch.ones(3).half(), "bf16": torch.ones(3).bfloat16(), "view": torch.arange(12.0).view(3, 4).t(),
        "numbers": [1, 2.5, None, True, 2**70, "text", b"bytes", (1, 2), {3}], "array": np.arange(5), "n": np.float64(3),
        "parameter": torch.nn.Parameter(torch.ones(2)), "u16": torch.zeros(2, dtype=torch.uint16),
    }  # fmt: skip
    files = []
    for value in (state, {"a": [torch.ones(2), Runs()]}, torch.nn.Linear(2, 2), [[[["deep"]]]]):
        for modern in (True, False):
            stream = io.BytesIO()
            torch.save(value, stream, _use_new_zipfile_serialization=modern)
            files.append(stream.getvalue())
    files.append(serialization.safetensors.save({"a": np.ones((2, 3), np.float32), "b": np.zeros(4)}))
    files += [pickle.dumps(Runs(), protocol) for protocol in (0, 2, 4, 5)]
    return files


def flip(data: bytearray, rng: random.Random) -> bytearray:
    for _ in range(rng.choice((1, 2, 8, 64))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return data


def cut(data: bytearray, rng: random.Random) -> bytearray:
    return data[: rng.randrange(len(data))]


def remove(data: bytearray, rng: random.Random) -> bytearray:
    start = rng.randrange(len(data))
    del data[start : start + rng.randrange(1, 64)]
    return data


def repeat(data: bytearray, rng: random.Random) -> bytearray:
    start = rng.randrange(len(data))
    part = data[start : start + rng.randrange(1, 64)]
    return data[:start] + part * rng.choice((2, 3, 1000)) + data[start:]


def put_size(data: bytearray, rng: random.Random) -> bytearray:
    layout = rng.choice(("<I", "<Q", "<i", "<H"))
    limit = 2 ** (8 * struct.calcsize(layout)) - 1
    value = min(rng.choice(_HUGE), limit if layout != "<i" else limit // 2)
    start = rng.randrange(max(1, len(data) - 8))
    data[start : start + struct.calcsize(layout)] = struct.pack(layout, value)
    return data


def inside_pickle(data: bytearray, rng: random.Random) -> bytearray:
    """Damage the pickle of an archive and leave the archive itself whole."""
    if data[:2] != b"PK":
        return flip(data, rng)
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            content = bytearray(old.read(name))
            if name.endswith("data.pkl"):
                content = rng.choice((flip, cut, remove, repeat, put_size, program))(content, rng)
            new.writestr(name, bytes(content))
    return bytearray(stream.getvalue())


def program(data: bytearray, rng: random.Random) -> bytearray:
    """A random sequence of pickle instructions."""
    codes = list(range(256))
    parts = [b"\x80\x02"]
    for _ in range(rng.randrange(1, 200)):
        kind = rng.randrange(6)
        if kind == 0:
            parts.append(f"c{rng.choice(_MODULES)}\n{rng.choice(_NAMES)}\n".encode())
        elif kind == 1:
            parts.append(b"X" + struct.pack("<I", rng.choice((3, 3, 3, 2**31))) + b"abc")
        elif kind == 2:
            parts.append(b"J" + struct.pack("<i", rng.choice((0, 1, 2, 10**9, -1))))
        elif kind == 3:
            parts.append(bytes([rng.choice(b"RbQ\x81tsueaq(]})\x85\x86\x87\x93\x94\x8f\x90\x91h2")]) + bytes([rng.randrange(4)]))
        elif kind == 4:
            parts.append(rng.choice((b"\x96", b"\x8e", b"\x8d", b"\x8b", b"r", b"B")) + struct.pack("<Q", rng.choice(_HUGE)))
        else:
            parts.append(bytes([rng.choice(codes)]))
    return bytearray(b"".join(parts) + b".")


def bomb(data: bytearray, rng: random.Random) -> bytearray:
    """Small files that ask for much."""
    size = rng.choice((10**6, 10**9, 2**40))
    choices = (
        b"\x80\x02" + b"]" * 200_000 + b".",
        b"\x80\x02" + b"(" * 200_000 + b".",
        b"\x80\x02" + b")\x85" * 100_000 + b"}" + b"q\x00" + b".",
        b"\x80\x02}" + b")" + b"\x85" * 100_000 + b"K\x01s.",
        b"\x80\x02c__builtin__\nbytearray\n" + b"\x8a\x08" + struct.pack("<q", size) + b"\x85R.",
        b"\x80\x02cnumpy\ndtype\n" + b"X\x0b\x00\x00\x00U1000000000\x85R.",
        b"\x80\x05\x96" + struct.pack("<Q", size) + b"x.",
        b"\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aX\x03\x00\x00\x00zip\x86R.",
        b"\x80\x02]" + b"h\x00" * 10 + b"r" + struct.pack("<I", 2**31) + b".",
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        archive.writestr("archive/data.pkl", rng.choice(choices) if rng.random() < 0.7 else b"0" * 10**8)
        archive.writestr("archive/version", "3")
    return bytearray(stream.getvalue())


def expanded(data: bytearray, rng: random.Random) -> bytearray:
    """A tensor that is much larger than its storage."""
    stream = io.BytesIO()
    torch.save(torch.ones(1).expand(rng.choice((10, 10**8, 10**9))), stream)
    return bytearray(stream.getvalue())


MUTATIONS: tuple[Callable[[bytearray, random.Random], bytearray], ...] = (
    flip, flip, cut, remove, repeat, put_size, put_size, inside_pickle, inside_pickle, inside_pickle, program, bomb, expanded,
)  # fmt: skip


def check(data: bytes, path: str, ran: list[str]) -> tuple[str, str]:
    """Load one file; return (how it ended, a violation or nothing)."""
    with open(path, "wb") as file:
        file.write(data)
    ran.clear()
    reader = serialization.safetensors.load_file if data[8:9] == b"{" else serialization.load
    before = set(sys.modules)
    tracemalloc.reset_peak()
    base = tracemalloc.get_traced_memory()[0]
    problem = ""
    try:
        reader(path)
        ended = "loaded"
    except (serialization.DamagedCheckpoint, serialization.UnsafeCheckpoint) as error:
        ended = type(error).__name__
        if not str(error):
            problem = "an error without a text"
    except BaseException as error:  # noqa: BLE001  (any other exception is a violation)
        ended, problem = "violation", f"{type(error).__name__}: {error}"
    used = tracemalloc.get_traced_memory()[1] - base
    if used > 2 * len(data) + _FREE:
        problem = f"{used} bytes for a file of {len(data)}"
    if ran or os.path.exists("fuzz-marker"):
        problem = f"code ran: {ran}"
    if set(sys.modules) - before:
        problem = f"modules were imported: {set(sys.modules) - before}"
    return ended, problem


def main(count: int, seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    files = seeds()
    ran: list[str] = []
    watched = ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "exec", "compile", "os.remove", "socket.connect")
    sys.addaudithook(lambda event, _arguments: ran.append(event) if event in watched else None)
    ended: collections.Counter[str] = collections.Counter()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check(files[0], "warm-up", ran)
        tracemalloc.start()
        for i in range(count):
            mutate = rng.choice(MUTATIONS)
            data = bytes(mutate(bytearray(rng.choice(files)), rng))
            how, problem = check(data, "file", ran)
            ended[how] += 1
            if problem:
                problems.append(f"{i} {mutate.__name__}: {problem}")
    return {"ended": dict(ended), "problems": problems}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
