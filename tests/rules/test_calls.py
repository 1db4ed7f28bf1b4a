"""Arguments: what stays as written, what is renamed, moved, dropped, and what is refused."""

from __future__ import annotations

import pytest

from torch2ms.edits import Provenance

from .ruled import line, ruled

SAME = """
r = x.view(n, -1)
r = x.reshape(x.shape[0], 3)
r = x.permute(0, 2, 1)
r = x.sum(dim=1, keepdim=True)
r = x.mean(-1)
r = x.transpose(1, 2).contiguous()
r = x.unsqueeze(0).expand(n, -1)
r = x[0].item()
r = x.abs().exp()
r = u.foo(x)
r = x.argmax(dim=1)
r = (x @ y).t()
r = x.max()
a, b = x.max(1)
a = x.max(1)[0]
r = x.masked_fill(x > 0, 0.0)
r = x.numpy()
r = x.float()
""".strip().splitlines()


@pytest.mark.parametrize("text", SAME)
def test_methods_that_agree_stay_as_written(text: str) -> None:
    assert line(text) == text


CALLS = [
    # the callee alone
    ("r = torch.exp(x)", "r = mint.exp(x)"),
    ("r = torch.cat([x, y], dim=1)", "r = mint.cat([x, y], dim=1)"),
    ("r = torch.cat(tensors=[x, y], dim=1)", "r = mint.cat(tensors=[x, y], dim=1)"),
    ("r = F.cross_entropy(x, i, weight=y)", "r = F.cross_entropy(x, i, weight=y)"),
    ("r = torch.relu(x)", "r = F.relu(x)"),
    ("r = torch.from_numpy(v)", "r = mindspore.from_numpy(v)"),
    ("r = torch.tensor([1.0])", "r = mindspore.tensor([1.0])"),
    # NumPy's spellings
    ("r = torch.cat((x, y), axis=1)", "r = mint.cat((x, y), dim=1)"),
    ("r = torch.sum(x, axis=1, keepdims=True)", "r = mint.sum(x, dim=1, keepdim=True)"),
    ("r = x.sum(axis=1)", "r = x.sum(dim=1)"),
    ("r = torch.add(x1=x, x2=y)", "r = mint.add(input=x, other=y)"),
    # sizes
    ("r = torch.zeros(2, 3)", "r = mint.zeros((2, 3))"),
    ("r = torch.zeros(3)", "r = mint.zeros(3)"),
    ("r = torch.zeros((2, 3))", "r = mint.zeros((2, 3))"),
    ("r = torch.zeros([2, n])", "r = mint.zeros([2, n])"),
    ("r = torch.zeros(size=(2, 3))", "r = mint.zeros(size=(2, 3))"),
    ("r = torch.zeros(2, n, dtype=torch.long)", "r = mint.zeros((2, n), dtype=mindspore.int64)"),
    ("r = torch.zeros(*x.shape)", "r = mint.zeros(x.shape)"),
    ("r = torch.zeros(*v)", "r = mint.zeros((*v,))"),
    ("r = torch.ones(2, *v)", "r = mint.ones((2, *v))"),
    ("r = torch.randn(16, 6)", "r = mint.randn(16, 6)"),
    ("r = torch.randn(*v)", "r = mint.randn(*v)"),
    ("r = torch.randn(size=(2, 3))", "r = mint.randn((2, 3))"),
    ("r = torch.rand(2, generator=u)", "r = mint.rand(2, generator=u)"),
    ("r = x.new_zeros(2, 3)", "r = x.new_zeros((2, 3))"),
    ("r = x.repeat(1, 2)", "r = mint.tile(x, (1, 2))"),
    ("r = x.repeat(2)", "r = mint.tile(x, (2,))"),
    ("r = x.repeat(n)", "r = mint.tile(x, (n,))"),
    ("r = x.repeat((2, 1))", "r = mint.tile(x, (2, 1))"),
    ("r = x.flip(0)", "r = mint.flip(x, (0,))"),
    ("r = x.flip(0, 1)", "r = mint.flip(x, (0, 1))"),
    ("r = x.flip(dims=[0])", "r = mint.flip(x, dims=[0])"),
    ("r = x.view(size=(2, 3))", "r = x.view((2, 3))"),
    ("r = x.squeeze(dim=0)", "r = x.squeeze(0)"),
    ("r = torch.isnan(input=x)", "r = mint.isnan(tensor=x)"),
    # placement goes
    ("r = torch.zeros(3, device=u)", "r = mint.zeros(3)"),
    ("r = torch.zeros(3, device='cuda', dtype=torch.float, requires_grad=False)", "r = mint.zeros(3, dtype=mindspore.float32)"),
    ("r = torch.randn(2, 3, device=x.device)", "r = mint.randn(2, 3)"),
    ("r = torch.empty(2, pin_memory=True)", "r = mint.empty(2)"),
    ("r = nn.Conv2d(1, 2, 3, device='cuda')", "r = mint.nn.Conv2d(1, 2, 3)"),
    # PyTorch's defaults go, other values do not
    ("r = torch.softmax(x, 1, dtype=None)", "r = mint.softmax(x, 1, dtype=None)"),
    ("r = torch.gather(x, 1, i, sparse_grad=False)", "r = mint.gather(x, 1, i)"),
    ("r = nn.ReLU(inplace=True)", "r = mint.nn.ReLU()"),
    ("r = nn.LeakyReLU(0.2, True)", "r = nn.LeakyReLU(0.2)"),
    ("r = nn.Dropout(p=0.3, inplace=False)", "r = mint.nn.Dropout(p=0.3)"),
    ("r = torch.zeros(3, layout=torch.strided)", "r = mint.zeros(3)"),
    # deprecated positional orders
    ("r = torch.addmm(1, x, 2, y, y)", "r = mint.addmm(x, y, y, beta=1, alpha=2)"),
    ("r = torch.addmm(0.5, x, y, y)", "r = mint.addmm(x, y, y, beta=0.5)"),
    ("r = torch.add(x, 2, y)", "r = mint.add(x, y, alpha=2)"),
    ("r = torch.addcmul(x, 0.1, y, y)", "r = mint.addcmul(x, y, y, value=0.1)"),
    ("r = x.add(2, y)", "r = x.add(y, alpha=2)"),
    # deprecated reductions
    ("r = nn.MSELoss(size_average=False)", 'r = mint.nn.MSELoss(reduction="sum")'),
    ("r = nn.CrossEntropyLoss(y, True)", 'r = mint.nn.CrossEntropyLoss(y, reduction="mean")'),
    ("r = F.mse_loss(x, y, reduce=False)", 'r = F.mse_loss(x, y, reduction="none")'),
    ("r = nn.CrossEntropyLoss(y, None, -100)", "r = mint.nn.CrossEntropyLoss(y, ignore_index=-100)"),
    # arguments that only exist as a bundle
    ("r = torch.cat(*args)", "r = mint.cat(*args)"),
    ("r = torch.full((2,), 1.0, **kwargs)", "r = mint.full((2,), 1.0, **kwargs)"),
    ("r = nn.Linear(3, 4, **kwargs)", "r = mint.nn.Linear(3, 4, **kwargs)"),
    # leaves that want a gradient
    ("w = torch.zeros(3, requires_grad=True)", 'w = Parameter(mint.zeros(3), name="w")'),
    ("r = [torch.rand(2, 3, requires_grad=True)]", "r = [Parameter(mint.rand(2, 3))]"),
    ("r = torch.zeros(3, requires_grad=u)", 'r = Parameter(mint.zeros(3), requires_grad=u, name="r")'),
    # functions called from the class
    ("r = torch.Tensor.add(x, y)", "r = x.add(y)"),
    ("r = torch.Tensor.clone(x)", "r = mint.clone(x)"),
]


