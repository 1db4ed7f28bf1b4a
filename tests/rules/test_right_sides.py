"""What the rows emit exists, takes the arguments, is documented for Ascend and is on no list of what is silently wrong."""

from __future__ import annotations

import ast
import csv
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import mindspore
import mindspore.mint.linalg
import mindspore.mint.nn.functional
import mindspore.mint.special
import pytest
from mindspore import Tensor

from torch2ms.edits import ROOTS
from torch2ms.rules import Api, rows, special
from torch2ms.rules.api import compile_api
from torch2ms.rules.missing import MISSING
from torch2ms.rules.target import Target

TARGETS = [api for api in rows() if api.mindspore is not None]
_OPTIONAL = {"tensorboardX"}  # imported by the user's program, not by the tests


def names(api: Api) -> Iterator[str]:
    """The dotted names on the right: `mint.cat`, `self.view`."""
    assert api.mindspore is not None
    signature = compile_api(api).signature
    parameters = set(signature.by_name) if signature else set()
    inner: set[ast.AST] = set()
    for node in ast.walk(ast.parse(api.mindspore, mode="eval")):
        words, part = [], node
        while isinstance(part, ast.Attribute):
            words.append(part.attr)
            inner.add(part.value)
            part = part.value
        if node in inner or not isinstance(part, ast.Name):
            continue
        if part.id == "self" or part.id in ROOTS and part.id not in parameters:
            yield ".".join([part.id, *reversed(words)])


@cache
def resolved(path: str) -> Any:
    """The object that a name of ROOTS leads to."""
    first, *words = path.split(".")
    base = ROOTS[first]
    try:
        found = importlib.import_module(base)
    except ImportError:
        module, _, name = base.rpartition(".")
        found = getattr(importlib.import_module(module), name)
    for number, word in enumerate(words, 1):
        if not hasattr(found, word):
            importlib.import_module(".".join([base, *words[:number]]))
        found = getattr(found, word)
    return found


@pytest.mark.parametrize("api", TARGETS, ids=lambda api: api.name)
def test_it_exists(api: Api) -> None:
    for name in names(api):
        if name.startswith("self"):
            if api.name.startswith("torch.Tensor.") and name != "self":
                assert hasattr(Tensor, name.split(".")[1]) or name in ("self.grad", "self.requires_grad", "self.name")
        elif name in MISSING:
            with pytest.raises((AttributeError, ImportError)):
                resolved(name)
        elif name not in _OPTIONAL and not name.startswith("tensorboardX."):
            resolved(name)


CALLS = [
    api
    for api in TARGETS
    if "(" in api.torch and compile_api(api).target.slots is not None and not MISSING.intersection(names(api))
]


@pytest.mark.parametrize("api", CALLS, ids=lambda api: api.name)
def test_it_takes_the_arguments(api: Api) -> None:
    """On the CPU the runtime's function, on Ascend mint's own of the same name."""
    target = compile_api(api).target
    name = ast.unparse(target.callee)
    if target.is_method or "(" in name or name.partition(".")[0] not in ROOTS:
        return
    own = _own(name) if name.startswith("mint.") else None
    for function in (resolved(name), own):
        if function is not None:
            _check(target, function)


# two spellings of one meaning
_SAME_DEFAULT = {
    ("torch.max_pool1d", "stride"), ("torch.max_pool2d", "stride"), ("torch.max_pool3d", "stride"), ("torch.topk", "dim"),
    ("torch.Tensor.nan_to_num", "nan"), ("torch.nn.Transformer", "activation"), ("torch.nn.TransformerEncoderLayer", "activation"),
    ("torch.nn.TransformerDecoderLayer", "activation"),
}


