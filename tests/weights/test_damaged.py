"""Damaged files of weights: a message, never another exception, never much memory."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
import torch

from tests.runtime.serialization import fuzz
from tests.weights.test_weights import save, state
from torch2ms.project.errors import UsageProblem
from torch2ms.weights.files import open_file
from torch2ms.weights.stored import read

COUNT = 250
# the damage that says something about these formats
MUTATIONS = (fuzz.flip, fuzz.cut, fuzz.remove, fuzz.repeat, fuzz.put_size, fuzz.inside_pickle)


@pytest.mark.parametrize("suffix", [".pth", ".safetensors", ".ckpt"])
def test_damage_is_told(suffix: str, tmp_path: Path) -> None:
    rng = random.Random(suffix)
    save(tmp_path / f"whole{suffix}", state())
    whole = (tmp_path / f"whole{suffix}").read_bytes()
    path = tmp_path / "damaged"
    refused = 0
    tracemalloc.start()
    for _ in range(COUNT):
        data = bytes(rng.choice(MUTATIONS)(bytearray(whole), rng))
        path.write_bytes(data)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            for tensor in open_file(path, None).tensors.values():
                for piece in read(tensor):
                    assert len(piece) <= len(data)
        except UsageProblem as problem:
            refused += 1
            assert str(path) in str(problem)
        assert tracemalloc.get_traced_memory()[1] - before <= 2 * len(data) + (64 << 20)
    tracemalloc.stop()
    assert refused > COUNT // 10


def test_expanded_tensors_are_read_in_pieces(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(1).expand(10**9)}, tmp_path / "expanded.pth")
    (tensor,) = open_file(tmp_path / "expanded.pth", None).tensors.values()
    piece = next(iter(read(tensor)))
    assert len(piece) <= 8 << 20
