"""Runs a program under PyTorch and its conversion under MindSpore in this process and compares what they compute.

A program is source text that leaves its findings in the module-level name RESULT (nested lists, tuples, dicts, numbers,
tensors). It must make its numbers itself, from numpy or from literals, not from a framework's random functions.
"""

from __future__ import annotations

import linecache
import sys
import types
from typing import Any

import mindspore
import numpy as np
import torch

from torch2ms.analysis.facts import Options
from torch2ms.convert import convert_source
from torch2ms.diagnostics import Severity
from torch2ms.edits import Result


class Refused(Exception):
    """The conversion left something that raises; the diagnostics say what."""


def convert(source: str, allow: tuple[str, ...] = (), **options: Any) -> Result:
    """Convert a program; raises Refused with the diagnostics where one is an error that `allow` does not name."""
    result = convert_source(source, path="program.py", options=Options(**options))
    errors = [d for d in result.diagnostics if d.severity is Severity.ERROR and d.code not in allow]
    if errors:
        raise Refused("\n".join(f"{d.span.line}:{d.span.col} {d.code} {d.message}" for d in errors))
    return result


def execute(text: str, name: str) -> dict[str, Any]:
    """Run a program as a module of its own; its source can be read, as jit needs it."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(True), f"<{name}>")
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    return module.__dict__


def plain(value: Any) -> Any:
    """A result as nested lists, dicts and numpy arrays."""
    if isinstance(value, mindspore.Tensor):
        return value.asnumpy().copy()
    if hasattr(value, "detach"):
        return value.detach().numpy().copy()
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def assert_equal(torch_value: Any, mindspore_value: Any, tolerance: float = 1e-5, path: str = "RESULT") -> None:
    """Fail where two results differ by more than `tolerance`, relative to 1 or to the largest magnitude of the array."""
    a, b = torch_value, mindspore_value
    if isinstance(a, dict):
        assert list(a) == list(b), f"{path}: keys {list(a)} and {list(b)}"
        for key in a:
            assert_equal(a[key], b[key], tolerance, f"{path}[{key!r}]")
    elif isinstance(a, list):
        assert isinstance(b, list) and len(a) == len(b), f"{path}: {a!r} and {b!r}"
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_equal(x, y, tolerance, f"{path}[{i}]")
    elif isinstance(a, (np.ndarray, float, np.floating)) or isinstance(b, np.ndarray):
        x, y = np.asarray(a), np.asarray(b)
        assert x.shape == y.shape, f"{path}: shapes {x.shape} and {y.shape}"
        if isinstance(a, np.ndarray):
            assert x.dtype == y.dtype, f"{path}: dtypes {x.dtype} and {y.dtype}"
        if x.dtype.kind in "fc":
            finite = x[np.isfinite(x)]
            scale = max(1.0, float(np.abs(finite).max()) if finite.size else 1.0)
            np.testing.assert_allclose(y, x, rtol=0, atol=tolerance * scale, equal_nan=True, err_msg=path)
        else:
            np.testing.assert_array_equal(y, x, err_msg=path)
    else:
        assert a == b and type(a) is type(b), f"{path}: {a!r} and {b!r}"


def check(source: str, tolerance: float = 1e-5, allow: tuple[str, ...] = (), **options: Any) -> Result:
    """Run a program on both sides and compare; returns the conversion for further checks."""
    # PyTorch's own test utilities, which other tests import, freeze the flags of its backends
    torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True
    result = convert(source, allow, **options)
    expected = plain(execute(source, "torch_program")["RESULT"])
    found = plain(execute(result.text, "mindspore_program")["RESULT"])
    assert_equal(expected, found, tolerance)
    return result
