"""Damaged and malicious files: a clear error, no code, no crash, bounded memory. TORCH2MS_FUZZ sets how many."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

COUNT = int(os.environ.get("TORCH2MS_FUZZ", "300"))


@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_files(seed: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GLOG_v": "3"}
    command = [sys.executable, "-m", "tests.runtime.serialization.fuzz", str(COUNT // 2), str(seed)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60 + COUNT)
    assert done.returncode == 0, f"the reader crashed: {done.returncode}\n{done.stderr[-2000:]}"
    result = json.loads(done.stdout.splitlines()[-1])
    assert not result["problems"]
    assert result["ended"].get("DamagedCheckpoint", 0) > COUNT // 10
    assert result["ended"].get("UnsafeCheckpoint", 0) > COUNT // 20
