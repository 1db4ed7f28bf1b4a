"""Moves between devices and types: `.to`, `.cuda`, `.cpu`, `.type` of tensors and modules."""
from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.analysis.methods import is_super
from torch2ms.edits import Arg, CallEdit, Provenance, Replace, Splice
from torch2ms.rules.indices import lost_index
from torch2ms.rules.rows import guarded, outcome
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import dtype_name, in_statement_alone, is_device, is_dtype, is_named_device, is_tensor

_PLACING = {"device", "non_blocking", "memory_format", "async"}


def gone(site: Site) -> Outcome:
    """The call leaves its receiver; a statement that is nothing else goes with it."""
    if site.call is None or site.receiver is None:
        raise Refusal("T2M102", f"{site.name} is used as a value", "MindSpore places tensors itself; leave it out")
    statement = in_statement_alone(site)
    parent = is_super(site.receiver)
    if statement is not None and (parent or isinstance(site.receiver, (ast.Name, ast.Attribute))):
        return _spoken(site, outcome(site, Splice(statement, ())))
    # an overriding method gives back the object, which `super()` alone is not
    left = Replace(site.call, _own_name(site)) if parent else Replace(site.call, "$0", (site.receiver,))
    return _spoken(site, outcome(site, left))


def _own_name(site: Site) -> str:
    """The name of the object itself in the method around the call."""
    function = site.facts.function(site.node)
    first = [*function.args.posonlyargs, *function.args.args] if isinstance(function, ast.FunctionDef) else []
    if not first:
        raise Refusal("T2M102", f"{site.name} is called on super() outside of a method", "call it on the object")
    return first[0].arg


def _spoken(site: Site, found: Outcome) -> Outcome:
    """Adds what there is to say about the index of the device."""
    said = lost_index(site.facts, site.call) if site.call is not None else None
    return replace(found, diagnostics=(*found.diagnostics, said)) if said is not None else found


@rewrite(*(f"torch.{owner}.{name}" for owner in ("Tensor", "nn.Module") for name in "cuda cpu xpu npu ipu mtia share_memory share_memory_ pin_memory".split()))
def placed(site: Site) -> Outcome:
    """MindSpore's device is one per process."""
    return gone(site)


@rewrite("torch.Tensor.record_stream", "torch.nn.RNNBase.flatten_parameters", "torch.nn.Module.flatten_parameters")
def advised(site: Site) -> Outcome:
    """Hints to PyTorch's allocator and kernels."""
    statement = in_statement_alone(site)
    if statement is None:
        raise Refusal("T2M101", f"{site.name} has no counterpart in MindSpore", "leave it out")
    return outcome(site, Splice(statement, ()))


@rewrite("torch.Tensor.to", "torch.nn.Module.to")
def to(site: Site) -> Outcome:
    """Keeps the data type, drops the device."""
    call, receiver = site.call, site.receiver
    if call is None or receiver is None:
        raise Refusal("T2M102", f"{site.name} is used as a value", "call it on the object")
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return guarded(site, "to")
    kept: list[ast.expr] = []
    for argument in [*call.args[:2], *(k.value for k in call.keywords if k.arg in ("dtype", "other"))]:
        sort = _sort(site, argument)
        if sort is None:
            return guarded(site, "to")
        if sort == "kept":
            kept.append(argument)
    copies = any(k.arg == "copy" and not (isinstance(k.value, ast.Constant) and not k.value.value) for k in call.keywords)
    if site.provenance is Provenance.GUARDED and _only_torch(site, call):
        site = replace(site, provenance=Provenance.ONE_NAME)
    if copies and not kept:
        return outcome(site, CallEdit(call, "$mint.clone", (Arg(receiver),)))
    if not kept:
        return gone(site)
    if len(kept) == len(call.args) + len(call.keywords):
        return outcome(site)
    args = [Arg(a) for a in call.args if a in kept]
    args += [Arg(k.value, k.arg) for k in call.keywords if k.value in kept or k.arg == "copy"]
    return _spoken(site, outcome(site, CallEdit(call, None, tuple(args))))


def _only_torch(site: Site, call: ast.Call) -> bool:
    """Whether the arguments are such that no other library's `.to` takes them."""
    values = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("device", "dtype"))]
    return bool(values) and all(is_named_device(site.facts, v) or dtype_name(site.facts, v) for v in values)


def _sort(site: Site, argument: ast.expr) -> str | None:
    """`kept` for a data type or another tensor, `gone` for a device or a flag, None where that is not known."""
    match argument:
        case ast.Constant(value=bool() | None):
            return "gone"
        case ast.IfExp(body=body, orelse=orelse):
            sorts = {_sort(site, body), _sort(site, orelse)}
            return sorts.pop() if len(sorts) == 1 else None
    if is_dtype(site.facts, argument) or is_tensor(site.facts, argument):
        return "kept"
    return "gone" if is_device(site.facts, argument) else None


@rewrite("torch.Tensor.type")
def type_(site: Site) -> Outcome:
    """`x.type(torch.float)` stays, names of PyTorch's types become MindSpore's; `x.type()` asks the runtime for PyTorch's name."""
    call = site.call
    if call is None or site.receiver is None:
        raise Refusal("T2M102", f"{site.name} is used as a value", "call it on the tensor")
    wanted = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "dtype"), None)
    if wanted is None:
        return outcome(site, CallEdit(call, "$tensor.type", (Arg(site.receiver),)))
    name = dtype_name(site.facts, wanted)
    if name is not None:
        if isinstance(wanted, ast.Constant) or len(call.args) + len(call.keywords) > 1:
            return outcome(site, CallEdit(call, None, (Arg(f"${name}"),)))
        return outcome(site)  # the argument is a site of its own
    if is_dtype(site.facts, wanted):
        return outcome(site)
    if isinstance(wanted, ast.Call) and isinstance(wanted.func, ast.Attribute) and wanted.func.attr == "type" and not wanted.args:
        return outcome(site, Replace(call, "$0.type($1.dtype)", (site.receiver, wanted.func.value)))
    return guarded(site, "type")


@rewrite("torch.nn.Module.type")
def module_type(site: Site) -> Outcome:
    """`m.type(torch.float16)` is `m.to(mindspore.float16)`."""
    call = site.call
    wanted = call.args[0] if call and call.args else None
    if call is None or wanted is None:
        raise Refusal("T2M102", f"{site.name} is called without a type", "use .to(dtype)")
    name = dtype_name(site.facts, wanted)
    return outcome(site, CallEdit(call, "$0.to", (Arg(f"${name}") if name else Arg(wanted),)))


@rewrite("torch.Tensor.is_pinned", "torch.Tensor.is_shared")
def never(site: Site) -> Outcome:
    """Host memory is MindSpore's business."""
    return outcome(site, Replace(site.node, "False"))
