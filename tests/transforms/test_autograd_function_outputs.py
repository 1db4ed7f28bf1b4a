"""Outputs of every sort: several, not tensors, not differentiable, an input itself."""

import pytest

from tests.transforms.function_uses import SIN, check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "non differentiable": ("f(x)[0]", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        i = x.argmax(1, keepdim=True)
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i, x)
        return x * x, i
    @staticmethod
    def backward(ctx, g, gi):
        i, x = ctx.saved_tensors
        return g * 2 * x
"""),
    "non differentiable float used": ("f(x)[1] * f(x)[0]", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        m = x * 2
        ctx.mark_non_differentiable(m)
        return x * 1, m
    @staticmethod
    def backward(ctx, g, gm):
        return g * 5 + gm
"""),
    "non differentiable float unread": ("f(x)[1] * f(x)[0]", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        m = x * 2
        ctx.mark_non_differentiable(m)
        return x * 1, m
    @staticmethod
    def backward(ctx, g, gm):
        return g * 5
"""),
    "materialize False": ("f(x)[1]", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * 2, x * x
    @staticmethod
    def backward(ctx, ga, gb):
        x, = ctx.saved_tensors
        out = gb * 2 * x
        if ga is not None:
            out = out + 1000 * ga
        return out
"""),
    "materialize True unused": ("f(x)[1]", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2, x * x
    @staticmethod
    def backward(ctx, ga, gb):
        x, = ctx.saved_tensors
        return gb * 2 * x + 2 * ga
"""),
    "non tensor outputs": ("f(x)[0]", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), 3, None
    @staticmethod
    def backward(ctx, g, a, b):
        x, = ctx.saved_tensors
        return g * x.cos()
"""),
    "tuple of one": ("f(x)[0]", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(),
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos(),
"""),
    "tuple by name": ("f(x)[0] * f(x)[1]", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        both = x.sin(), x.cos()
        return both
    @staticmethod
    def backward(ctx, gs, gc):
        x, = ctx.saved_tensors
        return gs * x.cos() - gc * x.sin()
"""),
    "chunk outputs": ("f(x)[0].repeat(1, 2)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        return x.chunk(2, dim=1)
    @staticmethod
    def backward(ctx, *gs):
        return torch.cat(gs, dim=1)
"""),
    "star gradients": ("f(x, torch.ones(3, 4) * 2)[0]", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, *xs):
        ctx.save_for_backward(*xs)
        return tuple(x * x for x in xs)
    @staticmethod
    def backward(ctx, *gs):
        return tuple(g * 2 * x for g, x in zip(gs, ctx.saved_tensors))
"""),
    "returns input unchanged": ("f(x, 0.5)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x
    @staticmethod
    def backward(ctx, g):
        return -g * ctx.k, None
"""),
    "returns view of input": ("f(x * 1)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(4, 3).view(3, 4)
    @staticmethod
    def backward(ctx, g):
        return 3 * g
"""),
    "input returned among outputs": ("f(x)[1] * f(x)[0]", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        return x, x * 2
    @staticmethod
    def backward(ctx, a, b):
        return a * 5 + b * 7
"""),
    "double output same tensor": ("f(x)[0] * f(x)[1]", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.sin()
        ctx.save_for_backward(x)
        return y, y * 1
    @staticmethod
    def backward(ctx, a, b):
        x, = ctx.saved_tensors
        return (a + 2 * b) * x.cos()
"""),
    "output changed afterwards": ("f(x)", "bprop", SIN + """
class F:
    @staticmethod
    def apply(x):
        y = Sin.apply(x)
        y = y * 1
        y.mul_(2)
        y[0] = 0.5
        return y
"""),
    "detached result": ("f(x)", "bprop", SIN + """
class F:
    @staticmethod
    def apply(x):
        return Sin.apply(x).detach() * x
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
