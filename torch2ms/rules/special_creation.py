"""New tensors: what the data is decides."""
from __future__ import annotations

import ast

from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.analysis.views import base, gives_view
from torch2ms.edits import Replace
from torch2ms.rules.api import Api, compile_api
from torch2ms.rules.rows import bind_call, by_row, outcome
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import is_range, is_tensor, kind_of

_TENSOR = "torch.tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)"
# where one of these is imported, a sequence of unknown content may hold numpy's numbers
_NUMPY = frozenset("numpy scipy pandas sklearn gym gymnasium".split())


@rewrite("torch.tensor")
def tensor(site: Site) -> Outcome:
    """Numbers of numpy in a sequence keep their data type, which MindSpore would make that of Python's numbers."""
    row = Api(_TENSOR, "mindspore.tensor((input_data := data), dtype=dtype)")
    if site.call is None:
        asks = site.facts.project.habits.sets_default_dtype
        return outcome(site, Replace(site.node, "$tensor.from_data")) if asks else by_row(site, row)
    bound = bind_call(site, compile_api(row))
    data = bound.value("data")
    if data is None:
        return by_row(site, row)
    if is_range(site.facts, data):
        return by_row(site, Api(_TENSOR, "mindspore.tensor(list(data), dtype=dtype)"))
    if "dtype" not in bound.passed and (_may_hold_numpy(site, data) or _is_of_default(site, data)):
        return by_row(site, Api(_TENSOR, "tensor.from_data(data)"))
    return by_row(site, row)


def _is_of_default(site: Site, data: ast.expr) -> bool:
    """Whether the data type of a new tensor hangs on the default, which the program changes."""
    if not site.facts.project.habits.sets_default_dtype:
        return False
    return kind_of(site.facts, data) not in ("TENSOR", "PARAMETER", "NDARRAY")


def _may_hold_numpy(site: Site, data: ast.expr) -> bool:
    if isinstance(data, (ast.List, ast.Tuple)) and any(_is_numpy(site, item) for item in data.elts):
        return True
    info = site.facts.kinds.of(data)
    element = info.element if info.kind is Kind.SEQUENCE else info
    if info.kind is Kind.SEQUENCE and element is not None and element.kind is Kind.NDARRAY:
        return True
    if element is not None and element.kind is not Kind.UNKNOWN:
        return False
    return any(binding.module.partition(".")[0] in _NUMPY for binding in site.facts.names.imports)


def _is_numpy(site: Site, item: ast.expr) -> bool:
    if isinstance(item, (ast.List, ast.Tuple)):
        return any(_is_numpy(site, inner) for inner in item.elts)
    return isinstance(item, ast.Call) and (site.facts.names.of(item.func) or "").startswith("numpy.")


@rewrite("torch.as_tensor", "torch.asarray")
def as_tensor(site: Site) -> Outcome:
    """A tensor stays itself and an array lends its memory; anything else is copied."""
    left = "torch.as_tensor(data, dtype=None, device=None)"
    if site.name == "torch.asarray":
        left = "torch.asarray(data, *, dtype=None, device=None, copy=None, requires_grad=False)"
    row = Api(left, "mindspore.tensor((input_data := data), dtype=dtype)")
    if site.call is None:
        asks = site.facts.project.habits.sets_default_dtype
        return outcome(site, Replace(site.node, "$tensor.as_tensor")) if asks else by_row(site, row)
    bound = bind_call(site, compile_api(row))
    data = bound.value("data")
    kind = kind_of(site.facts, data) if data is not None else "UNKNOWN"
    typed = "dtype" in bound.passed
    dtype = bound.value("dtype")
    if kind in ("TENSOR", "PARAMETER") and data is not None and dtype is not None:
        # as a row this would call the runtime's module `data`
        return outcome(site, Replace(site.call, "$0.to($1)", (data, dtype)))
    if kind in ("TENSOR", "PARAMETER"):
        row = Api(left, "data")
    elif kind == "NDARRAY" and not typed:
        row = Api(left, "mindspore.from_numpy((_ := data))")
    elif data is not None and is_range(site.facts, data):
        row = Api(left, "mindspore.tensor(list(data), dtype=dtype)")
    elif kind == "UNKNOWN" or not typed and data is not None and (_may_hold_numpy(site, data) or _is_of_default(site, data)):
        row = Api(left, "tensor.as_tensor(data, dtype=dtype)")
    return by_row(site, row)


