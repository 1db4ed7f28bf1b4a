"""A small PyTorch project and the command line, as a user has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from torch2ms.cli import cli

MODEL = """\
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)  # the only layer

    def forward(self, x):
        return torch.relu(self.fc(x))
"""
REFUSED = """\
import torch


def f(x):
    return torch.fx.symbolic_trace(x)
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of one test must not answer for another."""
    monkeypatch.setenv("TORCH2MS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def project(here: Path) -> Path:
    """`proj` with a model, a refused call, a file without PyTorch and one that is no code."""
    folder = here / "proj"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "__init__.py").write_bytes(b"")
    (folder / "pkg" / "model.py").write_text(MODEL)
    (folder / "plain.py").write_text("print('no torch here')  # not even now\n".replace("torch", "tensors"))
    (folder / "notes.txt").write_text("read me\n")
    return folder


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs `torch2ms ARGS`; exceptions that no command may let through fail the test."""

    def invoke(*args: str | Path, input: bytes | None = None) -> Result:
        result = CliRunner().invoke(cli, [str(arg) for arg in args], input=input, prog_name="torch2ms")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke
