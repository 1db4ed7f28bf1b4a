"""A Function that one file defines and another one applies."""

import ast

import pytest

from tests.side_by_side import assert_equal, execute, plain
from tests.transforms.function_uses import USES, program, run
from torch2ms.analysis.facts import project_facts
from torch2ms.convert import convert_source

pytestmark = pytest.mark.mindspore


OPS = """
import torch

class Sin(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * x.cos()

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2
"""

USER = """
import operations
from operations import Double, Sin
from torch import nn

TABLE = {"sin": Sin, "double": Double}

class F(nn.Module):
    @staticmethod
    def apply(x):
        y = Sin.apply(x) + operations.Double.apply(x)
        return 0.1 * (y + TABLE["sin"].apply(x) + TABLE["double"].apply(Double.apply(x)))
"""


@pytest.mark.parametrize("use", USES)
def test_a_function_of_another_file(use):
    user = program(USER, "f(x)", use)
    files = {"operations": OPS, "user": user}
    project = project_facts({name: (f"{name}.py", ast.parse(text)) for name, text in files.items()})
    found = {}
    for name, text in files.items():
        found[name] = convert_source(text, path=f"{name}.py", project=project).text
    execute(OPS, "operations")
    expected = plain(execute(user, "user")["RESULT"])
    assert "class Sin(nn.Cell)" in found["operations"] and "class Double(Function)" in found["operations"]
    execute(found["operations"], "operations")
    assert_equal(expected, run(found["user"]))


SWISH = """
import torch

class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(x)
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * (s + x * s * (1 - s))
"""

PENALTY = """
import torch

def penalty(y, x):
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return (g ** 2).sum()
"""


@pytest.mark.parametrize(("other", "base"), [(PENALTY, "Function"), (PENALTY.replace(", create_graph=True", ""), "nn.Cell")])
def test_a_second_gradient_in_another_file_keeps_what_forward_saved_constant(other, base):
    files = {"swish": SWISH, "penalty": other}
    project = project_facts({name: (f"{name}.py", ast.parse(text)) for name, text in files.items()})
    assert f"class Swish({base})" in convert_source(SWISH, path="swish.py", project=project).text
