"""Functions whose forward writes in place."""

import pytest

from tests.side_by_side import Refused, convert
from tests.transforms.function_uses import check_everywhere, program

pytestmark = pytest.mark.mindspore

CASES = {
    "mark_dirty": ("f(x * 1)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3
"""),
    "mark_dirty exp saved": ("f(x * 1)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
"""),
    "mark_dirty seen by caller": ("f(x)", "Function", """
class G(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(0.5)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 0.5
class F:
    @staticmethod
    def apply(x):
        h = x * 2
        y = G.apply(h)
        return y * h
"""),
    "mark_dirty relu in place with saved output": ("f(x * 1)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.relu_(x)
        ctx.mark_dirty(x)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * (y > 0)
"""),
    "mark_dirty view made after": ("f(x)", "Function", """
class G(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(0.5)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 0.5
class F:
    @staticmethod
    def apply(x):
        h = x * 2
        h = G.apply(h)
        v = h.view(-1)
        return h * v.view(3, 4)
"""),
    "mark_dirty two inputs": ("f(x)", "Function", """
class G(Function):
    @staticmethod
    def forward(ctx, a, b):
        b.add_(a)
        ctx.mark_dirty(b)
        return a * 2, b
    @staticmethod
    def backward(ctx, ga, gb):
        return ga * 2 + gb, gb
class F:
    @staticmethod
    def apply(x):
        h = x * 2
        y, z = G.apply(x, h)
        return z * y + h
"""),
    "in-place on an input without mark_dirty": ("f(x * 1)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
"""),
    "in-place on an input without mark_dirty, seen by caller": ("f(x * 1)", "bprop", """
class G(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
class F:
    @staticmethod
    def apply(x):
        h = x * 2
        y = G.apply(h)
        return y * h
"""),
    "forward in place on a copy": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clone()
        y.mul_(2).add_(1)
        y[y < 0] = 0
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * 2 * (y > 0).float()
"""),
    "forward rebinds its input": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        x = x * 2
        ctx.save_for_backward(x)
        x = x * x
        return x
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * 2 * y * 2
"""),
    "unchecked write into a buffer without mark_dirty": ("f(x)", "bprop", """
class G(Function):
    @staticmethod
    def forward(ctx, scratch, value):
        ctx.n = 1
        scratch.data[0] = value[0]
        return scratch
    @staticmethod
    def backward(ctx, g):
        a = g.clone()
        a[0] = 0
        b = torch.zeros_like(g)
        b[0] = g[0]
        return a, b
class F:
    @staticmethod
    def apply(x):
        h = torch.zeros(3, 4)
        return G.apply(h, x) + x
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])


WRITER = """
class G(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(0.5)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 0.5

class F:
    @staticmethod
    def apply(x):
        h = x * 2
        BODY
"""


@pytest.mark.parametrize(
    "body",
    [
        "v = h.view(-1); y = G.apply(h); return y * v.view(3, 4)",
        "k = h; y = G.apply(h); return k * y",
        "y = G.apply(h[0]); return h * y",
    ],
)
def test_a_written_argument_whose_view_is_read_later_is_refused(body):
    source = program(WRITER.replace("BODY", "\n        ".join(body.split("; "))), "f(x)", "script")
    with pytest.raises(Refused, match="T2M203 G writes its argument in place"):
        convert(source)


def test_an_apply_that_is_handed_on_says_what_it_rests_on():
    body = "f = G.apply; return f(h)"
    result = convert(program(WRITER.replace("BODY", "\n        ".join(body.split("; "))), "f(x)", "script"))
    assert any(d.code == "T2M302" and "G writes its argument" in d.message for d in result.diagnostics)