@pytest.mark.parametrize("api", CALLS, ids=lambda api: api.name)
def test_defaults_are_the_same_or_written(api: Api) -> None:
    binding = compile_api(api)
    name = ast.unparse(binding.target.callee)
    if binding.target.is_method or "(" in name or name.partition(".")[0] not in ROOTS:
        return
    for function in (resolved(name), _own(name) if name.startswith("mint.") else None):
        try:
            parameters = inspect.signature(function).parameters if function is not None else {}
        except (ValueError, TypeError):
            continue
        for slot in binding.target.slots or ():
            theirs = parameters.get(slot.by_keyword or "")
            if slot.parameter is None or slot.always or theirs is None or theirs.default is theirs.empty:
                continue
            own = binding.signature.by_name[slot.parameter].default if binding.signature else None
            if own is None or (api.name, slot.parameter) in _SAME_DEFAULT:
                continue
            try:
                value = ast.literal_eval(own)
            except ValueError:
                continue
            assert value == theirs.default or str(value) == str(theirs.default), slot.parameter


def _check(target: Target, function: Any) -> None:
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return  # a built-in function of MindSpore that shows no signature
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values()):
        return
    own = [p for p in parameters.values() if p.kind is not p.KEYWORD_ONLY]
    for index, slot in enumerate(target.slots or ()):
        if slot.keyword is not None:
            assert slot.keyword in parameters, slot.keyword
        else:
            assert index < len(own), "too many positional arguments"
            assert slot.by_keyword in (None, "self", own[index].name)  # a receiver is always the first argument


def _wrong() -> set[str]:
    path = Path(__file__).parents[1] / "data" / "silently_wrong.tsv"
    with path.open(newline="") as file:
        return {row["name"] for row in csv.DictReader(file, delimiter="\t")}


# right where a row still names it: the row's rule takes the other cases apart
_TAKEN_APART = {"Tensor.max", "Tensor.size", "Tensor.data"}


@pytest.mark.parametrize("api", TARGETS, ids=lambda api: api.name)
def test_it_is_not_silently_wrong(api: Api) -> None:
    wrong = _wrong() - _TAKEN_APART
    for name in names(api):
        spelled = name.replace("self.", "Tensor.") if api.name.startswith("torch.Tensor.") else name.replace("mindspore.nn.", "mindspore_nn.")
        # the runtime's nn has PyTorch's defaults; only MindSpore's own is on the list
        assert spelled.startswith("nn.") or spelled not in wrong
        assert not name.startswith("mindspore.nn.")


def _documented_for_ascend(found: Any) -> bool | None:
    text = inspect.getdoc(found) or ""
    match = re.search(r"Supported Platforms:\s*\n(.*?)(\n\s*\n|\Z)", text, re.DOTALL)
    return None if match is None else "Ascend" in match[1] or "+--" in match[1]


def _own(path: str) -> Any:
    """MindSpore's own object for a name of the runtime's mint."""
    found: Any = mindspore
    for word in path.split("."):
        found = getattr(found, word, None)
    return found


@pytest.mark.parametrize("api", [a for a in TARGETS if re.search(r"\b(mint|ops|mindspore)\.|self\.", a.mindspore or "")], ids=lambda api: api.name)
def test_it_is_documented_for_ascend(api: Api) -> None:
    for name in names(api):
        first, _, rest = name.partition(".")
        if first == "self" and api.name.startswith("torch.Tensor."):
            leaf = rest.split(".")[0]
            pages = [getattr(Tensor, leaf, None), _own(f"mint.{leaf}"), _own(f"ops.{leaf}")]
        elif first in ("mint", "ops"):
            pages = [_own(name)]
        else:
            continue
        answers = [answer for page in pages if page is not None and (answer := _documented_for_ascend(page)) is not None]
        assert not answers or any(answers), name


def _in_functions() -> Iterator[tuple[str, str]]:
    """The names that the rules written as functions put into templates and rows of their own."""
    for path in sorted(Path(special.__file__).parent.glob("special_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for name in re.findall(r"\$((?:ops|mint|mindspore|nn|tensor|contextlib|device)\.[\w.]+)", node.value):
                    yield path.name, name


@pytest.mark.parametrize(("path", "name"), sorted(set(_in_functions())))
def test_names_in_functions_exist_and_are_right(path: str, name: str) -> None:
    assert name not in _wrong()
    if not name.endswith(".") and name not in MISSING:  # the rest is filled in
        resolved(name)
