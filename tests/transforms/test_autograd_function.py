"""autograd.Function becomes Cell.bprop: the text, and the numbers beside PyTorch."""

import pytest

from tests.side_by_side import check
from torch2ms.convert import convert_source

pytestmark = pytest.mark.mindspore

HEAD = """
import numpy as np
import torch
from torch import nn

def tensor(*shape, seed=0):
    return torch.tensor(np.random.RandomState(seed).randn(*shape).astype("float32"))

"""

# the Function F is used plainly, twice with one instance, inside a module and in a training step
TAIL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.f = F.apply

    def forward(self, x):
        h = self.f(self.fc(x)ARGS)
        return self.f(hARGS).sum() + F.apply(xARGS).mean()

net = Net()
net.load_state_dict({"fc.weight": tensor(4, 4, seed=1), "fc.bias": tensor(4, seed=2)})
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
RESULT = [F.apply(tensor(3, 4)ARGS)]
for step in range(5):
    x = tensor(3, 4, seed=step + 3)
    optimizer.zero_grad()
    loss = net(x)
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
RESULT.append(net.fc.weight.detach().numpy())
"""

FUNCTIONS = {
    "saved input": ("", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        grad_input = grad_output * (x > 0).float()
        return grad_input
"""),
    "saved output": ("", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = torch.tanh(i)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * (1 - result * result)
"""),
    "saved intermediate": (", 1.5", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta=1.0):
        s = torch.sigmoid(beta * x)
        t = s * 2
        ctx.save_for_backward(x, t)
        ctx.beta = beta
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, twice = ctx.saved_tensors
        s = twice / 2
        return g * (s + ctx.beta * x * s * (1 - s)), None
"""),
    "saved expression": ("", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.sign(), x)
        ctx.shape = x.shape
        ctx.scale = 3.0
        return x.abs()

    @staticmethod
    def backward(ctx, g):
        sign, x = ctx.saved_tensors
        return g.expand(ctx.shape) * sign * ctx.scale / 3 + 0 * x
"""),
    "straight through": (", 8", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, g):
        return g, None
"""),
    "gradient reversal": (", 0.3", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        output = grad_output.neg() * ctx.alpha
        return output, None
"""),
    "needs_input_grad": (", torch.ones(4)", """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, bias=None):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = gw = gb = None
        if ctx.needs_input_grad[0]:
            gx = g * w
        if ctx.needs_input_grad[1]:
            gw = (g * x).sum(0)
        if bias_is_used and ctx.needs_input_grad[2]:
            gb = g.sum(0)
        return gx, gw, gb

bias_is_used = False
"""),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_becomes_bprop_and_trains_like_pytorch(name):
    arguments, function = FUNCTIONS[name]
    result = check(HEAD + function + TAIL.replace("ARGS", arguments))
    assert "def bprop(self, " in result.text
    assert "ctx" not in result.text


def test_several_outputs_and_gradients():
    result = check(HEAD + '''
class F(torch.autograd.Function):
    """Splits rows into directions and lengths."""
    @staticmethod
    def forward(ctx, x, scale, eps=1e-6):
        norm = torch.sqrt((x * x).sum(dim=1, keepdim=True) + eps)
        unit = x / norm
        ctx.save_for_backward(unit, norm, scale)
        return unit * scale, norm

    @staticmethod
    def backward(ctx, grad_unit, grad_norm):
        unit, norm, scale = ctx.saved_tensors
        g = grad_unit * scale
        radial = (g * unit).sum(dim=1, keepdim=True)
        return (g - unit * radial) / norm + grad_norm * unit, (grad_unit * unit).sum(dim=0), None

fc = nn.Linear(4, 4)
fc.load_state_dict({"weight": tensor(4, 4, seed=1), "bias": tensor(4, seed=2)})
optimizer = torch.optim.SGD(fc.parameters(), lr=0.05)
RESULT = []
for step in range(5):
    optimizer.zero_grad()
    unit, norm = F.apply(fc(tensor(3, 4, seed=step)), fc.bias)
    loss = (unit ** 3).sum() + norm.sum()
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
RESULT.append(fc.weight.detach().numpy())
''')
    assert "def bprop(self, x, scale, eps, out, dout):" in result.text


LOOKALIKES = """
class Function:
    @staticmethod
    def forward(ctx, x):
        return x

class F(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x

y = F.apply(1)
z = frame.apply(len)
"""


def test_a_class_that_only_looks_like_one_stays():
    text = "import torch\n" + LOOKALIKES
    assert LOOKALIKES.strip() in convert_source(text).text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("ctx.save_for_backward(torch.rand_like(x))\n        return x", "may give another value"),
        ("ctx.mark_dirty(x)\n        return x", "ctx.mark_dirty"),
        ("helper(ctx, x)\n        return x", "only a live context allows"),
        ("x = x + 1\n        ctx.save_for_backward(x)\n        return x * 2", "changed before it is saved"),
    ],
)
def test_what_bprop_cannot_express_goes_on_as_a_function_with_the_reason(body, reason):
    text = f"""import torch

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {body}

    @staticmethod
    def backward(ctx, g):
        (m,) = ctx.saved_tensors
        return g * m
"""
    result = convert_source(text)
    (said,) = [d for d in result.diagnostics if d.code == "T2M204"]
    assert reason in said.message
    assert "class F(Function):" in result.text
