"""Functions of the old style, whose methods are not static: PyTorch has dropped them, projects still have them."""

import pytest

from tests.side_by_side import assert_equal, convert, execute, plain
from tests.transforms.function_uses import USES, program, run

pytestmark = pytest.mark.mindspore


LEGACY = """
class Old(Function):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        self.save_for_backward(x)
        return x.sin() * self.k

    def backward(self, g):
        x, = self.saved_tensors
        return g * x.cos() * self.k

class F:
    @staticmethod
    def apply(x):
        return Old(2.0)(x)
"""

STATIC = """
class New(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x.sin() * k

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos() * ctx.k, None

class F:
    @staticmethod
    def apply(x):
        return New.apply(x, 2.0)
"""


@pytest.mark.parametrize("use", USES)
def test_a_function_of_the_old_style_is_what_it_was_before_pytorch_dropped_them(use):
    expected = execute(program(STATIC, "f(x)", use), "torch_program")["RESULT"]
    result = convert(program(LEGACY, "f(x)", use))
    assert "class Old(nn.Cell):" in result.text
    assert_equal(plain(expected), run(result.text))


def test_an_old_style_function_on_the_tape_raises_as_in_pytorch():
    source = program(LEGACY.replace("self.save_for", "self.mark_dirty(x); self.save_for"), "f(x)", "script")
    for text in (source, convert(source).text):
        with pytest.raises(RuntimeError, match="Legacy autograd function"):
            execute(text, "program")
