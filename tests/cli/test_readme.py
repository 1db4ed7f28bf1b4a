"""The README as a new user follows it: its commands, in its order, on a project of theirs.

TORCH2MS_FRESH=1 installs this checkout into a virtual environment of its own first (needs a package index).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAIN = """\
import torch
import torch.nn.functional as F

from net import Net

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), torch.zeros(8, 2))
    loss.backward()
    optimizer.step()
"""
NET = """\
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)
"""
NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "one",
            "metadata": {},
            "outputs": [],
            "source": ["%matplotlib inline\n", "import torch\n", "x = torch.ones(2)"],
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.fixture
def shell(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a line with `torch2ms` on the path, beside a project that is a git repository."""
    if os.environ.get("TORCH2MS_FRESH"):
        subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
        pip = [tmp_path / "venv/bin/python", "-m", "pip", "install", "-q"]
        # a copy, as a build leaves folders in its sources
        subprocess.run(["git", "clone", "-q", ROOT, tmp_path / "clone"], check=True)
        subprocess.run([*pip, f"{tmp_path / 'clone'}[notebook]", "pre-commit"], check=True)
        scripts = tmp_path / "venv/bin"
        monkeypatch.delenv("PYTHONPATH", raising=False)
    else:
        scripts = tmp_path / "bin"
        scripts.mkdir()
        script = scripts / "torch2ms"
        script.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom torch2ms.cli import main\nmain()\n"
        )
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    project = here / "project"
    project.mkdir()
    (project / "net.py").write_text(NET)
    (project / "train.py").write_text(TRAIN)
    (project / "lesson.ipynb").write_text(json.dumps(NOTEBOOK))
    (project / "requirements.txt").write_text("torch>=2.0\n")
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=project, check=True)
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)

    def run(line: str, folder: Path = here) -> subprocess.CompletedProcess[str]:
        return subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, timeout=120)

    return run


def commands() -> dict[str, str]:
    """Command -> its line under `Use it`, without comments."""
    part = (ROOT / "README.md").read_text().partition("## Use it")[2].partition("\n## ")[0]
    lines = re.findall(r"^    (torch2ms (\w+).*?)(?:\s+#.*)?$", part, re.MULTILINE)
    return {name: line for line, name in lines}


def test_the_commands_of_the_readme(shell, here):
    lines = commands()
    assert list(lines) == ["diff", "convert", "check", "report", "explain", "verify", "weights"]
    project = here / "project"
    before = {path: path.read_bytes() for path in project.iterdir() if path.is_file()}

    found = shell(f"{lines['diff']} > changes.patch")
    assert (found.returncode, found.stderr) == (0, "")
    # paths in the patch count from the folder in which the command ran
    applied = shell("git apply --check -p2 ../changes.patch", project)
    assert applied.returncode == 0, applied.stderr
    changes = (here / "changes.patch").read_text()
    assert all(
        f"+++ b/project/{name}" in changes for name in ("net.py", "train.py", "lesson.ipynb", "requirements.txt")
    )

    found = shell(lines["check"])
    assert found.returncode == 1 and "train.py:1:1 T2M009" in found.stdout

    found = shell(lines["convert"])
    assert found.returncode == 0, found.stdout + found.stderr
    out = here / "project_ms"
    assert "value_and_grad" in (out / "train.py").read_text() and "nn.Cell" in (out / "net.py").read_text()
    assert "mindspore" in (out / "requirements.txt").read_text()
    cell = "".join(json.loads((out / "lesson.ipynb").read_text())["cells"][0]["source"])
    assert cell.startswith("%matplotlib inline\n") and "mint.ones(2)" in cell
    assert {path: path.read_bytes() for path in before} == before, "the project itself is left alone"
    assert shell(lines["check"].replace("./project", "./project_ms")).returncode == 0

    assert shell(lines["report"]).returncode == 0
    assert "<html" in (here / shlex.split(lines["report"])[-1]).read_text()
    found = shell(lines["explain"])
    assert found.returncode == 0 and "torch.nn.Conv2d" in found.stdout
    for name in ("verify", "weights"):
        assert shell(f"torch2ms {name} --help").returncode == 0


def test_the_formats_and_exit_codes_of_the_readme(shell, here):
    text = (ROOT / "README.md").read_text()
    (formats,) = re.findall(r"`--format ([\w|]+)`", text)
    for name in formats.split("|"):
        found = shell(f"torch2ms check ./project --format {name}")
        assert found.returncode == 1 and "T2M009" in found.stdout, name
        if name in ("json", "sarif"):
            json.loads(found.stdout)
    assert shell("torch2ms check ./nowhere").returncode == 2
    assert shell("torch2ms check ./project_without", here).stderr.startswith("error: ")


def test_a_project_that_is_converted_in_place_and_brought_back(shell, here):
    project = here / "project"
    before = (project / "train.py").read_bytes()
    assert shell("torch2ms convert --in-place --backup", project).returncode == 0
    assert (project / "train.py").read_bytes() != before
    assert shell("torch2ms undo", project).returncode == 0
    assert (project / "train.py").read_bytes() == before


def test_the_commit_hook_of_the_manual(shell, here):
    if shell("pre-commit --version").returncode != 0:
        pytest.skip("pre-commit is not installed")
    project = here / "project"
    hook = (
        "{id: torch2ms-check, name: check, entry: torch2ms check --hook, language: system, types_or: [python, jupyter]}"
    )
    (project / ".pre-commit-config.yaml").write_text(f"repos:\n  - repo: local\n    hooks:\n      - {hook}\n")
    found = shell("git add -A && pre-commit run", project)
    assert found.returncode == 1 and "T2M009" in found.stdout, found.stdout + found.stderr
    assert shell("torch2ms convert --in-place && git add -A", project).returncode == 0
    found = shell("pre-commit run", project)
    assert found.returncode == 0, found.stdout + found.stderr
