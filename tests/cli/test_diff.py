"""`torch2ms diff`: what it prints is what convert does, and git takes it."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path

import click
import pytest

CASES = {
    "plain.py": b"import torch\nx = torch.ones(1)\n",
    "no newline.py": b"import torch\nx = torch.ones(1)",
    "crlf.py": b"import torch\r\n\r\nx = torch.ones(1)\r\n",
    "gbk.py": "# -*- coding: gbk -*-\nimport torch\nname = '张量'\nx = torch.ones(1)\n".encode("gbk"),
    'naïve "q".py': b"import torch\nx = torch.ones(1)\n",
    "formfeed.py": b"import torch\n\x0c\nx = torch.ones(1)\n",
    "long.py": b"import torch\n" + b"y = 1\n" * 50 + b"x = torch.ones(1)\n" + b"z = 2\n" * 50 + b"w = torch.zeros(1)\n",
}


def git(*args: str, folder: Path) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *args], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repo(here: Path) -> Path:
    git("init", "-q", ".", folder=here)
    (here / "sub").mkdir()
    for name, data in CASES.items():
        (here / "sub" / name).write_bytes(data)
    (here / "sub/plain.py").chmod(0o755)
    git("add", ".", folder=here)
    git("commit", "-q", "-m", "one", folder=here)
    return here


def test_git_applies_the_patch_and_it_is_the_conversion(repo, run):
    result = run("diff")
    assert result.exit_code == 0
    (repo / "p.patch").write_bytes(result.stdout_bytes)
    git("apply", "--check", "p.patch", folder=repo)
    git("apply", "p.patch", folder=repo)
    applied = {name: (repo / "sub" / name).read_bytes() for name in CASES}
    assert (repo / "sub/plain.py").stat().st_mode & 0o777 == 0o755
    git("checkout", "-q", ".", folder=repo)
    run("convert", "sub", "--in-place")
    assert applied == {name: (repo / "sub" / name).read_bytes() for name in CASES}
    assert all(b"mint" in data for data in applied.values())


def test_nothing_is_written(repo, run):
    run("diff"), run("diff", "--stat"), run("diff", "-y")
    assert git("status", "--porcelain", folder=repo) == ""


def test_exit_codes(repo, run):
    assert run("diff", "--exit-code").exit_code == 1
    assert run("diff").exit_code == 0
    run("convert", "--in-place")
    result = run("diff", "--exit-code")
    assert (result.exit_code, result.output) == (0, "")


def test_explain_stands_beside_the_hunk_and_still_applies(repo, run):
    (repo / "sub/refused.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    result = run("diff", "sub/refused.py", "--explain")
    assert "@@ T2M10" in result.output and "torch.fx.symbolic_trace" in result.output
    (repo / "p.patch").write_bytes(result.stdout_bytes)
    git("apply", "--check", "p.patch", folder=repo)


def test_stat_agrees_with_git(repo, run):
    ours = run("diff", "--stat").output
    (repo / "p.patch").write_bytes(run("diff").stdout_bytes)
    theirs = git("apply", "--numstat", "p.patch", folder=repo)
    added, removed = (sum(int(line.split("\t")[i]) for line in theirs.splitlines()) for i in (0, 1))
    assert f"{len(CASES)} files changed, {added} insertions(+), {removed} deletions(-)" in ours


def test_side_by_side_fits_its_width(repo, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run("diff", "sub/plain.py", "--side-by-side")
    assert "x = torch.ones(1)" in result.output and "x = mint.ones" in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_staged_and_since(repo, run):
    (repo / "sub/new.py").write_text("import torch\na = torch.exp(torch.ones(1))\n")
    (repo / "sub/plain.py").write_bytes(CASES["plain.py"] + b"y = torch.ones(2)\n")
    assert run("diff", "--staged").output == ""
    git("add", "sub/new.py", folder=repo)
    staged = run("diff", "--staged").output
    assert "sub/new.py" in staged and "plain.py" not in staged
    since = run("diff", "--since", "HEAD").output
    assert "sub/new.py" in since and "sub/plain.py" in since and "crlf.py" not in since
    result = run("diff", "--since", "no-such-revision")
    assert result.exit_code == 2 and "no-such-revision" in result.output
    assert run("diff", "--since", "--output=/x").exit_code == 2


def test_colour_on_a_terminal_only(repo, run, monkeypatch):
    assert "\x1b[" not in run("diff").output
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m+" in run("diff").output


def test_nothing_changes_in_the_standard_library(run):
    result = run("diff", sysconfig.get_paths()["stdlib"], "--exit-code", "--no-cache")
    assert (result.exit_code, result.output) == (0, "")


def test_standard_input(here, run):
    result = run("diff", "-", "--stdin-filename", "lib/a.py", input=b"import torch\nx = torch.ones(2)\n")
    assert result.exit_code == 0 and "+++ b/lib/a.py" in result.output and "+x = mint.ones(2)" in result.output
    assert run("diff", "-", "--exit-code", input=b"import torch\nx = torch.ones(2)\n").exit_code == 1
    assert run("diff", "-", "--exit-code", input=b"x = 1\n").exit_code == 0


def test_staged_outside_a_repository(here, run):
    (here / "a.py").write_text("import torch\n")
    for option in ("--staged", "--since=main"):
        result = run("diff", option)
        assert result.exit_code == 2 and result.output == f"error: {here} is in no git repository\n"


def test_a_notebook_reads_as_code_and_patches_as_json(here, run, monkeypatch):
    cells = ["import torch", "# some text\n" * 9 + "x = torch.ones(2)", "torch.fx.symbolic_trace(x)"]
    code = [
        {"cell_type": "code", "execution_count": None, "id": f"c{n}", "metadata": {}, "outputs": [], "source": text.splitlines(True)}
        for n, text in enumerate(cells)
    ]
    document = {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (here / "n.ipynb").write_text(json.dumps(document, indent=1) + "\n")
    git("init", "-q", ".", folder=here)
    patch = run("diff", "--explain").output
    hunks = [line for line in patch.splitlines() if line.startswith("@@")]
    assert "cell 3: T2M101" in hunks[0] and len(hunks) > 1 and not any("T2M" in hunk for hunk in hunks[1:])
    (here / "p.patch").write_text(patch)
    git("apply", "--check", "p.patch", folder=here)
    columns = run("diff", "--side-by-side").output
    assert "# %% cell 2" in columns and "x = mint.ones(2)" in columns and "execution_count" not in columns
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = [click.unstyle(line) for line in run("diff", "--explain").output.splitlines()]
    assert "+x = mint.ones(2)" in shown and not any("execution_count" in line for line in shown)
    assert sum("T2M101" in line for line in shown if line.startswith("@@")) == 1
