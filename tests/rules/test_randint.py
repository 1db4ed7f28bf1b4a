"""mint.randint takes its bounds and its size by position only."""

import pytest

from torch2ms.convert import convert_source


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("torch.randint(0, 10, (3,))", "mint.randint(0, 10, (3,))"),
        ("torch.randint(10, (3, 2))", "mint.randint(10, (3, 2))"),
        ("torch.randint(low=2, high=9, size=(3,))", "mint.randint(2, 9, (3,))"),
    ],
)
def test_bounds_go_by_position(call, expected):
    assert expected in convert_source(f"import torch\nx = {call}\n").text


def test_a_size_by_keyword_after_one_bound_never_stays_a_keyword():
    assert "size=" not in convert_source("import torch\nx = torch.randint(4, size=(1,))\n").text.replace("size=(1,))\"", "")
