"""Python floats beside float64 tensors keep the digits that PyTorch gives them."""

from __future__ import annotations

import pytest

from tests.side_by_side import check, convert

HEAD = "import math\nimport torch\nx = torch.tensor([0.1, 0.7, 3.7], dtype=torch.float64)\n"


@pytest.mark.mindspore
@pytest.mark.parametrize(
    "line",
    [
        "y = x * 0.1",
        "y = 0.1 - x",
        "y = x / 3.7 + 0.3",
        "y = x >= 3.7",
        "y = 0.1 == x",
        "y = x * -0.1",
        "y = x.clone(); y += 0.1; y *= 0.3",
        "r = 0.1; y = x * r",
        "y = x.float().double() * 1e-3",
        "y = x ** 0.3",
        "y = (x * 0.1 + 0.2) * 0.3",
    ],
)
def test_digits_are_kept(line: str) -> None:
    check(HEAD + line + "\nRESULT = y\n", tolerance=1e-15)


@pytest.mark.mindspore
def test_gradients_have_them_too() -> None:
    program = """
w = torch.tensor([0.3, 0.9], dtype=torch.float64, requires_grad=True)
loss = ((w * 0.1 - 0.7) ** 2).sum()
loss.backward()
RESULT = [loss, w.grad]
"""
    check(HEAD + program, tolerance=1e-15)


@pytest.mark.parametrize("line", ["y = x * 0.5", "y = x * 2", "y = x.float() * 0.1", "y = f(x) * 0.1", "y = x * math.inf"])
def test_numbers_that_need_nothing_stay(line: str) -> None:
    assert "mindspore.tensor(" not in convert(HEAD + "f = torch.sum\n" + line + "\n").text.split("y =")[1]
