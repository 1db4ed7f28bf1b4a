"""What backward reads from the context: saved tensors and attributes of every sort."""

import pytest

from tests.transforms.function_uses import check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "saved input": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()
"""),
    "attributes and non-tensor args": ("f(x, 2.0, 'a', False)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k, mode, flag=True):
        ctx.save_for_backward(x)
        ctx.k, ctx.mode = k, mode
        ctx.flag = flag
        return x * x * k
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        if ctx.flag or ctx.mode == 'b':
            return g, None, None, None
        return g * 2 * x * ctx.k, None, None, None
"""),
    "saved intermediate": ("f(x, 1.5)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, beta=1.0):
        sig = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, sig)
        ctx.beta = beta
        return x * sig
    @staticmethod
    def backward(ctx, g):
        x, sig = ctx.saved_tensors
        return g * (sig + ctx.beta * x * sig * (1 - sig)), None
"""),
    "intermediate on ctx": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.s = torch.sigmoid(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * ctx.s
"""),
    "output on ctx": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.y = y
        return y
    @staticmethod
    def backward(ctx, g):
        return g * (1 - ctx.y * ctx.y)
"""),
    "input on ctx": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.x
"""),
    "ctx tensor attr": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        ctx.y = x * x
        ctx.z = ctx.y * 2
        return ctx.y * x
    @staticmethod
    def backward(ctx, g):
        return g * (ctx.y + ctx.z)
"""),
    "save conditional": ("f(x, True)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x, inv):
        if inv:
            y = x.tanh()
            ctx.save_for_backward(y)
        else:
            y = x.sin()
            ctx.save_for_backward(x)
        ctx.inv = inv
        return y
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        if ctx.inv:
            return g * (1 - v * v), None
        return g * v.cos(), None
"""),
    "bool/shape/dtype/device attrs": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        ctx.dtype, ctx.device = x.dtype, x.device
        ctx.n = x.numel()
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return torch.full(ctx.shape, 2.0, dtype=ctx.dtype, device=ctx.device) * g / ctx.n
"""),
    "indexing saved_tensors": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.tanh()
        ctx.save_for_backward(x, y)
        return y * x
    @staticmethod
    def backward(ctx, g):
        return g * (ctx.saved_tensors[1] + ctx.saved_tensors[0] * (1 - ctx.saved_tensors[-1] ** 2))
"""),
    "saved_tensors as a list": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.tanh()
        ctx.save_for_backward(x, y)
        return y * x
    @staticmethod
    def backward(ctx, g):
        saved = ctx.saved_tensors
        x, y = saved
        return g * (y + x * (1 - saved[1] ** 2))
"""),
    "data of input": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.data)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 2 * x
"""),
    "backward writes ctx": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.n = 0
        return x * 2
    @staticmethod
    def backward(ctx, g):
        ctx.n += 1
        return g * 2 * ctx.n
"""),
    "random mask": ("f(x, 0.0)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x, p):
        mask = (torch.rand_like(x) >= p).float()
        ctx.save_for_backward(mask)
        return x * mask
    @staticmethod
    def backward(ctx, g):
        mask, = ctx.saved_tensors
        return g * mask, None
"""),
    "ctx used by name self": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(self, x):
        self.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(self, g):
        x, = self.saved_tensors
        return g * x.cos()
"""),
    "attribute named out": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        out = x.tanh()
        ctx.out = out
        return out
    @staticmethod
    def backward(ctx, g):
        return g * (1 - ctx.out ** 2)
"""),
    "nested def in backward": ("f(x, 2.0)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k
    @staticmethod
    def backward(ctx, g):
        def slope(v):
            return 2 * v * ctx.k
        x, = ctx.saved_tensors
        return g * slope(x), None
"""),
    "getattr on ctx": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.k = 2.0
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * getattr(ctx, "k", 1.0)
"""),
    "classmethods and helpers": ("f(x)", "bprop", """
def slope(g, x):
    return g * x.cos()
class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        return slope(g, *ctx.saved_tensors)
"""),
    "none saved": ("f(x, None)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x, bias):
        ctx.save_for_backward(x, bias)
        return x * x if bias is None else x * x + bias
    @staticmethod
    def backward(ctx, g):
        x, bias = ctx.saved_tensors
        return g * 2 * x, None if bias is None else g.sum(0)
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
