"""The source text of PyTorch's own samples, converted and run: values, shapes and data types beside PyTorch's.

A sample of the operators by default; TORCH2MS_ALL_VALUES=1 takes them all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

from torch2ms.analysis.canonical import canonical
from torch2ms.convert import convert_source
from torch2ms.rules import Api, find

from .test_right_sides import names, resolved

_HEAD = "import torch\nimport torch.nn.functional as F\n\n\n"
_REFUSED = {"T2M101", "T2M102", "T2M104", "T2M301"}
# drawn, uninitialised, or written in place
_NOT_COMPARABLE = (
    "rand normal bernoulli multinomial dropout empty new_empty uniform exponential cauchy geometric log_normal alpha_dropout rrelu "
    "feature_alpha fractional pca_lowrank svd_lowrank lobpcg poisson scaled_dot_product_attention svd eig qr lu_factor"
).split()
# operator (method or function): why it may raise where PyTorch does not
_EXPLAINED = {
    "Tensor.bfloat16": "NumPy has no bfloat16 to compare with",
    **{f"{owner}.polygamma": "from the second derivative on, the runtime refuses negative arguments" for owner in ("torch", "Tensor")},
    "torch.nn.functional.grid_sample": "bicubic sampling has no CPU kernel",
    "torch.grid_sampler_2d": "bicubic sampling has no CPU kernel",
    **{f"torch.fft.{name}": "MindSpore takes the dimensions as a tuple only" for name in ("fftn", "ifftn", "rfftn", "ihfftn")},
}


def _text(value: Any, tensors: dict[str, torch.Tensor]) -> str:
    """Source text of a sample's argument; tensors become names."""
    if isinstance(value, torch.Tensor):
        name = f"t{len(tensors)}"
        tensors[name] = value
        return name
    if isinstance(value, torch.Size):
        return repr(tuple(value))
    if isinstance(value, (list, tuple)):
        inner = ", ".join(_text(v, tensors) for v in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return f"float('{value}')"
    if value is None or isinstance(value, (bool, int, float, complex, str, torch.dtype)):
        return str(value) if isinstance(value, torch.dtype) else repr(value)
    raise NotImplementedError


def _programs(op: Any, callee: str, method: bool) -> Iterator[tuple[str, dict[str, torch.Tensor]]]:
    samples = list(op.sample_inputs("cpu", torch.float32, requires_grad=False))
    for sample in samples[:: max(1, len(samples) // 3)][:3]:
        tensors: dict[str, torch.Tensor] = {}
        try:
            args = [_text(a, tensors) for a in (sample.input, *sample.args)]
            args += [f"{k}={_text(v, tensors)}" for k, v in sample.kwargs.items()]
        except NotImplementedError:
            continue
        if method and not isinstance(sample.input, torch.Tensor):
            continue
        call = f"{args[0]}.{callee}({', '.join(args[1:])})" if method else f"{callee}({', '.join(args)})"
        parameters = ", ".join(f"{name}: torch.Tensor" for name in tensors)
        yield f"{_HEAD}def f({parameters}):\n    return {call}\n", tensors


def _run(text: str, arguments: dict[str, Any]) -> Any:
    space: dict[str, Any] = {}
    exec(text, space)
    return space["f"](**arguments)


def _flat(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in _flat(item)]
    return [result.numpy() if isinstance(result, torch.Tensor) else result.asnumpy() if isinstance(result, mindspore.Tensor) else result]


def _available(name: str) -> bool:
    rule = find(canonical(name))
    if not isinstance(rule, Api):
        return rule is not None
    if rule.mindspore is None:
        return False
    try:
        for target in names(rule):
            if not target.startswith("self"):
                resolved(target)
    except (ImportError, AttributeError):
        return False  # test_right_sides says so
    return True


def _cases() -> Iterator[Any]:
    number = 0
    for op in op_db:
        base = op.name.rpartition(".")[2]
        if torch.float32 not in op.dtypes or base.startswith(("_", *_NOT_COMPARABLE)) or base.endswith("_"):
            continue
        for method in (False, True):
            name = f"torch.Tensor.{op.name}" if method else f"torch.{op.name}"
            if method and ("." in op.name or not hasattr(torch.Tensor, op.name)) or not _available(name):
                continue
            number += 1
            if number % 8 == 0 or os.environ.get("TORCH2MS_ALL_VALUES"):
                label = ("Tensor." if method else "torch.") + op.name
                yield pytest.param(op, name, method, id=f"{label} {op.variant_test_name}".strip())


@pytest.mark.parametrize(("op", "name", "method"), list(_cases()))
def test_samples(op: Any, name: str, method: bool, request: pytest.FixtureRequest) -> None:
    callee = op.name if method else name.replace("torch.nn.functional.", "F.")
    for text, tensors in _programs(op, callee, method):
        try:
            wanted = _flat(_run(text, {k: v.clone() for k, v in tensors.items()}))
        except (RuntimeError, TypeError, AttributeError, AssertionError, IndexError):
            continue  # no call of this name: the sample is for the operator
        result = convert_source(text)
        assert "T2M901" not in {d.code for d in result.diagnostics}
        if any(d.code in _REFUSED for d in result.diagnostics):
            continue
        try:
            found = _flat(_run(result.text, {k: mindspore.Tensor(v.numpy()) for k, v in tensors.items()}))
        except (RuntimeError, TypeError, ValueError, NotImplementedError):
            if request.node.callspec.id.split(" ")[0] in _EXPLAINED:
                continue
            raise
        assert len(found) == len(wanted), result.text
        for ours, theirs in zip(found, wanted):
            assert np.asarray(ours).dtype == np.asarray(theirs).dtype, result.text
            np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=1e-4, err_msg=result.text)
