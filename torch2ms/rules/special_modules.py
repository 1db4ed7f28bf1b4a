"""Module methods: what a Cell has stays a method, what only the runtime's listing knows takes the function form."""
from __future__ import annotations

import ast

from torch2ms.analysis.views import gives_view
from torch2ms.edits import Arg, CallEdit, New, Provenance, Replace, Splice
from torch2ms.rules.leaves import is_leaf
from torch2ms.rules.rows import guarded, outcome
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import in_statement_alone, kind_of

_LISTINGS = (
    "parameters named_parameters buffers named_buffers children named_children modules named_modules "
    "get_submodule get_parameter get_buffer"
).split()


@rewrite(*(f"torch.nn.Module.{name}" for name in _LISTINGS))
def listing(site: Site) -> Outcome:
    """A method of the runtime's Cell; `nn.parameters(m)` where the module may be a bare MindSpore layer."""
    if site.call is None or site.receiver is None or _is_runtime_cell(site, site.receiver):
        return outcome(site)
    name = site.name.rpartition(".")[2]
    own = [Arg(a.value, star="*") if isinstance(a, ast.Starred) else Arg(a) for a in site.call.args]
    own += [Arg(k.value, k.arg, "" if k.arg else "**") for k in site.call.keywords]
    return outcome(site, CallEdit(site.call, f"$nn.{name}", (Arg(site.receiver), *own)))


def _is_runtime_cell(site: Site, receiver: ast.expr) -> bool:
    match receiver:
        case ast.Name(id="self") | ast.Call(func=ast.Name(id="super")):
            return True
    if site.provenance is not Provenance.PROVEN:
        return False
    return site.facts.kinds.of(receiver).cls is not None


@rewrite("torch.nn.Module.requires_grad_", "torch.Tensor.requires_grad_")
def requires_grad(site: Site) -> Outcome:
    """A statement sets the flag; on a tensor that is no Parameter it makes one."""
    call, receiver = site.call, site.receiver
    if call is None or receiver is None:
        raise Refusal("T2M102", f"{site.name} is used as a value", "call it on the object")
    if site.provenance is not Provenance.PROVEN and not _is_cut(receiver):
        return guarded(site, "requires_grad_")
    flag = call.args[0] if call.args else next((k.value for k in call.keywords), None)
    statement = in_statement_alone(site)
    shown, parts = ("True", (receiver,)) if flag is None else ("$1", (receiver, flag))
    if site.name.startswith("torch.nn."):
        if statement is None or not isinstance(receiver, (ast.Name, ast.Attribute)):
            return outcome(site)
        name = next(n for n in ("p", "param", "parameter", "param_") if n not in _bound(site) or n == "param_")
        listed = "$0.parameters()" if _is_runtime_cell(site, receiver) else "$nn.parameters($0)"
        return outcome(site, Splice(statement, (New(f"for {name} in {listed}:\n    {name}.requires_grad = {shown}", parts),)))
    extra = "" if flag is None or isinstance(flag, ast.Constant) and flag.value else ", requires_grad=$1"
    if statement is not None and _takes_flag(site, receiver):
        return outcome(site, Splice(statement, (New(f"$0.requires_grad = {shown}", parts),)))
    leaf = "$Parameter" if is_leaf(site, receiver) else "$tensor.as_leaf"
    if statement is None:
        target = _assigned_name(site)
        return outcome(site, Replace(call, f"{leaf}($0{extra}{target})", parts[: 2 if extra else 1]))
    if isinstance(receiver, ast.Name):
        text = f'$0 = {leaf}($0{extra}, name="{receiver.id}")'
        return outcome(site, Splice(statement, (New(text, parts[: 2 if extra else 1]),)))
    raise Refusal("T2M102", "requires_grad_ is called on a tensor that has no name of its own", "make the leaf a Parameter where it is created")


def _takes_flag(site: Site, receiver: ast.expr) -> bool:
    """Whether the flag of the tensor itself can be set: a view must become a Parameter, as an optimizer assigns to none."""
    if isinstance(receiver, ast.Name) and kind_of(site.facts, receiver) != "PARAMETER":
        return not _may_be_view(site, receiver)
    return isinstance(receiver, (ast.Name, ast.Attribute)) or kind_of(site.facts, receiver) == "PARAMETER"


def _may_be_view(site: Site, name: ast.Name) -> bool:
    """Whether the variable was made as a view here."""
    made = site.facts.aliases(site.facts.function(name)).bindings(name)
    return any(isinstance(stmt, ast.Assign) and gives_view(site.facts, stmt.value) for stmt in made)


def _is_cut(receiver: ast.expr) -> bool:
    """Whether the receiver is what `.detach()` returns: only a tensor has the method, and gives a tensor."""
    match receiver:
        case ast.Call(func=ast.Attribute(attr="detach"), args=[], keywords=[]):
            return True
    return False


def _bound(site: Site) -> frozenset[str]:
    function = site.facts.function(site.node)
    inner = {n.id if isinstance(n, ast.Name) else n.arg for n in ast.walk(function) if isinstance(n, (ast.Name, ast.arg))}
    return frozenset(inner)


def _assigned_name(site: Site) -> str:
    match site.parent():
        case ast.Assign(targets=[ast.Name(id=name)]):
            return f', name="{name}"'
    return ""
