"""What may change between forward and backward is not read again in bprop, and names keep their meaning."""

import pytest

from tests.transforms.function_uses import check_everywhere

pytestmark = pytest.mark.mindspore

CASES = {
    "global changed between": ("f(x)", "Function", """
SCALE = 0.9
class G(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.k = SCALE * 1
        return x * SCALE
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k
class F:
    @staticmethod
    def apply(x):
        global SCALE
        SCALE += 0.01
        return G.apply(x)
"""),
    "object state changed between": ("f(x)", "Function", """
class Cfg:
    k = 0.9
    def next(self):
        self.k += 0.01
        return self.k
CFG = Cfg()
class F(Function):
    @staticmethod
    def forward(ctx, x):
        k = CFG.next()
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k
"""),
    "attribute of global": ("f(x)", "Function", """
class Cfg:
    k = 0.9
CFG = Cfg()
class G(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.k = CFG.k
        return x * CFG.k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k
class F:
    @staticmethod
    def apply(x):
        CFG.k += 0.01
        return G.apply(x)
"""),
    "method of an argument": ("f(x, CFG)", "Function", """
class Cfg:
    k = 0.9
    def next(self):
        self.k += 0.01
        return self.k
CFG = Cfg()
class F(Function):
    @staticmethod
    def forward(ctx, x, c):
        k = c.next()
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
"""),
    "attribute of an argument": ("f(x, CFG)", "Function", """
class Cfg:
    k = 0.9
CFG = Cfg()
class G(Function):
    @staticmethod
    def forward(ctx, x, c):
        ctx.k = c.k
        return x * c.k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
class F:
    @staticmethod
    def apply(x, c):
        c.k += 0.01
        return G.apply(x, c)
"""),
    "list argument changed": ("f(x, L)", "Function", """
L = [0.9]
class G(Function):
    @staticmethod
    def forward(ctx, x, c):
        ctx.k = c[0] * 1
        return x * ctx.k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
class F:
    @staticmethod
    def apply(x, c):
        c[0] += 0.01
        return G.apply(x, c)
"""),
    "list argument changed 2": ("f(x, L)", "Function", """
L = [0.9]
class G(Function):
    @staticmethod
    def forward(ctx, x, c):
        k = c[0]
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
class F:
    @staticmethod
    def apply(x, c):
        c[0] += 0.01
        return G.apply(x, c)
"""),
    "backward binds the attribute's name": ("f(x, 2.0)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        k = ctx.k + 1
        return g * ctx.k + 0 * k, None
"""),
    "input named as gradient": ("f(x, 2.0)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, g, k):
        ctx.k = k
        return g * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
"""),
    "global shadowed": ("f(x, 2.0)", "Function", """
k = 0.7
class F(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.kk = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.kk * k, None
"""),
    "unpack after binding": ("f(x)", "Function", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        s = x.cos()
        ctx.save_for_backward(s)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        x = g * 3
        s, = ctx.saved_tensors
        return x * s
"""),
    "backward reuses input name": ("f(x)", "bprop", """
class F(Function):
    @staticmethod
    def forward(ctx, x):
        s = x.cos()
        ctx.save_for_backward(s)
        return x.sin()
    @staticmethod
    def backward(ctx, g):
        s, = ctx.saved_tensors
        x = g * s
        return x
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_to_pytorch_in_every_use(name):
    check_everywhere(*CASES[name])
