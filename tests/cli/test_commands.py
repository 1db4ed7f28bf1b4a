"""Help, explain, config, hooks: what a user asks the tool about itself."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from torch2ms.cli import COMMANDS
from torch2ms.diagnostics import CODES


@pytest.mark.parametrize(
    "args", [["--help"], ["--version"], ["convert", "--help"], ["explain", "T2M102"], ["config", "show"]]
)
def test_help_loads_nothing_heavy(args, tmp_path):
    code = f"""
import sys
from torch2ms.cli import cli
try:
    cli.main({args!r})
except SystemExit as end:
    assert not end.code, end.code
heavy = {{"libcst", "mindspore", "torch", "numpy", "rich", "yaml"}} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_command_has_help_and_is_listed(run):
    listed = run("--help").output
    for name in COMMANDS:
        assert f"  {name} " in listed
        assert run(name, "--help").exit_code == 0, name


def test_misspelled_command(run):
    result = run("convrt")
    assert result.exit_code == 2 and "did you mean 'convert'?" in result.output


def test_explain_codes(run):
    for code, row in CODES.items():
        result = run("explain", code.lower())
        assert result.exit_code == 0 and row.title in result.output
    assert run("explain").output.count("\n") == len(CODES)
    result = run("explain", "T2M1022")
    assert result.exit_code == 2 and "did you mean 'T2M102'?" in result.output


def test_explain_apis(run):
    assert "mint.nn.Conv2d(in_channels" in run("explain", "torch.nn.Conv2d").output
    assert run("explain", "nn.Conv2d").output == run("explain", "torch.nn.Conv2d").output
    assert "torch.Tensor.view" in run("explain", "view").output
    result = run("explain", "torch.fx.Graph")
    assert result.exit_code == 0 and "has no counterpart" in result.output and "all of torch.fx" in result.output
    result = run("explain", "torch.nn.Conv22d")
    assert result.exit_code == 1 and "did you mean 'torch.nn.Conv2d'?" in result.output


def test_config_show(here, run):
    assert 'target = "portable"' in run("config", "show").output
    (here / "pyproject.toml").write_text('[tool.torch2ms]\njit = true\nignore = ["T2M1"]\n')
    shown = run("config", "show").output
    assert "jit = true" in shown and 'ignore = ["T2M1"]' in shown and "pyproject.toml" in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.torch2ms]\nexclud = []\n", "did you mean 'exclude'?"),
        ("[tool.torch2ms]\nignore = ['T2M9999']\n", "unknown code 'T2M9999'"),
        ("[tool.torch2ms]\njit = 'yes'\n", "expected true or false"),
        ("[tool.torch2ms]\ntarget = 'gpu'\n", "'portable' or 'pure'"),
        ("[tool.torch2ms]\ntarget = 'portble'\n", "did you mean 'portable'?"),
        ("[tool.torch2ms\n", "not valid TOML"),
    ],
)
def test_wrong_configuration(here, run, text, said):
    (here / "pyproject.toml").write_text(text)
    (here / "a.py").write_text("x = 1\n")
    for command in (["config", "show"], ["check", "a.py"], ["convert", "a.py"]):
        result = run(*command)
        assert result.exit_code == 2 and said in result.output, result.output
    assert not (here / "a_ms.py").exists()


def test_configuration_is_used(here, run):
    (here / "pyproject.toml").write_text(
        '[tool.torch2ms]\nexclude = ["third/"]\nomit = ["data/"]\nper-file-ignores = { "b.py" = ["T2M1"] }\n'
    )
    for name in ("third", "data"):
        (here / name).mkdir()
        (here / name / "x.py").write_text("import torch\n")
    refused = "import torch\ny = torch.fx.symbolic_trace(1)\n"
    (here / "a.py").write_text(refused)
    (here / "b.py").write_text(refused)
    result = run("convert", ".", "-o", "out")
    assert "a.py:2:5" in result.output and "b.py:2:5" not in result.output
    assert (here / "out/third/x.py").read_text() == "import torch\n"
    assert not (here / "out/data").exists()


def test_hooks_keep_to_their_branches(here, run):
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=here, check=True)
    (here / "pyproject.toml").write_text('[tool.torch2ms]\nbranches = ["mindspore*"]\n')
    (here / "a.py").write_text("import torch\nx = torch.ones(1)\n")
    assert run("check", "--hook", "a.py").exit_code == 0
    assert run("check", "a.py").exit_code == 1
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/mindspore-port"], cwd=here, check=True)
    assert run("check", "--hook", "a.py").exit_code == 1


def test_patterns_count_from_the_configuration_file(here, run):
    (here / "pyproject.toml").write_text('[tool.torch2ms]\nexclude = ["src/old/"]\nper-file-ignores = { "src/new/a.py" = ["T2M1"] }\n')
    for folder in ("src/old", "src/new"):
        (here / folder).mkdir(parents=True)
        (here / folder / "a.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    for path in (".", "src"):
        result = run("diff", path)
        assert "src/new/a.py" in result.output and "src/old" not in result.output
        assert run("convert", path, "-o", "out", "--force").exit_code == 0
    assert "src/old/a.py" in run("diff", "src/old/a.py").output
    assert run("diff", "--hook", "src/old/a.py").output == ""


def test_a_baseline_does_not_depend_on_where_the_command_runs(here, run, monkeypatch):
    (here / "src").mkdir()
    (here / "src/a.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    assert run("check", "--write-baseline", "base.json").exit_code == 0
    assert run("check", "src/a.py", "--baseline", "base.json").exit_code == 0
    assert run("check", "src", "--baseline", "base.json").exit_code == 0
    monkeypatch.chdir(here / "src")
    assert run("check", "--baseline", "../base.json").exit_code == 0
    assert run("check").exit_code == 1


def test_the_examples_of_the_help_hold(run):
    text = run("--help").output
    api = re.search(r"torch2ms explain (\S+)\s+why an API is refused", text)[1]
    assert "has no counterpart" in run("explain", api).output


def test_options_are_listed_in_the_order_of_their_use(run):
    text = run("convert", "--help").output
    places = [text.index(f"  {name}") for name in ("--output", "--pure", "--jit", "--markdown", "--config", "--select", "--no-cache")
              if f"  {name}" in text]
    assert places == sorted(places) and len(places) >= 6


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("torch2ms con", "plain,convert"),
        ("torch2ms check --sel", "plain,--select"),
        ("torch2ms check --select T2M10", "plain,T2M102"),
        ("torch2ms explain t2m20", "plain,T2M201"),
        ("torch2ms explain torch.nn.Conv2", "plain,torch.nn.Conv2d"),
    ],
)
def test_shell_completion(run, monkeypatch, words, found):
    monkeypatch.setenv("_TORCH2MS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert found in run().output.splitlines()
