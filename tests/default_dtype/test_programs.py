"""Programs whose default data type is float64 compute what PyTorch computes, to twelve digits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (Path(__file__).parent / "programs").glob("*.py"))


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    """What went wrong in each program, run in a process of their own."""
    command = [sys.executable, "-m", "tests.default_dtype.run", *NAMES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    answer: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.mindspore
@pytest.mark.parametrize("name", NAMES)
def test_program(found: dict[str, str], name: str) -> None:
    assert not found[name], found[name]


RAISING = '''
import numpy as np, mindspore
from torch2ms.runtime import mint, set_default_dtype, set_default_tensor_type
from torch2ms.runtime.mint.nn import functional as F
def error(run):
    try:
        run()
    except Exception as error:
        return type(error).__name__
    return ""
found = [error(lambda: set_default_dtype(mindspore.float16)), error(lambda: set_default_dtype(mindspore.bfloat16)),
         error(lambda: set_default_dtype(mindspore.int32)), error(lambda: set_default_tensor_type("torch.HalfTensor"))]
set_default_dtype(mindspore.float64)
image, grid = mint.zeros((1, 1, 2, 2)), mint.zeros((1, 2, 2, 2))
found += [error(lambda: F.grid_sample(image, grid, align_corners=False)), error(lambda: mint.fft.ihfft(mindspore.tensor([1, 2])))]
print(found)
'''


@pytest.mark.mindspore
def test_what_cannot_be_right_raises() -> None:
    done = subprocess.run([sys.executable, "-c", RAISING], cwd=ROOT, capture_output=True, text=True, timeout=300)
    expected = ["NotImplementedError", "NotImplementedError", "TypeError", "NotImplementedError", "NotImplementedError"]
    assert done.stdout.splitlines()[-1] == str([*expected, "NotImplementedError"]), done.stderr


UNTOUCHED = '''
import mindspore
import torch2ms.runtime as runtime
from torch2ms.runtime import mint, nn
before = [mindspore.Tensor.__mul__, mint.zeros, mint.add, mint.nn.Linear.__init__]
runtime.set_default_dtype(mindspore.float32)
after = [mindspore.Tensor.__mul__, mint.zeros, mint.add, mint.nn.Linear.__init__]
import sys
print(before == after, [name for name in sys.modules if "_double" in name], runtime.get_default_dtype())
'''


@pytest.mark.mindspore
def test_float32_changes_no_function() -> None:
    done = subprocess.run([sys.executable, "-c", UNTOUCHED], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == "True [] Float32", done.stderr


EXCHANGED = '''
import json, mindspore
from torch2ms.runtime import mint
from torch2ms.runtime.mint.nn import functional
before = {**vars(functional), **vars(mint)}
from torch2ms.runtime import set_default_dtype
set_default_dtype(mindspore.float64)
after = {**vars(functional), **vars(mint)}
print(json.dumps([name for name in before if after[name] is not before[name]]))
'''


@pytest.mark.mindspore
def test_the_converter_knows_which_functions_are_exchanged() -> None:
    from torch2ms.rules import INDEX
    from torch2ms.rules.special_default import EXCHANGED as known

    done = subprocess.run([sys.executable, "-c", EXCHANGED], cwd=ROOT, capture_output=True, text=True, timeout=300)
    exchanged = set(json.loads(done.stdout.splitlines()[-1]))
    assert exchanged, done.stderr
    public = {name for name in exchanged if f"torch.{name}" in INDEX or f"torch.nn.functional.{name}" in INDEX}
    assert public == known
