"""The commit hooks, run by pre-commit itself in a repository of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="pre-commit is not installed")

HOOKS = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def repo(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A repository whose hooks are ours, run from this checkout instead of an installed copy."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    script = bin_folder / "torch2ms"
    script.write_text(f"#!{sys.executable}\nfrom torch2ms.cli import main\nmain()\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    for name in ("user.name", "user.email"):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{name == 'user.email':d}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{name == 'user.email':d}", "t@example.org")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=here, check=True)

    def commit(hook: str, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
        found = next(dict(h) for h in HOOKS if h["id"] == hook) | {"language": "system"}
        config = {"repos": [{"repo": "local", "hooks": [found]}]}
        (here / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        for name, text in files.items():
            (here / name).write_text(text)
        subprocess.run(["git", "add", "-A"], cwd=here, check=True)
        command = [sys.executable, "-m", "pre_commit", "run", "--color=never"]
        return subprocess.run(command, cwd=here, capture_output=True, text=True)

    return commit


TORCH = {"a.py": "import torch\nx = torch.ones(1)\n", "plain.py": "x = 1\n"}


def test_convert(repo, here):
    done = repo("torch2ms-convert", TORCH)
    assert done.returncode == 1 and "files were modified" in done.stdout, done.stdout
    assert "mint.ones" in (here / "a.py").read_text()
    assert repo("torch2ms-convert", {}).returncode == 0


def test_check(repo, here):
    done = repo("torch2ms-check", TORCH)
    assert done.returncode == 1 and "a.py:1:1 T2M009" in done.stdout
    assert repo("torch2ms-check", {"a.py": "x = 1\n"}).returncode == 0


def test_diff(repo, here):
    done = repo("torch2ms-diff", TORCH)
    assert done.returncode == 1 and "+++ b/a.py" in done.stdout
    assert (here / "a.py").read_text() == TORCH["a.py"]


def test_other_branches_are_left_alone(repo, here):
    configuration = {"pyproject.toml": '[tool.torch2ms]\nbranches = ["mindspore"]\n'}
    assert repo("torch2ms-check", {**TORCH, **configuration}).returncode == 0
