"""What a row cannot say: sizes, moves between devices, legacy constructors, names looked up by text, switches."""

from __future__ import annotations

import pytest

from .ruled import line

CASES = [
    ("torch.cuda.set_device(args.gpu)", "device.set_device(args.gpu)"),
    ("torch.cuda.synchronize(d)", "device.synchronize(d)"),
    ("torch.cuda.synchronize()", "device.synchronize()"),
    ("r = torch.cuda.memory_allocated(d)", "r = device.memory_allocated(d)"),
    # size
    ("r = x.size(0)", "r = x.shape[0]"),
    ("r = x.size(dim=-1)", "r = x.shape[-1]"),
    ("r = x.size()", "r = x.shape"),
    ("r = y.view(*x.size())", "r = y.view(*x.shape)"),
    ("r = v.size", "r = v.size"),
    # max, min
    ("r = x.max(1).values", "r = mint.max(x, 1)[0]"),
    ("r = x.max(dim=1, keepdim=True).indices", "r = mint.max(x, dim=1, keepdim=True)[1]"),
    ("r = x.max(y)", "r = mint.maximum(x, y)"),
    ("r = x.min(-1, keepdim=True)[0]", "r = x.min(-1, keepdim=True)[0]"),
    ("r = torch.max(x, y)", "r = mint.max(x, y)"),
    ("r = x.clamp_min(0), x.clamp_max(y)", "r = mint.clamp(x, min=0), mint.minimum(x, y)"),
    ("r = x.argmax(), x.argmax(1), x.argmax(dim=1)", "r = mint.argmax(x), x.argmax(1), x.argmax(dim=1)"),
    # spread
    ("r = x.std(0)", "r = mint.std(x, 0)"),
    ("r = x.std()", "r = mint.std(x)"),
    ("r = x.var(dim=0, unbiased=False)", "r = mint.var(x, dim=0, correction=0)"),
    ("r = x.std(False)", "r = mint.std(x, correction=0)"),
    ("r = torch.std(x, 1, True, True)", "r = mint.std(x, 1, keepdim=True)"),
    ("r = torch.var(x, 1, unbiased=True)", "r = mint.var(x, 1)"),
    ("r = torch.std(x, dim=1, correction=0)", "r = mint.std(x, dim=1, correction=0)"),
    ("r = x.long().exp(), x.exp()", "r = mint.exp(ops.stop_gradient(x).long()), x.exp()"),
    ("r = x.squeeze(0), x.squeeze((0, 1)), x.squeeze()", "r = x.squeeze(0), mint.squeeze(x, (0, 1)), x.squeeze()"),
    ("r = torch.squeeze(x), torch.squeeze(x, 1)", "r = x.squeeze(), mint.squeeze(x, 1)"),
    # moves
    ("r = x.cuda()", "r = x"),
    ("r = x.detach().cpu().numpy()", "r = ops.stop_gradient(x).numpy()"),
    ("r = x.to('cuda')", "r = x"),
    ("r = x.to(u.device)", "r = x"),
    ("r = x.to(torch.float16)", "r = x.to(mindspore.float16)"),
    ("r = x.to('cuda', torch.float16)", "r = x.to(mindspore.float16)"),
    ("r = x.to(y)", "r = x.to(y)"),
    ("r = x.to(device='cuda', dtype=torch.long, non_blocking=True)", "r = x.to(dtype=mindspore.int64)"),
    ("r = x.to(dtype=y.dtype)", "r = x.to(dtype=y.dtype)"),
    ("r = x.to(u)", "r = tensor.to(x, u)  # T2M103"),
    ("r = x.to('cuda', copy=True)", "r = mint.clone(x)"),
    ("m.cuda()", "pass"),
    ("m.to('cuda')\nm.eval()", "m.set_train(False)"),
    ("r = x.type(torch.LongTensor)", "r = x.type(mindspore.int64)"),
    ("r = x.type('torch.FloatTensor')", "r = x.type(mindspore.float32)"),
    ("r = x.type(y.type())", "r = x.type(y.dtype)"),
    ("r = x.type_as(y)", "r = x.type_as(y)"),
    # legacy constructors
    ("r = torch.FloatTensor(2, 3)", "r = mint.empty((2, 3), dtype=mindspore.float32)"),
    ("r = torch.LongTensor([1, 2])", "r = mindspore.tensor([1, 2], dtype=mindspore.int64)"),
    ("r = torch.Tensor(np.ones(3))", "r = mindspore.tensor(np.ones(3), dtype=mindspore.float32)"),
    ("r = torch.Tensor(3)", "r = mint.empty(3, dtype=mindspore.float32)"),
    ("r = torch.cuda.FloatTensor(u)", "r = tensor.FloatTensor(u)"),
    ("r = torch.FloatTensor if n else torch.cuda.FloatTensor", "r = tensor.FloatTensor if n else tensor.FloatTensor"),
    ("r = torch.cuda.FloatTensor if n else torch.Tensor", "r = tensor.FloatTensor if n else tensor.AnyTensor"),
    ("r = list(map(torch.Tensor, u))", "r = list(map(tensor.AnyTensor, u))"),
    ("r = x.type(torch.Tensor)", "r = x.type(mindspore.float32)"),
    ("r = isinstance(u, (torch.Tensor, list)), type(u) == torch.Tensor", "r = isinstance(u, (mindspore.Tensor, list)), type(u) == mindspore.Tensor"),
    ("r = (torch.Tensor, float)", "r = (mindspore.Tensor, float)"),
    ("r = list[torch.Tensor] | None", "r = list[mindspore.Tensor] | None"),
    ("r = {'a': torch.Tensor}, {torch.Tensor: 'a'}", "r = {'a': tensor.AnyTensor}, {mindspore.Tensor: 'a'}"),
    ("r = torch.autograd.Variable(x)", "r = ops.stop_gradient(x)"),
    ("r = torch.autograd.Variable(x.data), torch.autograd.Variable(torch.ones(2))", "r = ops.stop_gradient(x), mint.ones(2)"),
    ("r = torch.autograd.Variable(torch.FloatTensor(u)), torch.autograd.Variable(torch.Tensor(np.ones(2)))", "r = ops.stop_gradient(tensor.FloatTensor(u)), mindspore.tensor(np.ones(2), dtype=mindspore.float32)"),
    ("r = list(map(torch.autograd.Variable, u))", "r = list(map(ops.stop_gradient, u))"),
    ("r = isinstance(u, torch.autograd.Variable)", "r = isinstance(u, mindspore.Tensor)"),
    ("r = torch.autograd.Variable(x, requires_grad=True)", "r = Parameter(x)"),
    ("r = torch.autograd.Variable(x, volatile=True)", "r = ops.stop_gradient(x)"),
    ("r = x.new(2, 3)", "r = mint.empty((2, 3), dtype=x.dtype)"),
    ("r = x.new_full((2,), 1)", "r = mint.full((2,), 1, dtype=x.dtype)"),
    ("r = x.new_tensor([1])", "r = mindspore.tensor([1], dtype=x.dtype)"),
    # data
    ("r = x.data.numpy()", "r = ops.stop_gradient(x).numpy()"),
    ("p.data[0] = 1", "p.data[0] = 1"),
    ("r = u.data", "r = u.data"),
    # the text of a data type
    ("r = str(x.dtype).split('.')[-1], x.dtype", "r = (\"torch.\" + str(x.dtype).lower()).split('.')[-1], x.dtype"),
    ("r = str(u.dtype)", "r = tensor.dtype_text(u.dtype)"),
    # as_tensor
    ("r = torch.is_tensor(u), filter(torch.is_tensor, u)", "r = isinstance(u, mindspore.Tensor), filter(lambda obj: isinstance(obj, mindspore.Tensor), u)"),
    ("r = x.abs(), x.absolute()", "r = x.abs(), x.absolute()"),
    ("r = x.abs(), x.is_complex()", "r = mint.abs(x), x.is_complex()"),
    ("r = torch.as_tensor(x)", "r = x"),
    ("r = torch.as_tensor(x, dtype=torch.float16)", "r = x.to(mindspore.float16)"),
    ("r = torch.as_tensor(np.ones(3))", "r = mindspore.from_numpy(np.ones(3))"),
    ("r = torch.asarray(np.ones(3)), torch.asarray(x)", "r = mindspore.from_numpy(np.ones(3)), x"),
    ("r = torch.as_tensor(u), torch.as_tensor(u, dtype=torch.int64)", "r = tensor.as_tensor(u), tensor.as_tensor(u, dtype=mindspore.int64)"),
    ("r = torch.scalar_tensor(3)", "r = mindspore.tensor(3, dtype=mindspore.float32)"),
    ("r = torch.tensor(range(3))", "r = mindspore.tensor(list(range(3)))"),
    ("i = range(u)\nr = torch.LongTensor(i), torch.as_tensor(i)", "i = range(u)\nr = mindspore.tensor(list(i), dtype=mindspore.int64), mindspore.tensor(list(i))"),
    ("r = torch.LongTensor(range(4))", "r = mindspore.tensor(list(range(4)), dtype=mindspore.int64)"),
    ("r = torch.tensor([np.mean(u), 2])", "r = tensor.from_data([np.mean(u), 2])"),
    ("r = torch.tensor([float(v) for v in u])", "r = mindspore.tensor([float(v) for v in u])"),
    ("r = torch.tensor(u, dtype=torch.float32)", "r = mindspore.tensor(u, dtype=mindspore.float32)"),
    ("r = torch.as_tensor([1, 2], device=u)", "r = mindspore.tensor([1, 2])"),
    # scatter
    ("r = x.scatter(1, i, y)", "r = mint.scatter(x, 1, i, y)"),
    ("r = x.scatter(1, i, value=1.0)", "r = mint.scatter(x, 1, i, src=1.0)"),
    ("r = torch.bernoulli(x, 0.3)", "r = mint.bernoulli(mint.full_like(x, 0.3))"),
    # modules
    ("m.eval()", "m.set_train(False)"),
    ("m.train()", "m.set_train()"),
    ("m.train(mode=u)", "m.set_train(mode=u)"),
    ("r = list(m.parameters())", "r = list(nn.parameters(m))"),
    ("r = m.half()", "r = m.to(mindspore.float16)"),
    ("r = m.state_dict()", "r = m.state_dict()"),
    ("m.requires_grad_(False)", "for param in nn.parameters(m):\n    param.requires_grad = False"),
    ("p.requires_grad_(False)", "p.requires_grad = False"),
    ("u.requires_grad_(False)", "tensor.requires_grad_(u, False)  # T2M103"),
    ("r = nn.Parameter(x)", "r = Parameter(x)"),
    ("r = nn.Parameter(x, requires_grad=False)", "r = Parameter(x, requires_grad=False)"),
    ("r = nn.Parameter(x, False)", "r = Parameter(x, requires_grad=False)"),
    ("r = nn.Linear.__init__", "r = mint.nn.Linear.__init__"),
    ("r = nn.Embedding.from_pretrained(x)", "r = mint.nn.Embedding.from_pretrained(x)"),
    # devices
    ("u(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))", "u(default_device())"),
    ("u('cuda' if torch.cuda.is_available() else 'cpu')", "u(default_device())"),
    ("r = torch.cuda.is_available() and u", "r = device.is_available() and u"),
    ("u(torch.device('cpu'))", 'u(default_device("cpu"))'),
    ("u(torch.device(v))", "u(default_device(v))"),
    ("u(torch.device('cuda:1'))", "u(default_device('cuda:1'))  # T2M501"),
    ("torch.backends.cudnn.benchmark = True", "pass"),
    ("torch.backends.cudnn.deterministic = True", "device.set_deterministic(True)"),
    ("torch.cuda.manual_seed_all(0)", "manual_seed(0)"),
    ("torch.set_num_threads(4)", "pass"),
    ("torch.set_default_tensor_type('torch.FloatTensor')", "pass"),
    # names looked up by text
    ("r = getattr(F, 'gelu')(x)", "r = F.gelu(x)"),
    ("r = getattr(torch, 'float32')", "r = mindspore.float32"),
    ("r = hasattr(torch, 'compile')", "r = True"),
    ("r = hasattr(torch, 'no_such_thing')", "r = False"),
    ("r = getattr(F, u)(x)", "r = getattr(mint.nn.functional, u)(x)  # T2M105"),
    ("print(torch.__version__)", "print(mindspore.__version__)"),
    ("r = torch.__version__.split('.')", "r = mindspore.__version__.split('.')  # T2M105"),
    # wrappers
    ("r = torch.compile(m)", "r = m"),
    ("r = torch.jit.script(m)", "r = m"),
    ("u(torch.inference_mode())", "u(no_grad())"),
    ("u(torch.inference_mode(v))", "u(set_grad_enabled(not v))"),
    ("r = torch.pi", "r = math.pi"),
    ("r = torch.Size([1, 2])", "r = tuple([1, 2])"),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_special(before: str, after: str) -> None:
    assert line(before) == after


REFUSED = [
    ("r = torch.set_default_dtype(torch.float16)", "T2M101"),
    ("r = isinstance(x, torch.FloatTensor)", "T2M102"),
    ("r = torch.device('meta')", "T2M101"),
    ("r = getattr(torch, 'no_such_thing')", "T2M104"),
    ("r = x.size(*args)", "T2M102"),
    ("torch.save(m, 'm.pt')", "T2M401"),
    ("r = torch.distributed.fsdp.fully_shard(m)", "T2M503"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_refused(text: str, code: str) -> None:
    assert code in line(text).rpartition("  # ")[2]


def test_lookalikes_stay() -> None:
    text = "r = u.FloatTensor(2, 3), u.device('cuda'), np.zeros(3).max(1), [1].clear(), 'a'.split(), {}.values()"
    assert line(text) == text


def test_a_device_leaves_a_dictionary_that_is_only_unpacked() -> None:
    text = 'dd = {"device": u, "dtype": v}\nr = nn.Linear(3, 4, **dd), torch.zeros(2, 3, **dd)'
    assert line(text) == 'dd = {"dtype": v}\nr = mint.nn.Linear(3, 4, **dd), mint.zeros((2, 3), **dd)'


def test_a_dictionary_that_is_read_otherwise_stays() -> None:
    text = 'dd = {"device": u, "dtype": v}\nr = nn.Linear(3, 4, **dd), dd["device"]'
    assert line(text) == 'dd = {"device": u, "dtype": v}\nr = mint.nn.Linear(3, 4, **dd), dd["device"]'


def test_names_looked_up_in_torch_itself() -> None:
    assert line("r = getattr(torch, u)(x)") == "r = getattr(mint, u)(x)  # T2M105"
    assert line("r = x.to(getattr(torch, u))").startswith("r = tensor.to(x, getattr(mindspore, u))")
    assert line("r = x.shape.numel(), x.size().numel()") == "r = math.prod(x.shape), math.prod(x.shape)"
    assert line("r = torch.LongTensor(range(n))") == "r = mindspore.tensor(list(range(n)), dtype=mindspore.int64)"
    assert line("r = torch.as_strided(x, (), ())") == "r = x.reshape(-1)[0]"
    assert line("r = torch.as_strided(x, (2,), (1,))").startswith("r = unsupported(")
    assert "Parameter(ops.stop_gradient(u), name=\"r\")" in line("r = u.detach().requires_grad_(True)")
    assert line("r = x.numel(), u.numel()") == "r = x.numel(), tensor.numel(u)  # T2M103"


def test_a_refused_decorator_raises_at_the_call() -> None:
    text = "@torch.library.custom_op('a::b', mutates_args=())\ndef g(a):\n    return a"
    assert line(text).startswith("@lambda fn: lambda *args, **kwargs: unsupported(\"torch.library.custom_op\", ")


@pytest.mark.parametrize(
    "text",
    [
        "r = {'a': torch.fx.Node, 'b': 1}", "r = dict(a=torch.fx.Node)", "r = [(1, torch.fx.Node)]", "r = torch.fx.Node",
        "r = isinstance(x, torch.fx.Node)", "r = issubclass(u, (int, torch.fx.Node))", "def g(a, kind=torch.fx.Node):\n    return a",
    ],
)
def test_a_refused_name_may_be_kept(text: str) -> None:
    before, _, after = text.partition("torch.fx.Node")
    found = line(text)
    assert found.startswith(f'{before}unsupported_api("torch.fx.Node", "torch.fx.Node", "') and f'"){after}' in found


@pytest.mark.parametrize("text", ["r = x + torch.fx.Node", "r = g(torch.fx.Node)", "r = isinstance(torch.fx.Node, u)", "r = torch.fx.Node.op + 1"])
def test_a_refused_name_that_is_used_raises(text: str) -> None:
    assert 'unsupported("torch.fx.Node' in line(text)


def test_decorators_that_only_steer_the_compiler_go() -> None:
    assert line("@torch.jit.script\n@torch.compile(mode='x')\n@torch.amp.custom_fwd(device_type='cuda')\ndef g(a):\n    return a") == "def g(a):\n    return a"


def test_names_that_can_only_be_one() -> None:
    assert line('cfg = {"act": "gelu"}\nr = getattr(F, cfg["act"])(x)') == 'cfg = {"act": "gelu"}\nr = F.gelu(x)'
    assert line('name = "ReLU"\nr = getattr(nn, name)()').endswith("ReLU()")
    assert line('cfg = {"act": "gelu"}\ncfg["act"] = u\nr = getattr(F, cfg["act"])(x)').endswith("# T2M105")
