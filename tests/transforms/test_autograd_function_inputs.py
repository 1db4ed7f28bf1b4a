"""Arguments of every sort: numbers, strings, None, integers, modules, functions, starred; needs_input_grad."""

import pytest

from tests.transforms.function_uses import SIN, check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "none gradients": ("f(x, torch.ones(3, 4) * 2, None, torch.arange(4))", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, y, bias, index):
        ctx.save_for_backward(x, y)
        ctx.has_bias = bias is not None
        return x * y + index
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        gb = None
        if ctx.has_bias:
            gb = g.sum(0)
        return g * y, None, gb, None
"""),
    "bias given": ("f(x, torch.ones(4))", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, bias=None):
        ctx.save_for_backward(x, bias)
        return x * x if bias is None else x * x + bias
    @staticmethod
    def backward(ctx, g):
        x, bias = ctx.saved_tensors
        gx = gb = None
        if ctx.needs_input_grad[0]:
            gx = g * 2 * x
        if bias is not None and ctx.needs_input_grad[1]:
            gb = g.sum(0)
        return gx, gb
"""),
    "int tensor input": ("f(x, torch.tensor([0, 2, 1]))", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, i):
        ctx.save_for_backward(i)
        return x[i]
    @staticmethod
    def backward(ctx, g):
        i, = ctx.saved_tensors
        out = torch.zeros_like(g)
        out[i] = g
        return out, None
"""),
    "star args": ("f(x, torch.ones(3, 4) * 2, 0.4)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, *args):
        x, y, k = args
        ctx.save_for_backward(x, y)
        ctx.k = k
        return x * y * k
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y * ctx.k, g * x * ctx.k, None
"""),
    "star args tail": ("f(x, 2, torch.ones(3, 4) * 2, torch.ones(3, 4) * 0.2)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, n, *rest):
        ctx.n = n
        ctx.save_for_backward(x, *rest)
        out = x * n
        for r in rest:
            out = out * r
        return out
    @staticmethod
    def backward(ctx, g):
        x, *rest = ctx.saved_tensors
        a, b = rest
        return (g * ctx.n * a * b, None, g * ctx.n * x * b, g * ctx.n * x * a)
"""),
    "module argument": ("f(x, SUB, SUB.weight)", "bprop", """
SUB = nn.Linear(4, 4, bias=False)
SUB.load_state_dict({"weight": tensor(4, 4, seed=8)})
class F(Function):
    @staticmethod
    def forward(ctx, x, module, weight):
        ctx.module = module
        ctx.save_for_backward(x, weight)
        return module(x)
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w, None, g.t() @ x
"""),
    "checkpoint": ("f(x, body)", "bprop", """
def body(t):
    return t.sin() * t
class F(Function):
    @staticmethod
    def forward(ctx, x, run):
        ctx.run = run
        ctx.save_for_backward(x)
        with torch.no_grad():
            return run(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        x = x.detach()
        x.requires_grad = True
        with torch.enable_grad():
            y = ctx.run(x)
        torch.autograd.backward(y, g)
        return x.grad, None
"""),
    "needs_input_grad whole": ("f(x, torch.ones(4))", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        need_x, need_w = ctx.needs_input_grad
        assert need_x and not need_w
        return g * w if need_x else None, (g * x).sum(0) if need_w else None
"""),
    "needs_input_grad any": ("f(x, 3)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x)
        return x.exp()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        if not any(ctx.needs_input_grad):
            return None, None
        return g * x.exp(), None
"""),
    "grad in several needs": ("f(x, torch.ones(4).requires_grad_(), None)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        out = input * weight
        if bias is not None:
            out += bias
        return out
    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output * weight
        if ctx.needs_input_grad[1]:
            grad_weight = (grad_output * input).sum(0)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias
"""),
    "eval time flags": ("f(x, TRAIN)", "bprop", """
TRAIN = True
class F(Function):
    @staticmethod
    def forward(ctx, x, training=False, p=0.5):
        ctx.training = training
        ctx.p = p
        if training:
            return x * p
        return x
    @staticmethod
    def backward(ctx, g):
        if ctx.training:
            return g * ctx.p, None, None
        return g, None, None
"""),
    "for loop in forward": ("f(x, 3)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        for _ in range(n):
            x = x * 0.9
        return x
    @staticmethod
    def backward(ctx, g):
        for _ in range(ctx.n):
            g = g * 0.9
        return g, None
"""),
    "constant input": ("f(x)", "bprop", SIN + """
class F:
    @staticmethod
    def apply(x):
        return Sin.apply(torch.ones(3, 4)) * x
"""),
    "annotations": ("f(x, 2.0)", "bprop", """
from typing import Any, Tuple
from torch.autograd.function import FunctionCtx
class F(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: torch.Tensor, k: float = 1.0) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.k = k
        return x.sin() * k
    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Tuple[torch.Tensor, None]:
        x, = ctx.saved_tensors
        return g * x.cos() * ctx.k, None
"""),
    "annotated with ctx on tape": ("f(x, 2.0)", "Function", """
from typing import Any, Tuple
class F(Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor, k: float = 1.0) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        ctx.k = k
        return x.sin() * k
    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Tuple[torch.Tensor, None]:
        x, = ctx.saved_tensors
        return g * x.cos() * ctx.k, None
"""),
    "param tensor kwarg default None for weight": ("f(x, WP)", "bprop", """
WP = nn.Parameter(tensor(4, seed=7))
class F(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, None
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
