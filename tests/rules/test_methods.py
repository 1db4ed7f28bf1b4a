"""What a method name tells about its object, the runtime's helpers for the rest, and the cost of the tables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torch2ms.rules import INDEX, knows, method_sites, rows
from torch2ms.rules.methods import GUARDED, ONE_NAME, OWNERS
from torch2ms.runtime import tensor

from .ruled import line

_LOADED = """
import ast, contextlib, dataclasses, functools, importlib, pkgutil, re, time, typing
import torch2ms.edits, torch2ms.diagnostics, torch2ms.source
began = time.process_time()
import torch2ms.rules
print(time.process_time() - began)
"""


def test_owners() -> None:
    assert method_sites("size").owners == ("torch.Tensor",)
    assert method_sites("size").kinds == ("TENSOR",)
    assert set(method_sites("float").kinds) == {"TENSOR", "MODULE"}
    assert set(method_sites("step").kinds) == {"OPTIMIZER", "SCHEDULER", "SCALER"}
    assert method_sites("no_such_method").owners == ()


@pytest.mark.parametrize("name", ["unsqueeze", "masked_fill", "load_state_dict", "add_", "zero_grad"])
def test_one_name(name: str) -> None:
    assert method_sites(name).one_name


@pytest.mark.parametrize("name", ["size", "sum", "append", "view", "split", "get", "mean", "copy", "eval", "train", "step", "reshape", "data"])
def test_names_that_other_objects_have_too(name: str) -> None:
    assert not method_sites(name).one_name


def test_no_builtin_or_numpy_object_has_a_one_name_method() -> None:
    import io
    import pathlib

    import numpy as np

    others = [str, bytes, list, dict, set, tuple, int, float, complex, range, io.StringIO, pathlib.Path, np.ndarray, np.float32, np.random.RandomState]
    # text streams can be detached from their buffer; no program that computes with tensors does it
    assert {name for name in ONE_NAME for other in others if hasattr(other, name)} == {"detach"}


def test_every_one_name_and_every_guarded_name_has_an_owner() -> None:
    assert [name for name in sorted(ONE_NAME | GUARDED) if not any(f"{owner}.{name}" in INDEX for owner in OWNERS)] == []


def test_every_guarded_helper_exists() -> None:
    assert [name for name in sorted(GUARDED) if not hasattr(tensor, name)] == []


def test_unknown_receivers_are_asked_or_left() -> None:
    assert line("r = u.std(0)") == "r = tensor.std(u, 0)  # T2M103"
    assert line("r = u.max(1)") == "r = tensor.max(u, 1)  # T2M103"
    assert line("r = u.sum(1)") == "r = u.sum(1)"
    assert line("r = u.reshape(2, 3)") == "r = u.reshape(2, 3)"
    assert line("r = u.size(0)") == "r = u.shape[0]"
    assert line("r = u.to('cuda')") == "r = u"
    assert line("r = u.to(torch.float16)") == "r = u.to(mindspore.float16)"
    assert line("r = u.softmax(dim=-1)") == "r = mint.softmax(u, dim=-1)"
    assert line("r = u.mean(dim='time')") == "r = u.mean(dim='time')"
    assert line("u.sort()") == "u.sort()"
    assert line("u.sort(key=len)") == "u.sort(key=len)"
    assert line("r = u.split(sep=',')") == "r = u.split(sep=',')"
    assert line("r = u.max(axis=1, initial=0)") == "r = u.max(axis=1, initial=0)"
    assert line("r = u.get('x'), u.items(), u.shape") == "r = u.get('x'), u.items(), u.shape"


def test_loading_the_tables_costs_under_40_ms(tmp_path: Path) -> None:
    # compiled once, as an installed package is
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    times = [
        float(subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True, env=env).stdout)
        for _ in range(5)
    ]
    assert min(times) < 0.040


def test_a_name_has_one_rule() -> None:
    names = [api.name for api in rows()]
    assert len(names) == len(set(names))
    assert knows("torch.cat") and not knows("torch.no_such_function")
