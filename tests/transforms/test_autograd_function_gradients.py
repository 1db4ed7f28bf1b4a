"""What backward returns and how it computes it."""

import pytest

from tests.side_by_side import assert_equal, convert, execute, plain
from tests.transforms.function_uses import SIN, check_everywhere, program, run

pytestmark = pytest.mark.mindspore

CASES = {
    "gradient broadcast: larger than input": ("f(x, W)", "bprop", """
W = tensor(4, seed=9).requires_grad_()
class F(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, g * x
"""),
    "gradient smaller than input": ("f(x, torch.ones(3, 4))", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, s, x):
        ctx.save_for_backward(s, x)
        return x * s
    @staticmethod
    def backward(ctx, g):
        s, x = ctx.saved_tensors
        return (g * x).sum(1, keepdim=True), g * s
"""),
    "trailing None": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos(), None, None
"""),
    "too few gradients": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        return x.sin() * k
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()
"""),
    "None for the input": ("f(x)", "Function", """
class G(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()
    @staticmethod
    def backward(ctx, g):
        return None
class F:
    @staticmethod
    def apply(x):
        return G.apply(x) + x
"""),
    "gradient of wrong dtype": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g.double() * 2
"""),
    "list returned": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        grads = [g * ctx.k, None]
        return tuple(grads)
"""),
    "gradient tuple by concatenation": ("f(x, 2.0, 'a')", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k, mode):
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return (g * ctx.k,) + (None,) * 2
"""),
    "backward modifies grad in place": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        g = g.clone()
        g[x < 0] = 0
        return g
"""),
    "backward in-place methods": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        r = g.clone()
        r.mul_(2)
        r *= x
        r.masked_fill_(x > 2, 0)
        return r
"""),
    "returns buffers of torch.empty": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        torch.sin(x, out=y)
        ctx.save_for_backward(x)
        return y
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        r = torch.zeros_like(x)
        r.add_(g).mul_(x.cos())
        return r
"""),
    "augmented": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        y += 1
        ctx.save_for_backward(x)
        return y
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        g = g * 1
        g *= x
        return g
"""),
    "nested Function in forward and backward": ("f(x)", "bprop", SIN + """
class Cos(Function):
    @staticmethod
    def forward(ctx, x, g):
        ctx.save_for_backward(x, g)
        return g * x.cos()
    @staticmethod
    def backward(ctx, gg):
        x, g = ctx.saved_tensors
        return -gg * g * Sin.apply(x), gg * x.cos()
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Sin.apply(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return Cos.apply(x, g)
"""),
    "backward re-runs autograd": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin() * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_(True)
            y = x.sin() * x
            gx, = torch.autograd.grad(y, x, g)
        return gx
"""),
    "numpy": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.new(np.sin(x.detach().numpy()))
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * torch.from_numpy(np.cos(x.numpy()))
"""),
    "custom_fwd": ("f(x)", "bprop", """
from torch.cuda.amp import custom_fwd, custom_bwd

class F(Function):
    @staticmethod
    @custom_fwd
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    @custom_bwd
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])


ONCE = """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * torch.cos(x)
"""


def test_once_differentiable_is_no_obstacle_to_bprop():
    check_everywhere("f(x)", "bprop", ONCE, uses=("script", "twice", "cell", "step", "tape", "no_grad"))


def test_what_once_differentiable_forbids_is_right_in_bprop():
    source = program(ONCE, "f(x)", "second")
    with pytest.raises(RuntimeError, match="once_differentiable"):
        execute(source, "torch_program")
    expected = execute(source.replace("    @once_differentiable\n", ""), "torch_program")["RESULT"]
    assert_equal(plain(expected), run(convert(source).text))
