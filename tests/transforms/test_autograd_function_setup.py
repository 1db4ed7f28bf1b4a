"""Functions whose context is filled by setup_context."""

import pytest

from tests.transforms.function_uses import check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "setup_context": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, k):
        return x * x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, k = inputs
        ctx.save_for_backward(x)
        ctx.k = k
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x * ctx.k, None
"""),
    "setup_context output": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(x):
        return x.tanh()
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * (1 - y * y)
"""),
    "setup_context several outputs": ("f(x, 3.0)[0] + f(x)[1]", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, k=2.0):
        e = x.sin()
        return e * k, e + k
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, k = inputs
        ctx.k = k
        first, _ = output
        ctx.save_for_backward(x, first)
    @staticmethod
    def backward(ctx, ga, gb):
        x, first = ctx.saved_tensors
        return (ga * ctx.k + gb) * x.cos(), None
"""),
    "vmap and jvp staticmethods": ("f(x)", "Function", """
class F(Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x):
        return x.sin()
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()
    @staticmethod
    def jvp(ctx, t):
        x, = ctx.saved_tensors
        return t * x.cos()
"""),
    "setup: indexing": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, k):
        return x * x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.k = inputs[1]
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x * ctx.k, None
"""),
    "setup: renamed": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, k):
        return x * x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        value, factor = inputs
        twice = factor * 2
        ctx.save_for_backward(value)
        ctx.twice = twice
        ctx.shape = inputs[0].shape
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g.expand(ctx.shape) * x * ctx.twice, None
"""),
    "setup: swapped": ("f(x, torch.ones(3, 4) * 2)", "Function", """
class F(Function):
    @staticmethod
    def forward(x, y):
        return x * x * y
    @staticmethod
    def setup_context(ctx, inputs, output):
        y, x = inputs
        ctx.save_for_backward(x, y)
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * 2 * y * x, None
"""),
    "setup: intermediate as output": ("f(x)[0]", "bprop", """
class F(Function):
    @staticmethod
    def forward(x):
        s = x.cos()
        return x.sin(), s
    @staticmethod
    def setup_context(ctx, inputs, output):
        _, s = output
        ctx.mark_non_differentiable(s)
        ctx.save_for_backward(s)
    @staticmethod
    def backward(ctx, g, _):
        s, = ctx.saved_tensors
        return g * s
"""),
    "setup: intermediate as output, by index": ("f(x)[0]", "bprop", """
class F(Function):
    @staticmethod
    def forward(x):
        s = x.cos()
        return x.sin(), s
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])
    @staticmethod
    def backward(ctx, g, gs):
        s, = ctx.saved_tensors
        return g * s
"""),
    "setup: forward writes in place": ("f(x * 1)", "Function", """
class F(Function):
    @staticmethod
    def forward(x):
        x.mul_(2)
        return x * x
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 4 * x
"""),
    "setup: star": ("f(x, 2.0, torch.ones(4))", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, *rest):
        k, w = rest
        return x * k * w
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, *rest = inputs
        ctx.k = rest[0]
        ctx.save_for_backward(rest[1])
    @staticmethod
    def backward(ctx, g):
        w, = ctx.saved_tensors
        return g * w * ctx.k, None, None
"""),
    "setup: default and keyword": ("f(x, k=3.0) + f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, k=2.0, bias=None):
        return x * x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, k, bias = inputs
        ctx.save_for_backward(x)
        ctx.k = k
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x * ctx.k, None, None
"""),
    "setup: condition": ("f(x, True)", "Function", """
class F(Function):
    @staticmethod
    def forward(x, flag: bool) -> torch.Tensor:
        return x * x
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, flag = inputs
        if flag:
            ctx.save_for_backward(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x, None
"""),
    "setup: inputs as a whole": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(x, k):
        return x * x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.inputs = inputs
    @staticmethod
    def backward(ctx, g):
        x, k = ctx.inputs
        return g * 2 * x * k, None
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
