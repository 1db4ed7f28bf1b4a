"""Tensors in the event files of tensorboardX."""

from __future__ import annotations

from pathlib import Path

import mindspore
import numpy as np
import pytest
from mindspore import Tensor

pytest.importorskip("tensorboardX", reason="tensorboardX is an optional package of converted programs")

from torch2ms.runtime.tensorboard import SummaryWriter


def test_tensors_are_written_as_numbers(tmp_path: Path) -> None:
    def content(folder: Path, wrap: object) -> list[int]:
        with SummaryWriter(str(folder)) as writer:
            writer.add_scalar("loss", wrap(np.float32(0.5)), 1)
            writer.add_scalars("both", {"a": wrap(np.float32(1.0)), "b": 2.0}, 1)
            writer.add_histogram("weights", wrap(np.arange(10.0)), 1)
            writer.add_image("image", wrap(np.zeros((3, 4, 5), np.float32)), 1)
        return [path.stat().st_size for path in sorted(folder.rglob("events*"))]

    assert content(tmp_path / "tensors", Tensor) == content(tmp_path / "arrays", np.asarray)


def test_bfloat16_and_models(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", Tensor(0.5, mindspore.bfloat16), 1)
        with pytest.raises(NotImplementedError, match="add_graph"):
            writer.add_graph(object(), Tensor([1.0]))
