"""On Ascend mint is MindSpore's own; on CPU the same names with the same parameters."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import mindspore.mint
import mindspore.mint.linalg
import mindspore.mint.nn.functional
import mindspore.mint.special
import pytest

from torch2ms.runtime import _device_target, mint
from torch2ms.runtime.mint import linalg, special
from torch2ms.runtime.mint.nn import functional as F

MODULES = (
    (mindspore.mint, mint),
    (mindspore.mint.nn.functional, F),
    (mindspore.mint.linalg, linalg),
    (mindspore.mint.special, special),
)
FUNCTIONS = [
    pytest.param(getattr(theirs, name), getattr(ours, name, None), id=f"{theirs.__name__}.{name}")
    for theirs, ours in MODULES
    for name in sorted(set(theirs.__all__))
    if callable(getattr(theirs, name, None))
]

ON_ASCEND = """
import types
import mindspore
import mindspore.mint.linalg, mindspore.mint.nn.functional, mindspore.mint.special
real = mindspore.get_context
mindspore.get_context = lambda key: "Ascend" if key == "device_target" else real(key)
from torch2ms.runtime import mint
from torch2ms.runtime.mint.nn import functional

counts = []
for theirs, ours in (
    (mindspore.mint, mint),
    (mindspore.mint.nn.functional, functional),
    (mindspore.mint.nn.functional, mint.nn.functional),
    (mindspore.mint.linalg, mint.linalg),
    (mindspore.mint.special, mint.special),
):
    names = [n for n, v in vars(theirs).items() if not n.startswith("_") and callable(v)]
    wrapped = [n for n in names if getattr(ours, n, None) is not getattr(theirs, n)]
    assert not wrapped, wrapped
    counts.append(len(names))
layers = [n for n, v in vars(mindspore.mint.nn).items() if isinstance(v, type) and n in mindspore.mint.nn.__all__]
for name in layers:
    assert issubclass(getattr(mint.nn, name), getattr(mindspore.mint.nn, name)), name
assert mint.nn.Conv2d(3, 4, 3).training and mint.nn.BatchNorm2d(4).training
for name in ("scaled_dot_product_attention", "huber_loss", "max_pool1d", "instance_norm", "conv_transpose3d"):
    assert callable(getattr(functional, name)), name
print(sum(counts), len(layers))
"""


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_on_ascend_the_functions_are_mindspores_own() -> None:
    functions, layers = map(int, _run(ON_ASCEND).split())
    assert functions > 277 and layers >= 64


@pytest.mark.parametrize(("theirs", "ours"), FUNCTIONS)
def test_parameters_on_cpu_are_mints(theirs: Any, ours: Any) -> None:
    """What runs on CPU must bind on Ascend: no parameter that mint lacks, and mint's names for the others."""
    assert callable(ours)
    try:
        wanted, found = inspect.signature(theirs).parameters, inspect.signature(ours).parameters
    except ValueError:
        return
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in (*wanted.values(), *found.values())):
        return
    # mint's own softmax demands `dim`, softmax of mint.nn.functional does not: one function serves both
    assert [n for n in found if n in wanted] == list(wanted)
    assert set(found) <= set(wanted)


def test_a_change_of_the_device_target_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    _device_target.check()
    monkeypatch.setattr(_device_target, "TARGET", "Ascend")
    with pytest.raises(RuntimeError, match="device target"):
        _device_target.check()


def test_import_runs_no_operation() -> None:
    """A process that forks after an operation hangs in its first one."""
    code = """
import os
from torch2ms.runtime import mint
child = os.fork()
if child == 0:
    x = mint.randn(4, 4)
    mint.nn.functional.dropout(mint.matmul(x, x))
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    _run(code)


@pytest.mark.parametrize(
    "name", ["addr_", "batch_norm_stats", "batch_norm_elemt", "batch_norm_gather_stats_with_counts"]
)
def test_what_cpu_lacks_is_refused_by_name(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"mint.{name}"):
        getattr(mint, name)(mint.ones((2, 2)))


@pytest.mark.parametrize("name", ["elu_", "hardtanh_", "relu_", "sigmoid_"])
def test_in_place_functions_are_refused_by_name(name: str) -> None:
    with pytest.raises(NotImplementedError, match=name):
        getattr(F, name)(mint.ones((2, 2)))
