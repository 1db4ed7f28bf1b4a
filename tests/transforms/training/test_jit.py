"""`--jit` compiles the function to differentiate, and says where it cannot."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from tests.transforms.training.stepped import convert
from torch2ms.analysis.facts import Options
from torch2ms.convert import convert_source


def test_the_function_alone_is_decorated() -> None:
    result = convert(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches):
            for x, y in batches:
                out = model(x)
                loss = nn.functional.mse_loss(out, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                print(out.shape)
        """,
        jit=True,
    )
    assert "    @mindspore.jit\n    def forward_fn(x, y):" in result.text
    assert result.text.count("@mindspore.jit") == 1


def test_host_code_is_not_compiled() -> None:
    result = convert(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches, seen):
            for x, y in batches:
                out = model(x)
                loss = nn.functional.mse_loss(out, y) / out.mean().item()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """,
        jit=True,
    )
    assert "mindspore.jit" not in result.text
    assert [d.message for d in result.diagnostics if d.code == "T2M206"] == [
        "the forward function is not compiled: out.mean().item runs in Python"
    ]


def test_without_the_option_nothing_is_compiled_or_said() -> None:
    result = convert("""
        def train(model: nn.Linear, optimizer: torch.optim.SGD, x):
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        """)
    assert "jit" not in result.text
    assert not [d for d in result.diagnostics if d.code == "T2M206"]


TRANSPOSED = """
import torch
from torch import nn

layer = nn.Linear(3, 2)
nn.init.constant_(layer.weight, 0.5)
nn.init.zeros_(layer.bias)
x = torch.arange(6.0).view(2, 3)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
found = []
for _ in range(2):
    gram = layer(x).transpose(0, 1) @ x
    loss = (gram[0] * x.transpose(-2, -1)[1:2].sum()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    found.append(loss.item())
RESULT = [found, layer.weight]
"""


@pytest.mark.mindspore
def test_a_transposed_matrix_is_compiled_as_one() -> None:
    text = check(TRANSPOSED, jit=True).text
    assert "@mindspore.jit" in text
    assert "mint.transpose(layer(x), 0, 1)" in text


WEIGHTS = """
import torch
import torch.nn as nn
def settle(net):
    for p in net.parameters():
        p.data.copy_(torch.sin(torch.arange(float(p.numel())) + 1).view(p.shape))
    return net
x = torch.cos(torch.arange(12.)).view(4, 3)
def train(net):
    opt, out = torch.optim.SGD(net.parameters(), lr=.1), []
    for _ in range(3):
        loss = net(x).pow(2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        out.append(loss.item())
    return [out, [p.detach() for p in net.parameters()]]
"""

OBJECTS = """
import collections, dataclasses, types, typing
{defined}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 4), nn.Linear(4, 2)
    def forward(self, x):
        h = torch.tanh(self.one(x))
        out = {made}
        return self.two(out.{read})
RESULT = train(settle(Net()))
"""

# what a compiled forward would silently leave out, or cut the gradient of
STATEFUL = {
    "attribute": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.kept = nn.Linear(3, 4), nn.Linear(4, 2), None
    def look(self, x): self.kept = torch.tanh(self.one(x))
    def forward(self, x):
        self.look(x)
        return self.two(self.kept)
RESULT = train(settle(Net()))
""",
    "another's attribute": """
class Held: pass
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(3, 4), nn.Linear(4, 2)
    def forward(self, x):
        held = Held()
        held.inner = self.one(x)
        return self.two(held.inner)
RESULT = train(settle(Net()))
""",
    **{
        kind: OBJECTS.format(defined=defined, made=made, read=read)
        for kind, defined, made, read in (
            ("data class", "@dataclasses.dataclass\nclass Out:\n    a: object\n    b: object", "Out(h, x)", "a"),
            ("named tuple", "Out = collections.namedtuple('Out', 'a b')", "Out(h, x)", "a"),
            ("NamedTuple", "class Out(typing.NamedTuple):\n    a: object\n    b: object", "Out(b=x, a=h)", "a"),
            ("dictionary", "class Out(dict):\n    __getattr__ = dict.__getitem__", "Out(a=h)", "a"),
            ("namespace", "Out = None", "types.SimpleNamespace(a=h)", "a"),
            ("plain", "class Out:\n    def __init__(self, a): self.a = a", "Out(h)", "a"),
            ("distribution", "Out = None", "torch.distributions.Normal(h, 1.0)", "mean"),
            ("made by a function", "class Out:\n    def __init__(self, a): self.a = a\ndef wrap(h): return Out(h)", "wrap(h)", "a"),
        )
    },
    "hook": """
net, seen = settle(nn.Linear(3, 2)), []
net.register_forward_hook(lambda module, given, made: made * 2)
RESULT = train(net)
""",
    "norm": """
net = nn.utils.spectral_norm(nn.Linear(3, 2))
settle(net)
net.weight_u.copy_(torch.tensor([.6, .8])); net.weight_v.copy_(torch.tensor([1., 0., 0.]))
RESULT = train(net)
""",
}


@pytest.mark.mindspore
@pytest.mark.parametrize("program", STATEFUL.values(), ids=STATEFUL)
def test_layers_with_a_state_are_not_compiled(program: str) -> None:
    result = check(WEIGHTS + program, jit=True)
    assert "jit" not in result.text and any(d.code == "T2M206" for d in result.diagnostics)


MODELS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torchvision.models.{model}
    def forward(self, x):
        kept = []
        for layer in {layers}:
            x = layer(x)
            kept.append(x)
        return kept[0].sum() + x.sum()
def train(net: Net, opt: torch.optim.SGD, x):
    loss = net(x)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize(
    ("model", "layers", "compiled"),
    [
        ("vgg16()", "[self.net]", True),
        ("vgg16()", "self.net.features", False),
        ("vgg16().features", "self.net", False),
        ("alexnet()", "self.net.features.children()", False),
        ("resnet18()", "(self.net.conv1, self.net.bn1, self.net.relu)", False),
        ("resnet18()", "list(self.net.children())[:3]", False),
        ("resnet18()", "[self.net.fc]", True),
    ],
)
def test_walks_over_layers_that_work_in_place_are_not_compiled(model: str, layers: str, compiled: bool) -> None:
    source = "import torch, torchvision\nfrom torch import nn\n" + MODELS.format(model=model, layers=layers)
    result = convert_source(source, path="program.py", options=Options(jit=True))
    assert ("@mindspore.jit" in result.text) is compiled
