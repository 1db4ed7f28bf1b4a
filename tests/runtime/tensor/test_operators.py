"""Operators on bits beside PyTorch's, for every pair of operand types."""
from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import mindspore
import pytest
import torch

from torch2ms.runtime import mint

VALUES: dict[str, Any] = {
    "int64": [6, 5, 3],
    "int32": [5, 1, 2],
    "uint8": [6, 7, 3],
    "bool": [True, False, True],
    "a number": 3,
    "True": True,
}
PAIRS = [pair for pair in itertools.product(VALUES, VALUES) if isinstance(VALUES[pair[0]], list) or isinstance(VALUES[pair[1]], list)]
OPERATORS = [operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor]


def _operand(name: str, library: Any) -> Any:
    value = VALUES[name]
    return library.tensor(value, dtype=getattr(library, name)) if isinstance(value, list) else value


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_pairs(function: Callable[[Any, Any], Any], first: str, second: str) -> None:
    try:
        expected = function(_operand(first, torch), _operand(second, torch))
    except NotImplementedError:
        pytest.skip("PyTorch does not shift booleans by booleans")
    found = function(_operand(first, mindspore), _operand(second, mindspore))
    assert found.asnumpy().tolist() == expected.tolist()
    assert str(found.dtype).lower() == str(expected.dtype).removeprefix("torch.")


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_invert(dtype: str) -> None:
    expected = ~_operand(dtype, torch)
    for found in (~_operand(dtype, mindspore), mint.bitwise_not(_operand(dtype, mindspore))):
        assert found.asnumpy().tolist() == expected.tolist()
        assert str(found.dtype).lower() == str(expected.dtype).removeprefix("torch.")


def test_invert_of_floats_is_refused() -> None:
    with pytest.raises(TypeError, match="integer and Boolean"):
        ~mindspore.tensor([1.0])


def test_other_objects_are_asked() -> None:
    class Other:
        def __rlshift__(self, other: Any) -> str:
            return "asked"

    assert mindspore.tensor([1]) << Other() == "asked"


def test_augmented_shift_and_or_of_a_number() -> None:
    theirs, ours = torch.tensor([1, 6]), mindspore.tensor([1, 6])
    theirs, ours = 8 | theirs, 8 | ours
    theirs <<= 2
    ours <<= 2
    assert ours.asnumpy().tolist() == theirs.tolist()
