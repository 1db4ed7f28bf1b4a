"""A tensor keeps its dtype when it is written to."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from torch2ms.convert import convert_source

PROGRAM = """
import numpy as np
import torch

def f(x: torch.Tensor, y: torch.Tensor):
    x = x * 1
    {write}
    return x

RESULT = f(torch.tensor([1.0, 2.0]), {other})
RESULT = [RESULT.double() if RESULT.dtype != torch.bool else RESULT, str(RESULT.dtype)]
"""


@pytest.mark.parametrize(
    "write", ["x.eq_(y)", "x.gt_(1.5)", "x.logical_and_(y)", "x.logical_not_()", "x.mul_(y)", "x.mul_(y).sub_(y)", "x += y", "x *= y"]
)
@pytest.mark.parametrize("other", ["torch.tensor([1.0, 3.0], dtype=torch.float64)", "torch.tensor([1.0, 0.0])"])
def test_the_dtype_stays(write: str, other: str) -> None:
    check(PROGRAM.replace("{write}", write).replace("{other}", other))


def test_where_neither_dtype_is_known_the_doubt_is_said() -> None:
    source = "import torch\ndef f(x: torch.Tensor, y: torch.Tensor):\n    x = x * 1\n    x += y\n    return x\n"
    assert not convert_source(source, path="a.py").diagnostics
    said = convert_source(source + "half = f(a, b).half()\n", path="a.py").diagnostics
    assert [d.code for d in said] == ["T2M302"] and "no wider dtype" in said[0].message


def test_sums_keep_the_dtype_of_what_they_add_to() -> None:
    check("""
import numpy as np
import torch
single, half = torch.zeros(3), torch.zeros(2, dtype=torch.float16)
single += torch.from_numpy(np.ones(3))
single.add_(torch.tensor(np.random.RandomState(0).rand(3)))
half += torch.ones(2)
short, byte = torch.zeros(2, dtype=torch.int32), torch.zeros(2, dtype=torch.uint8)
short += torch.ones(2, dtype=torch.int64)
byte += torch.tensor([300, 2])
byte -= 1
RESULT = [single, half, short, byte]
""")
