"""Parameters and buffers made of views, to which `ops.assign` refuses to write."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check, convert

PARAMETERS = """
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
class P(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.arange(6.).view(3, 2))
        self.b = nn.Parameter(torch.arange(6.).reshape(3, 2).float().t(), requires_grad=False)
        self.c = nn.Parameter(torch.from_numpy(np.arange(6.)).float().unsqueeze(0))
        self.d = nn.Parameter(torch.flatten(torch.ones(2, 3)))
        w = torch.arange(6.)
        self.e = nn.Parameter(torch.arange(6.)[2:4].data)
        v = w.view(2, 3)
        self.f = nn.Parameter(torch.arange(6.).view(2,3)*2)
        self.g = nn.Parameter(torch.ones(3).expand(2, 3).clone())
        self.h = nn.Parameter(torch.transpose(torch.ones(2, 3), 0, 1))
    def forward(self, x):
        return sum((p * p).sum() for p in self.parameters()) * x
m = P()
with torch.no_grad():
    for p in m.parameters():
        p.mul_(2)
opt = torch.optim.Adam(m.parameters(), lr=.1)
loss = m(torch.ones(1)).sum()
loss.backward()
opt.step()
m.load_state_dict({k: v + 1 for k, v in m.state_dict().items()})
RESULT = [list(m.parameters()), loss]
"""

BUFFERS = """
import torch
import torch.nn as nn
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.arange(6.).view(2, 3))
        self.register_buffer("b", torch.zeros(2, 3))
        self.register_buffer("c", torch.tensor(1.5).reshape(()))
        self.register_buffer("d", torch.zeros(2, 3).t())
        self.lin = nn.Linear(3, 3)
        nn.init.constant_(self.lin.weight, .3); nn.init.constant_(self.lin.bias, .2)
    def forward(self, x):
        y = self.lin(x)
        self.a.data.copy_(y.detach() * 2)
        self.b[:] = y.detach()
        self.b.data.mul_(2)
        with torch.no_grad():
            self.b.add_(y.mean(0))
            self.c.copy_(y.sum())
            self.d.fill_(3)
            self.d.sub_(y.t())
        return y * self.a + self.b + self.c + self.d.t()
m = M()
x = torch.sin(torch.arange(6.)).view(2, 3)
out = []
opt = torch.optim.SGD(m.parameters(), lr=.1)
for _ in range(3):
    loss = m(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    out.append(loss.item())
m.eval()
RESULT = [out, m(x), m.a, m.b, m.c, m.d, m.lin.weight]
"""


@pytest.mark.mindspore
def test_a_parameter_of_a_view_trains_and_loads() -> None:
    check(PARAMETERS)


@pytest.mark.mindspore
def test_a_buffer_that_is_a_view_is_written_inside_a_gradient() -> None:
    text = check(BUFFERS).text
    assert "tensor.assign(self.a, " in text


@pytest.mark.parametrize(
    ("made", "copied"),
    [
        ("torch.zeros(2, 3)", False),
        ("torch.randn(2, 3) * 0.1", False),
        ("torch.empty(2, 3).normal_(0, 1)", False),
        ("torch.zeros(6).view(2, 3)", True),
        ("torch.zeros(6)[:3].float()", True),
        ("torch.transpose(torch.zeros(2, 3), 0, 1)", True),
    ],
)
def test_only_views_are_copied(made: str, copied: bool) -> None:
    text = convert(f"import torch\nfrom torch import nn\nw = nn.Parameter({made})\n").text
    assert ("Parameter(mint.clone(" in text) is copied


SHARED = """
import torch
from torch import nn
w = torch.arange(3.0)
p = nn.Parameter(w)
with torch.no_grad():
    p.mul_(2)
RESULT = [p, {read}]
"""


@pytest.mark.mindspore
def test_a_parameter_shares_its_values_with_a_tensor_that_is_read_later() -> None:
    with pytest.raises(Refused, match="w is read later"):
        check(SHARED.format(read="w"))
    check(SHARED.format(read="list(w.shape)"))
    check(SHARED.replace("p = nn.", "w = p = nn.").format(read="w"))


TABLE = """
import torch
from torch import nn
w = torch.arange(6.0).view(3, 2)
e = nn.{kind}.from_pretrained({arguments})
with torch.no_grad():
    e.weight.mul_({factor})
RESULT = [e.weight, {read}]
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("kind", ["Embedding", "EmbeddingBag"])
@pytest.mark.parametrize("arguments", ["w, freeze=False", "freeze=FLAG, embeddings=w", "w[:2], False"])
def test_an_embedding_shares_its_table_with_a_tensor_that_is_read_later(kind: str, arguments: str) -> None:
    text = TABLE.replace("w = torch", "FLAG = False\nw = torch")
    with pytest.raises(Refused, match="w is read later"):
        check(text.format(kind=kind, arguments=arguments, factor=2, read="w"))
    check(text.format(kind=kind, arguments=arguments, factor=2, read="list(w.shape)"))
    check(TABLE.format(kind=kind, arguments="w", factor=1, read="w"))


TIED = """
import torch
from torch import nn

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(3, 2, bias=False)
        self.dec = nn.Linear(2, 3, bias=False)
        self.dec.weight = nn.Parameter(self.enc.weight{view})
"""


@pytest.mark.parametrize("view", ["", ".t()", ".data", ".detach().t()", "[:1]"])
def test_parameters_that_share_are_refused(view: str) -> None:
    with pytest.raises(Refused, match="self.enc.weight lives on"):
        convert(TIED.format(view=view))


@pytest.mark.parametrize("freeze", ["", ", freeze=True"])
def test_an_embedding_of_anothers_weight_is_refused(freeze: str) -> None:
    with pytest.raises(Refused, match="self.enc.weight lives on"):
        made = f"nn.Embedding.from_pretrained(self.enc.weight{freeze})"
        convert(TIED.format(view="").replace("nn.Parameter(self.enc.weight)", made))


@pytest.mark.parametrize("view", [".t().clone()", ".data.clone()", " * 2", ".sum(0)"])
def test_parameters_that_copy_are_not(view: str) -> None:
    convert(TIED.format(view=view))
