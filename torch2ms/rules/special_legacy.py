"""Constructors of PyTorch 0.x: torch.Tensor(...), torch.FloatTensor(...), Variable, x.new(...)."""
from __future__ import annotations

import ast

from torch2ms.analysis.lattice import TENSOR_KINDS, Kind
from torch2ms.edits import CallEdit, Replace
from torch2ms.rules.leaves import is_without_graph
from torch2ms.rules.rows import guarded, outcome
from torch2ms.rules.site import Outcome, Refusal, Site, is_annotation
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import LEGACY, is_number, is_range, kind_of

_DTYPES = {"torch.Tensor": "float32"}
_DTYPES |= {f"torch.{prefix}{name}": dtype for prefix in ("", "cuda.") for name, dtype in LEGACY.items()}
# what a class is given to that wants the class itself
_ASK_FOR_CLASS = frozenset(
    "isinstance issubclass register dispatch cast TypeVar NewType hasattr getattr setattr type id len set frozenset tuple list "
    "register_pytree_node pickle assertIsInstance assertNotIsInstance is_instance instance_of".split()
)


@rewrite(*_DTYPES)
def constructor(site: Site) -> Outcome:
    """`torch.FloatTensor(2, 3)` is an uninitialised tensor, `torch.FloatTensor([1, 2])` holds the data."""
    dtype = _DTYPES[site.name]
    if site.call is None:
        return _class(site, dtype)
    default = site.name == "torch.Tensor" and site.facts.project.habits.sets_default_dtype
    made = _from_arguments(site, site.call, "$get_default_dtype()" if default else f"$mindspore.{dtype}")
    return made or outcome(site, CallEdit(site.call, f"$tensor.{_helper(site)}"))


def _helper(site: Site) -> str:
    last = site.name.rpartition(".")[2]
    if last == "Tensor":
        return "default_tensor" if site.facts.project.habits.sets_default_dtype else "FloatTensor"
    return last


def _class(site: Site, dtype: str) -> Outcome:
    match site.parent():
        case ast.Call(func=ast.Attribute(attr="type"), args=[argument]) if argument is site.node:
            return outcome(site, Replace(site.node, f"$mindspore.{dtype}"))
        case ast.Call(func=ast.Name(id="isinstance")) if site.name != "torch.Tensor":
            raise Refusal("T2M102", f"isinstance with {site.name} asks for a data type", f"compare x.dtype with mindspore.{dtype}")
    if is_annotation(site) or site.name == "torch.Tensor" and _only_as_class(site):
        return outcome(site, Replace(site.node, "$mindspore.Tensor"))
    helper = "AnyTensor" if site.name == "torch.Tensor" else _helper(site)
    return outcome(site, Replace(site.node, f"$tensor.{helper}"))


def _only_as_class(site: Site) -> bool:
    """Whether the class is asked for, subclassed, registered or part of a type here, and not called under another name."""
    node: ast.AST = site.node
    above = site.parent()
    while isinstance(above, (ast.Tuple, ast.List, ast.Set)):
        node, above = above, site.facts.parent(above)
    match above:
        case ast.Call(func=func):
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            return name in _ASK_FOR_CLASS
        case ast.Assign() | ast.Return() | ast.arguments() | ast.IfExp() | ast.BoolOp() | ast.keyword():
            return node is not site.node
        case ast.Dict(keys=keys):
            return node in keys
    return True


def _from_arguments(site: Site, call: ast.Call, dtype: str) -> Outcome | None:
    """The call by what its arguments are; None where that is not known."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        if len(call.args) == 1 and isinstance(call.args[0], ast.Starred):
            return outcome(site, Replace(call, f"$mint.empty(tuple($0), dtype={dtype})", (call.args[0].value,)))
        return None
    if any(k.arg not in ("device", "size") for k in call.keywords):
        return None
    if not call.args:
        return outcome(site, Replace(call, f"$mint.empty((0,), dtype={dtype})"))
    if len(call.args) > 1:
        places = ", ".join(f"${i}" for i in range(len(call.args)))
        return outcome(site, Replace(call, f"$mint.empty(({places}), dtype={dtype})", tuple(call.args)))
    argument = call.args[0]
    kind = kind_of(site.facts, argument)
    if is_number(site.facts, argument):
        return outcome(site, Replace(call, f"$mint.empty($0, dtype={dtype})", (argument,)))
    if isinstance(argument, ast.Attribute) and argument.attr == "shape":
        kind = _shape_kind(site, argument.value) or "UNKNOWN"
    if kind == "SIZE":
        return outcome(site, Replace(call, f"$mint.empty($0, dtype={dtype})", (argument,)))
    if kind in ("SEQUENCE", "NDARRAY") or isinstance(argument, (ast.List, ast.Tuple, ast.ListComp)):
        data = "list($0)" if is_range(site.facts, argument) else "$0"
        return outcome(site, Replace(call, f"$mindspore.tensor({data}, dtype={dtype})", (argument,)))
    return None


def _shape_kind(site: Site, owner: ast.expr) -> str | None:
    """What `owner.shape` is: a tensor's is a size, an array's or that of a space of gym a tuple of elements."""
    info = site.facts.kinds.of(owner)
    if info.kind in TENSOR_KINDS:
        return "SIZE"
    name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
    foreign = info.kind is Kind.NDARRAY or info.kind is Kind.OTHER and not info.classes
    return "SEQUENCE" if foreign and info.certain or name.endswith("_space") else None


@rewrite("torch.Tensor.new")
def new(site: Site) -> Outcome:
    """`x.new(2, 3)` and `x.new([1, 2])` take the receiver's data type."""
    if site.call is None or site.receiver is None:
        raise Refusal("T2M102", "torch.Tensor.new is used as a value", "call it on the tensor")
    if isinstance(site.receiver, (ast.Name, ast.Attribute)):
        made = _from_arguments(site, site.call, "$self.dtype")
        if made is not None and isinstance(made.edits[0], Replace):
            edit = made.edits[0]
            parts = (*edit.parts, site.receiver)
            return outcome(site, Replace(edit.node, edit.template.replace("$self.dtype", f"${len(parts) - 1}.dtype"), parts))
    return guarded(site, "new")


@rewrite("torch.autograd.Variable")
def variable(site: Site) -> Outcome:
    """A Variable is its tensor cut from its graph; with `requires_grad` it is a leaf."""
    call = site.call
    if call is None:
        as_class = is_annotation(site) or _only_as_class(site)
        return outcome(site, Replace(site.node, "$mindspore.Tensor" if as_class else "$ops.stop_gradient"))
    flags = {k.arg: k.value for k in call.keywords}
    data = call.args[0] if call.args else flags.pop("data", None)
    if len(call.args) > 1:
        flags["requires_grad"] = call.args[1]
    if data is None or isinstance(data, ast.Starred) or not flags.keys() <= {"requires_grad", "volatile"}:
        raise Refusal("T2M102", "Variable is called with arguments that cannot be told apart", "use the tensor itself")
    grad = flags.get("requires_grad")
    if grad is None or isinstance(grad, ast.Constant) and not grad.value:
        volatile = flags.get("volatile")
        if volatile is None or isinstance(volatile, ast.Constant) and not volatile.value:
            if is_without_graph(site, data):
                return outcome(site, Replace(call, "$0", (data,)))
        return outcome(site, Replace(call, "$ops.stop_gradient($0)", (data,)))
    if isinstance(grad, ast.Constant):
        return outcome(site, Replace(call, "$Parameter($0)", (data,)))
    return outcome(site, Replace(call, "$Parameter($0, requires_grad=$1)", (data, grad)))
