"""mint.randint takes its bounds and its size by position only."""

import pytest

from torch2ms.convert import convert_source


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("torch.randint(0, 10, (3,))", "mint.randint(0, 10, (3,))"),
        ("torch.randint(10, (3, 2))", "mint.randint(10, (3, 2))"),
        ("torch.randint(10, size=(3, 2))", "mint.randint(0, 10, (3, 2))"),
        ("torch.randint(high=10, size=(3,), dtype=torch.int32)", "mint.randint(0, 10, (3,), dtype=mindspore.int32)"),
        ("torch.randint(4, size=(1,))", "mint.randint(0, 4, (1,))"),
        ("torch.randint(high=4, size=(1,))", "mint.randint(0, 4, (1,))"),
        ("torch.randint(size=(1,), high=n)", "mint.randint(0, n, (1,))"),
        ("torch.randint(4, (2,), dtype=torch.int32)", "mint.randint(4, (2,), dtype=mindspore.int32)"),
        ("torch.randint(1, 4, size=[2])", "mint.randint(1, 4, [2])"),
        ("torch.randint(1, high=4, size=(2,))", "mint.randint(1, 4, (2,))"),
        ("torch.randint(low=2, high=9, size=(3,))", "mint.randint(2, 9, (3,))"),
    ],
)
def test_bounds_go_by_position(call, expected):
    assert expected in convert_source(f"import torch\nx = {call}\n").text
