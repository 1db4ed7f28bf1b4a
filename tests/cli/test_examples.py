"""The examples convert cleanly, train under MindSpore, and need nothing of ours where the runtime is vendored."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# short runs, and the pattern of the losses that must fall
RUNS = {
    "mnist": (["--epochs", "1", "--log-interval", "10"], r"loss (\d+\.\d+)"),
    "char_transformer": (["--steps", "61"], r"loss (\d+\.\d+)"),
    "mlp_regression": (["--epochs", "3"], r"train (\d+\.\d+)"),
}
# stands before the script: importing the converter or PyTorch is an error there
BLOCK = """
import runpy, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(name + " must not be imported")
sys.meta_path.insert(0, Blocked())
sys.argv = sys.argv[1:]
sys.path.insert(0, {folder!r})
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def losses(folder: Path, name: str, blocked: set[str], tmp_path: Path) -> list[float]:
    arguments, pattern = RUNS[name]
    code = BLOCK.format(blocked=blocked, folder=str(folder))
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "main.py"), *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "GLOG_v": "3"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [float(value) for value in re.findall(pattern, done.stdout)]


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_examples_convert_and_train(name, run, here):
    result = run("convert", EXAMPLES / name, "-o", "out")
    assert result.exit_code == 0, result.output
    assert run("check", "out").exit_code == 0
    found = losses(here / "out", name, {"torch", "libcst", "click", "rich"}, here)
    assert len(found) >= 3 and found[-1] < 0.8 * found[0], found


@pytest.mark.slow
def test_a_vendored_runtime_needs_no_torch2ms(run, here):
    assert run("convert", EXAMPLES / "mnist", "-o", "out", "--vendor-runtime", "ms_runtime").exit_code == 0
    found = losses(here / "out", "mnist", {"torch", "torch2ms", "libcst", "click", "rich"}, here)
    assert found[-1] < 0.8 * found[0]


@pytest.mark.parametrize("name", RUNS)
def test_pure_examples_name_the_runtime_only_for_what_mindspore_lacks(name, run, here):
    run("convert", EXAMPLES / name, "-o", "out", "--pure")
    for path in (here / "out").rglob("*.py"):
        text = path.read_text()
        assert "from torch2ms.runtime import mint" not in text and "torch2ms.runtime.mint" not in text, path
        for line in re.findall(r"^from torch2ms\.runtime import (.*)$", text, re.MULTILINE):
            assert not {"mint", "value_and_grad"} & set(re.split(r",\s*", line)), (path, line)
        if "(nn.Cell)" in text:
            assert re.search(r"^from mindspore import .*\bnn\b", text, re.MULTILINE), path