@pytest.mark.parametrize(("before", "after"), CALLS)
def test_call(before: str, after: str) -> None:
    assert line(before) == after


REFUSED = [
    ("r = torch.zeros(3, layout=torch.sparse_coo)", "T2M102"),
    ("r = torch.empty(3, device='meta')", "T2M102"),
    ("r = nn.MSELoss(size_average=u)", "T2M102"),
    ("r = torch.std(x, 1, u)", "T2M102"),
    ("r = torch.cat(x, y, u, v)", "T2M102"),
    ("r = torch.exp(x, flavour=1)", "T2M102"),
    ("r = torch.normal(0.0, 1.0, (2,), dtype=torch.float64)", "T2M102"),
    ("r = nn.CrossEntropyLoss(*args)", "T2M102"),
    ("r = torch.no_such_function(x)", "T2M104"),
    ("r = torch.fx.symbolic_trace(m)", "T2M101"),
    ("r = x.resize(3)", "T2M101"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_refused_with_the_source_and_advice(text: str, code: str) -> None:
    shown = line(text)
    assert code in shown.rpartition("  # ")[2]
    source = text.partition(" = ")[2]
    assert shown.startswith("r = unsupported(\"torch.") and repr(source)[1:-1] in shown.replace('"', "'").replace("\\'", "'")


VALUES = [
    ("r = map(torch.exp, v)", "r = map(mint.exp, v)"),
    ("r = dict(act=F.relu, norm=nn.BatchNorm2d)", "r = dict(act=F.relu, norm=mint.nn.BatchNorm2d)"),
    ("r = functools.partial(nn.LayerNorm, eps=1e-6)", "r = functools.partial(mint.nn.LayerNorm, eps=1e-6)"),
    ("r = isinstance(m, (nn.Conv2d, nn.Linear))", "r = isinstance(m, (mint.nn.Conv2d, mint.nn.Linear))"),
    ("r = isinstance(u, torch.Tensor)", "r = isinstance(u, mindspore.Tensor)"),
    ("r = isinstance(m, nn.Module)", "r = isinstance(m, nn.Cell)"),
    ("r = x.dtype == torch.long", "r = x.dtype == mindspore.int64"),
    ("r = torch.is_tensor(u)", "r = isinstance(u, mindspore.Tensor)"),
    ("r = x.view", "r = x.view"),
    ("r = torch.Tensor.add", "r = mindspore.Tensor.add"),
]


@pytest.mark.parametrize(("before", "after"), VALUES)
def test_value(before: str, after: str) -> None:
    assert line(before) == after


def test_a_value_whose_call_would_need_other_arguments_is_refused() -> None:
    assert line("r = map(torch.std, v)").endswith("# T2M102")
    assert line("r = x.clone").endswith("# T2M102")


@pytest.mark.parametrize("text", ["r = torch.add(x, y, out=x)", "x.add_(y)", "torch.relu_(x)", "F.relu_(x)", "F.relu(x, inplace=True)"])
def test_writes_that_no_transform_claims(text: str) -> None:
    outcome = ruled(text)
    assert outcome.provenance is Provenance.REFUSED and [d.code for d in outcome.diagnostics] == ["T2M301"]


def test_a_backward_that_no_transform_claims() -> None:
    assert [d.code for d in ruled("x.backward()").diagnostics] == ["T2M201"]


@pytest.mark.parametrize("text", ["x.sum(1)", "m.state_dict()", "p.view(-1)"])
def test_no_edit_where_nothing_has_to_change(text: str) -> None:
    assert ruled(text).edits == ()


def test_a_default_that_differs_is_written() -> None:
    assert line("r = torch.linalg.cross(x, y)") == "r = mint.cross(x, y, dim=-1)"
    assert line("r = torch.linalg.cross(x, y, dim=0)") == "r = mint.cross(x, y, dim=0)"
    assert line("r = torch.linalg.diagonal(x, offset=1)") == "r = ops.diagonal(x, offset=1, dim1=-2, dim2=-1)"
