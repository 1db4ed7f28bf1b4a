"""Every public name of PyTorch in these namespaces converts or is refused by name, with advice."""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from torch2ms.analysis.canonical import canonical
from torch2ms.rules import INDEX, Api, find
from torch2ms.rules.coverage import main, sort_of

NAMESPACES = (
    "torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrizations "
    "torch.nn.utils.parametrize torch.nn.utils.prune torch.linalg torch.special torch.fft torch.signal torch.signal.windows "
    "torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.utils.data torch.distributions torch.autograd torch.cuda "
    "torch.cuda.amp torch.amp torch.random torch.distributed torch.serialization"
).split()
# names of the standard library and of PyTorch's documentation machinery that modules happen to hold
_NOT_API = {
    "TYPE_CHECKING", "common_args", "common_notes", "multi_dim_common", "factory_common_args", "reproducibility_notes",
    "sparse_support_notes", "tf32_notes", "EPOCH_DEPRECATION_WARNING", "bisect_right", "inf", "ref", "PARAM_LIST", "bind", "copy_method_params",
    "default_pg_timeout", "annotations",
}
_PYTHON = ("typing", "typing_extensions", "warnings", "math", "functools", "contextlib", "builtins", "collections", "itertools", "copy", "abc", "enum", "os", "sys", "datetime")


def public(namespace: str) -> Iterator[str]:
    """The public names of a module, modules themselves and what it imported from Python's library left out."""
    module = importlib.import_module(namespace)
    for name, value in vars(module).items():
        owner = getattr(value, "__module__", None) or ""
        if name.startswith("_") or name in _NOT_API or isinstance(value, types.ModuleType):
            continue
        if name == "Tensor" and namespace != "torch":
            continue
        if isinstance(owner, str) and owner.split(".")[0] in _PYTHON:
            continue
        yield name


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_namespace(namespace: str) -> None:
    unknown = [name for name in public(namespace) if sort_of(canonical(f"{namespace}.{name}")) == "unknown"]
    assert unknown == []


def test_tensor() -> None:
    methods = [name for name in dir(torch.Tensor) if not name.startswith("_")]
    assert [name for name in methods if find(f"torch.Tensor.{name}") is None] == []


def test_most_of_it_converts() -> None:
    counted = {"converted": 0, "transformed": 0, "refused": 0}
    for namespace in ("torch.nn", "torch.nn.functional", "torch.nn.init", "torch.linalg", "torch.optim", "torch.optim.lr_scheduler"):
        for name in public(namespace):
            counted[sort_of(canonical(f"{namespace}.{name}"))] += 1
    assert 1 - counted["refused"] / sum(counted.values()) > 0.88


def test_every_refusal_says_what_to_do() -> None:
    for name in ("torch.fx.symbolic_trace", "torch.onnx.export", "torch.Tensor.as_strided", "torchvision.models.densenet121"):
        rule = find(name)
        assert isinstance(rule, Api) and rule.mindspore is None and len(rule.note) > 10


def test_no_refusal_is_without_advice() -> None:
    refused = [rule for rule in INDEX.values() if isinstance(rule, Api) and rule.mindspore is None]
    assert [rule.name for rule in refused if len(rule.note) < 5] == []


def test_coverage_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apis, methods = tmp_path / "apis.tsv", tmp_path / "methods.tsv"
    apis.write_text("api\tuses\ntorch.cat\t6\ntorch.nn.Linear.__init__\t1\ntorch.fx.Node\t2\ntorch.no_such\t1\n")
    methods.write_text("method\tuses\tdefined_on\nview\t8\ttensor,ndarray\nadd_\t2\ttensor\nappend\t9\tlist\n")
    assert main([str(apis), str(methods)]) == 0
    first, unknown, refused, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "apis.tsv: 10 uses; known 90.00 %, converted by rules 70.00 %, by transforms 0.00 %, refused by name 20.00 %"
    assert unknown.strip() == "unknown: torch.no_such 1" and refused.strip() == "refused: torch.fx.Node 2"
    assert second.startswith("methods.tsv: 10 uses; known 100.00 %, converted by rules 80.00 %, by transforms 20.00 %")
