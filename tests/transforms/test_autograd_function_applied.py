"""The ways in which projects get at `apply`."""

import pytest

from tests.transforms.function_uses import SIN, check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "functional wrapper": ("f(x)", "bprop", SIN + """
def sin(x, scale=2.0):
    return Sin.apply(x * scale)
class F:
    apply = sin
    apply = staticmethod(sin)
"""),
    "class attribute apply": ("f(x)", "bprop", SIN + """
class F(nn.Module):
    apply = Sin.apply
"""),
    "module level alias and dict": ("f(x)", "bprop", SIN + """
sin = Sin.apply
TABLE = {"sin": Sin.apply}
class F:
    @staticmethod
    def apply(x):
        return sin(x) + TABLE["sin"](x) + list(map(Sin.apply, [x]))[0]
"""),
    "default argument": ("f(x)", "bprop", SIN + """
class F:
    @staticmethod
    def apply(x, fn=Sin.apply):
        return fn(x)
"""),
    "partial": ("f(x)", "bprop", SIN + """
import functools
class F:
    @staticmethod
    def apply(x):
        return functools.partial(Sin.apply, x)()
"""),
    "class as value": ("f(x)", "Function", SIN + """
def pick():
    return Sin
class F:
    @staticmethod
    def apply(x):
        c = pick()
        return c.apply(x)
"""),
    "class as value in dict": ("f(x)", "Function", SIN + """
FNS = {"sin": Sin}
class F:
    @staticmethod
    def apply(x):
        return FNS["sin"].apply(x)
"""),
    "class attr holding the class": ("f(x)", "Function", SIN + """
class M(nn.Module):
    fn = Sin
    def forward(self, x):
        return self.fn.apply(x)
class F:
    @staticmethod
    def apply(x):
        return M()(x)
"""),
    "getattr": ("f(x)", "Function", SIN + """
class F:
    @staticmethod
    def apply(x):
        return getattr(Sin, "apply")(x)
"""),
    "closure": ("f(x)", "bprop", """
def make(k):
    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * k
        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * 2 * x * k
    return Inner.apply
class F:
    apply = staticmethod(make(3.0))
"""),
    "factory returning class": ("f(x)", "Function", """
def make(k):
    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * k
        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * 2 * x * k
    return Inner
F = make(3.0)
"""),
    "nested class": ("f(x)", "bprop", """
class Outer(nn.Module):
    class Sin(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()
        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * x.cos()
    def forward(self, x):
        return self.Sin.apply(x) + Outer.Sin.apply(x)
class F:
    @staticmethod
    def apply(x):
        return Outer()(x)
"""),
    "under try and if": ("f(x)", "bprop", """
try:
    import not_there
except ImportError:
    not_there = None
if not_there is None:
    class F(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()
        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * x.cos()
else:
    F = not_there.F
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
