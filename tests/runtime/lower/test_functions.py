"""Functions, layers and losses of tensors in bfloat16 and float16 on the CPU, beside PyTorch's."""

from __future__ import annotations

import inspect
import pathlib
from typing import Any

import mindspore
import pytest

from tests.runtime.lower.beside import TORCH_AND_OURS, compare, same_layers
from tests.side_by_side import convert, execute

HERE = pathlib.Path(__file__).parent


def both(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    text = (HERE / name).read_text()
    return execute(text, f"torch_{name[:-3]}"), execute(convert(text).text, f"converted_{name[:-3]}")


FUNCTIONS = both("functions.py")
LAYERS = [module["LAYERS"] for module in both("layers.py")]
NAMES = [name for name, value in FUNCTIONS[0].items() if inspect.isfunction(value)]


@pytest.fixture(autouse=True)
def errors_surface_where_they_arise() -> None:
    mindspore.runtime.launch_blocking()


@pytest.mark.parametrize("dtypes", TORCH_AND_OURS, ids=["bfloat16", "float16"])
@pytest.mark.parametrize("name", NAMES)
def test_functions(name: str, dtypes: tuple[Any, Any]) -> None:
    theirs, ours = (module[name] for module in FUNCTIONS)
    names = list(inspect.signature(theirs).parameters)
    compare(theirs, ours, theirs, names, name, dtypes)


@pytest.mark.parametrize("dtypes", TORCH_AND_OURS, ids=["bfloat16", "float16"])
@pytest.mark.parametrize("name", list(LAYERS[0]))
def test_layers(name: str, dtypes: tuple[Any, Any]) -> None:
    (make_theirs, names), (make_ours, _) = LAYERS[0][name], LAYERS[1][name]
    theirs, ours, _ = same_layers(make_theirs, make_ours)
    theirs.to(dtypes[0])
    ours.to(dtypes[1])
    exact = same_layers(make_theirs, make_ours)[0].to(dtypes[0]).double()
    compare(theirs, ours, exact, names.split(), name, dtypes)
    statistics = zip(theirs.buffers(), ours.buffers(), exact.buffers())
    for of_torch, of_ours, _ in statistics:
        assert str(of_ours.dtype).lower() == str(of_torch.dtype).rpartition(".")[2]
