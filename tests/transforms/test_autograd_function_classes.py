"""Functions that inherit from each other, and classes that hold more than forward and backward."""

import pytest

from tests.transforms.function_uses import check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "inherited": ("f(x, 2.0)", "Function", """
class Base(Function):
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos() * ctx.k, None
class F(Base):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        return x.sin() * k
"""),
    "inherits forward, overrides backward": ("f(x)", "Function", """
class B(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()

class F(B):
    @staticmethod
    def backward(ctx, g):
        return B.backward(ctx, g) * 2
"""),
    "helper with ctx": ("f(x)", "Function", """
def keep_input(ctx, x):
    ctx.save_for_backward(x)
class F(Function):
    @staticmethod
    def forward(ctx, x):
        keep_input(ctx, x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return F.slope(ctx, g, x)
    @staticmethod
    def slope(ctx, g, x):
        return g * x.cos()
"""),
    "class constant": ("f(x)", "Function", """
class F(Function):
    K = 2.0
    @staticmethod
    def forward(ctx, x):
        return x * F.K
    @staticmethod
    def backward(ctx, g):
        return g * F.K
"""),
    "symbolic": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def symbolic(g, x):
        return g.op("Sin", x)
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