@rewrite("torch.scalar_tensor")
def scalar_tensor(site: Site) -> Outcome:
    """A number becomes a tensor of the default type, also an int."""
    left = "torch.scalar_tensor(s, *, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)"
    row = Api(left, "mindspore.tensor((_ := s), dtype=dtype)")
    if site.call is not None and "dtype" not in bind_call(site, compile_api(row)).passed:
        kind = "get_default_dtype()" if site.facts.project.habits.sets_default_dtype else "mindspore.float32"
        row = Api(left, f"mindspore.tensor((_ := s), dtype={kind})")
    return by_row(site, row)


@rewrite("torch.randint")
def randint(site: Site) -> Outcome:
    """mint.randint takes the bounds and the size by position; a lower bound that PyTorch fills in is written out."""
    first = "low=0, high=None, size=None"
    rest = "*, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False"
    left = f"torch.randint({first}, {rest})"
    row = Api(left, "mint.randint((_ := low), (_ := high), (_ := size), generator=generator, dtype=dtype)")
    if site.call is not None:
        passed = bind_call(site, compile_api(row)).passed
        if "size" in passed and not {"low", "high"} <= passed.keys():
            bound = "low" if "low" in passed else "high"
            row = Api(left, f"mint.randint(0, (_ := {bound}), (_ := size), generator=generator, dtype=dtype)")
    return by_row(site, row)


@rewrite("torch.nn.Parameter", "torch.nn.parameter.Parameter")
def parameter(site: Site) -> Outcome:
    """A Parameter made of a view that nothing else holds keeps its storage, and MindSpore assigns to no view."""
    left = f"{site.name}(data=None, requires_grad=True)"
    row = Api(left, "Parameter((default_input := data), requires_grad=requires_grad)")
    if site.call is None:
        return by_row(site, row)
    data = bind_call(site, compile_api(row)).value("data")
    if data is not None:
        _refuse_shared(site, data, written=True)
    if data is None or not gives_view(site.facts, data):
        return by_row(site, row)
    return by_row(site, Api(left, "Parameter(mint.clone(data), requires_grad=requires_grad)"))


@rewrite("torch.nn.Embedding.from_pretrained", "torch.nn.EmbeddingBag.from_pretrained")
def from_pretrained(site: Site) -> Outcome:
    """The table is shared in PyTorch, which shows where one of both changes."""
    kind = site.name.split(".")[2]
    row = Api(site.name, f"{'mint.nn' if kind == 'Embedding' else 'nn'}.{kind}.from_pretrained")
    if site.call is None or any(isinstance(a, ast.Starred) for a in site.call.args):
        return by_row(site, row)
    given = {k.arg: k.value for k in site.call.keywords} | dict(zip(("embeddings", "freeze"), site.call.args))
    freeze = given.get("freeze")
    if (table := given.get("embeddings")) is not None:
        _refuse_shared(site, table, written=not (freeze is None or isinstance(freeze, ast.Constant) and freeze.value))
    return by_row(site, row)


def _refuse_shared(site: Site, data: ast.expr, written: bool) -> None:
    """Refuse a Parameter of a tensor that lives on; one that nobody writes may be a copy of a variable."""
    start = base(site.facts, data)
    held = written and isinstance(start, ast.Name) and _is_read_later(site, start)
    if held or isinstance(start, ast.Attribute) and is_tensor(site.facts, start):
        raise Refusal(
            "T2M102",
            f"{ast.unparse(start)} {'is read later' if held else 'lives on'}, and in PyTorch it changes along with "
            "the Parameter that is made of it",
            f"write {ast.unparse(data)}.clone() there where that is not wanted",
        )


def _is_read_later(site: Site, name: ast.Name) -> bool:
    """Whether the values of a variable are read after the statement of the site."""
    function, stmt = site.facts.function(name), site.facts.statement(name)
    flow = site.facts.flow(function)
    if name.id not in flow.live_out([stmt]) - flow.writes([stmt]) or not is_tensor(site.facts, name):
        return False
    later = [
        node
        for node in walk(function)
        if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Load) and node.lineno > stmt.lineno
    ]
    return any(not _asks_for_layout(site.facts.parent(node)) for node in later)


def _asks_for_layout(above: ast.AST | None) -> bool:
    match above:
        case ast.Attribute(attr="shape" | "size" | "dtype" | "device" | "ndim" | "dim" | "numel"):
            return True
    return False
