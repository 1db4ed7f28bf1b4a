"""A run that is killed at any moment leaves each file old or new, and the next run completes the work.

TORCH2MS_KILLS sets how often each kind of run is killed, TORCH2MS_KILL_FILES the size of the tree (100 and 200 for a
thorough run: 200 times `kill -9`, 200 times Ctrl-C).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SOURCE = "import torch\n\n\ndef f{n}(x):\n    return torch.relu(x) + torch.ones(3)\n"
FILES = int(os.environ.get("TORCH2MS_KILL_FILES", "40"))


def make(folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    for n in range(FILES):
        (folder / f"m{n}.py").write_text(SOURCE.format(n=n) * 20)
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.py") if ".torch2ms" not in p.parts
    }


def command(*args: object) -> subprocess.Popen[bytes]:
    full = [sys.executable, "-m", "torch2ms", "convert", *map(str, args)]
    return subprocess.Popen(full, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Converts once, so that killed runs spend their time on writing; returns the converted files."""
    monkeypatch.setenv("TORCH2MS_CACHE_DIR", str(tmp_path / "cache"))
    make(tmp_path / "sample")
    assert command(tmp_path / "sample", "-o", tmp_path / "new").wait() == 0
    return contents(tmp_path / "new")


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT], ids=["KILL", "INT"])
@pytest.mark.parametrize("mode", ["in place", "output"])
def test_killed_runs(tmp_path, cached, signum, mode):
    rng = random.Random(f"{signum} {mode}")
    start = time.perf_counter()
    make(tmp_path / "timing")
    command(tmp_path / "timing", "--in-place").wait()
    length = time.perf_counter() - start
    for attempt in range(int(os.environ.get("TORCH2MS_KILLS", "6"))):
        folder = tmp_path / f"p{attempt}"
        old = make(folder)
        target = folder if mode == "in place" else tmp_path / f"out{attempt}"
        args = (folder, "--in-place") if mode == "in place" else (folder, "-o", target)
        process = command(*args)
        time.sleep(rng.uniform(0.3, 1.1) * length)
        os.killpg(process.pid, signum)
        process.wait()
        for rel, data in contents(target).items() if target.exists() else ():
            assert data in (old[rel], cached[rel]), f"{rel} is half written"
        assert command(*args).wait() == 0
        assert contents(target) == cached
        assert not list(target.rglob("*.tmp")) or signum == signal.SIGKILL
        assert not (folder / ".torch2ms").exists()
