"""Every row's left side is PyTorch's own signature: checked against the dispatcher's schemas and against Python's."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from functools import cache
from typing import Any

import pytest
import torch

from torch2ms.analysis.canonical import canonical
from torch2ms.rules import INDEX, Api, rows
from torch2ms.rules.signature import Signature, parse_signature

# what Python's argument parser adds to an operator's schema, and arguments of older PyTorch versions
_ADDED = {
    "out", "layout", "device", "requires_grad", "pin_memory", "memory_format", "generator", "names", "dtype", "async",
    "verbose", "as_tuple", "compute_mode", "n",
}
# other spellings of an operator's first arguments in the manual
_SAME = {"input": "self", "A": "self", "x": "self", "L": "self", "B": "other", "y": "other", "tensor": "self", "b": "self", "input2": "other", "a": "self", "tau": "other"}
# one Python function over several operators, or written in Python
_PYTHON = {
    "torch.einsum", "torch.tensordot", "torch.split", "torch.unsafe_split", "torch.save", "torch.set_grad_enabled", "torch.result_type",
    "torch.broadcast_shapes", "torch.seed", "torch.initial_seed", "torch.Generator", "torch.tensor", "torch.as_tensor", "torch.Tensor.where",
    "torch.is_autocast_enabled", "torch.ormqr", "torch.Tensor.ormqr", "torch.cholesky_solve", "torch.polygamma", "torch.Tensor.polygamma", "torch.special.polygamma", "torch.where", "torch.linalg.lstsq",
    *(f"torch.{owner}{name}" for owner in ("", "Tensor.") for name in ("hsplit", "vsplit", "dsplit", "tensor_split")),
}


@cache
def _schemas() -> dict[str, list[Any]]:
    found = defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        if namespace == "aten" and "Dimname" not in str(schema) and not schema.overload_name.endswith("out"):
            found[name].append(schema)
    return found


def _operator(name: str) -> str:
    for module in ("linalg", "special", "fft"):
        if name.startswith(f"torch.{module}."):
            return f"{module}_{name.rpartition('.')[2]}"
    if name.startswith("torch.Tensor."):
        return name.removeprefix("torch.Tensor.")
    return name.removeprefix("torch.") if name.count(".") == 1 else ""


def _spelled(name: str) -> str:
    return _SAME.get(name, name)


SIGNED = [api for api in rows() if "(" in api.torch]
OF_OPERATORS = [api for api in SIGNED if _operator(api.name) in _schemas() and api.name not in _PYTHON]


@pytest.mark.parametrize("api", OF_OPERATORS, ids=lambda api: api.name)
def test_operator(api: Api) -> None:
    signature = parse_signature(api.torch)
    assert signature is not None
    overloads = _schemas()[_operator(api.name)]
    known = {_spelled(a.name) for schema in overloads for a in schema.arguments}
    mine = {_spelled(p.name) for p in signature.parameters}
    assert mine <= known | _ADDED, "an argument that no overload has"
    positional = [_spelled(p.name) for p in signature.positional]
    orders = [[_spelled(a.name) for a in schema.arguments if not a.kwarg_only] for schema in overloads]
    assert any(positional[: len(order)] == order for order in orders), f"{positional} fits none of {orders}"


def _real(name: str) -> Any:
    words = name.split(".")
    for length in range(len(words) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(words[:length]))
        except ImportError:
            continue
        for word in words[length:]:
            found = getattr(found, word)
        return found
    raise ImportError(name)


@cache
def _inspected(name: str) -> inspect.Signature | None:
    try:
        signature = inspect.signature(_real(name))
    except (ImportError, AttributeError, ValueError, TypeError):
        return None
    open_ended = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    return None if open_ended else signature


_PREFIXES = ("torch.nn.", "torch.optim.", "torch.utils.data.", "torch.amp.", "torch.distributions.")
IN_PYTHON = [api for api in SIGNED if api.name.startswith(_PREFIXES) and "Tensor" not in api.name and _inspected(api.name)]
# boolean_dispatch shows the signature of one of its two functions
_DISPATCHED = {f"torch.nn.functional.max_pool{n}d{end}" for n in (1, 2, 3) for end in ("", "_with_indices")}


@pytest.mark.parametrize("api", [a for a in IN_PYTHON if a.name not in _DISPATCHED], ids=lambda api: api.name)
def test_function_or_class_in_python(api: Api) -> None:
    signature, theirs = parse_signature(api.torch), _inspected(api.name)
    assert signature is not None and theirs is not None
    names = [p.name for p in theirs.parameters.values() if p.name != "self"]
    mine = [p.name for p in signature.parameters if p.name != "self"]
    assert [n for n in mine if n not in ("verbose", "names")][: len(names)] == names
    _same_defaults(signature, theirs)


def _same_defaults(signature: Signature, theirs: inspect.Signature) -> None:
    import ast

    for parameter in signature.parameters:
        real = theirs.parameters.get(parameter.name)
        if real is None or parameter.default is None or parameter.variadic:
            continue
        try:
            mine = ast.literal_eval(parameter.default)
        except ValueError:
            continue
        simple = isinstance(real.default, (int, float, str, bool, tuple, type(None)))
        assert not simple or mine == real.default or mine is None and callable(real.default), parameter.name


def test_every_name_is_canonical() -> None:
    """Names are folded before the tables are asked, so a row under another spelling would never be found."""
    folded = {n: canonical(n) for n in INDEX if not n.endswith(".*") and canonical(n) != n}
    # PyTorch lists the same function object twice
    assert all(target in INDEX for target in folded.values())


def test_a_refusal_carries_advice() -> None:
    assert [api.name for api in rows() if api.mindspore is None and not api.note] == []
