"""What a PyTorch API becomes: tables of rows, one module per namespace, and functions for what a row cannot say."""
from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import CallEdit, Edit, Provenance, Replace, Splice
from torch2ms.rules.api import Api
from torch2ms.rules.methods import MethodInfo, method_info
from torch2ms.rules.missing import MISSING
from torch2ms.rules.rows import by_row, guarded
from torch2ms.rules.signature import is_int
from torch2ms.rules.site import Outcome, Refusal, Site, refuse
from torch2ms.rules.special import REWRITES, Rewrite
from torch2ms.rules.special_default import check_digits, looked_up
from torch2ms.rules.special_names import is_module
from torch2ms.rules.values import in_statement_alone
from torch2ms.source import Span

__all__ = ["INDEX", "Api", "MethodInfo", "Outcome", "Refusal", "Site", "apply", "find", "is_module", "knows", "method_sites"]


def _load() -> dict[str, Api | Rewrite]:
    """Imports every module of the package; a name with two rules is an error."""
    index: dict[str, Api | Rewrite] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name in ("coverage", "own"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        for row in getattr(module, "ROWS", ()):
            name = row.name
            if name in index:
                raise ValueError(f"two rules for {name}")
            index[name] = row
    for name, function in REWRITES.items():
        if name in index:
            raise ValueError(f"two rules for {name}")
        index[name] = function
    return index


INDEX: dict[str, Api | Rewrite] = _load()


def knows(name: str) -> bool:
    """Whether the tables have a rule for exactly this name: it converts, or is refused with advice."""
    return name in INDEX


@cache
def method_sites(method: str) -> MethodInfo:
    """Which torch objects have a method or attribute of this name."""
    return method_info(method, INDEX)


def apply(site: Site) -> Outcome:
    """Converts one use of a PyTorch API, or refuses it."""
    result = looked_up(site, _applied(site))
    absent = next((name for edit in result.edits for name in _references(edit) if name in MISSING), None)
    if absent is not None and result.provenance is not Provenance.REFUSED:
        return refuse(site, Refusal("T2M101", f"{site.name} has no counterpart in the runtime", _MISSING_ADVICE))
    return result


_MISSING_ADVICE = "compute it from other functions, or in numpy where no gradient is needed"
_REFERENCE = re.compile(r"\$([A-Za-z_]\w*(?:\.\w+)*)")


def _references(edit: Edit) -> list[str]:
    """What an edit names of MindSpore and of the runtime."""
    text = edit.template if isinstance(edit, Replace) else edit.func if isinstance(edit, CallEdit) else None
    return _REFERENCE.findall(text) if text and "$" in text else []


def _applied(site: Site) -> Outcome:
    if _is_local_name(site) or _is_constructor_above(site):
        return _through_name(site)
    if site.provenance is Provenance.GUARDED and site.call is not None and _takes_dim(site.call):
        site = replace(site, provenance=Provenance.ONE_NAME)
    if site.call is None and site.provenance is not Provenance.PROVEN and _is_method(site.name):
        return Outcome(provenance=site.provenance)  # an attribute of another object may well have a method's name
    return _ruled(site)


def _takes_dim(call: ast.Call) -> bool:
    """Whether a call says `dim=1`: of the libraries that have a method of the same name, only PyTorch calls it so."""
    for keyword in call.keywords:
        if keyword.arg in ("dim", "keepdim", "unbiased"):
            values = keyword.value.elts if isinstance(keyword.value, (ast.Tuple, ast.List)) else [keyword.value]
            return all(is_int(v) or isinstance(v, ast.Constant) and isinstance(v.value, bool) for v in values)
    return False


def _ruled(site: Site) -> Outcome:
    rule = find(site.name)
    try:
        if rule is None:
            return _descend(site)
        check_digits(site)
        result = _answer(site, rule)
    except Refusal as refusal:
        if site.provenance is Provenance.GUARDED:
            return Outcome(provenance=site.provenance)  # what does not fit PyTorch's method is another object's
        return refuse(site, refusal)
    if result.provenance is Provenance.GUARDED and result.edits:
        return _ask_object(site, result)
    return result


def _is_local_name(site: Site) -> bool:
    """Whether the API is used through a variable: `act = F.relu`, then `act(x)`."""
    name = site.node.func if isinstance(site.node, ast.Call) else site.node
    if not isinstance(name, ast.Name):
        return False
    binder = site.facts.names.binder(name)
    return binder is not None and not any(isinstance(n, ast.alias) for n in binder.bindings.get(name.id, ()))


def _is_constructor_above(site: Site) -> bool:
    """Whether the site is `super().__init__(...)` in a class made from a layer: only its arguments can change."""
    func = site.node.func if isinstance(site.node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == "__init__" and isinstance(func.value, ast.Call)


def _through_name(site: Site) -> Outcome:
    """The variable holds the counterpart already; only the arguments of a call may have to change."""
    if site.call is None or find(site.name) is None:
        return Outcome(provenance=site.provenance)
    found = _ruled(site)
    edits = tuple(CallEdit(e.node, None, e.args) if isinstance(e, CallEdit) else e for e in found.edits)
    return Outcome(tuple(e for e in edits if e != CallEdit(site.call)), found.diagnostics, found.provenance)


def _is_method(name: str) -> bool:
    rule = INDEX.get(name)
    return not isinstance(rule, Api) or "(" in rule.torch


def _answer(site: Site, rule: Api | Rewrite) -> Outcome:
    answer = by_row(site, rule) if isinstance(rule, Api) else rule(site)
    match answer:
        case Outcome():
            return answer
        case Diagnostic():
            return Outcome((), (answer,), site.provenance)
    return Outcome((answer,), (), site.provenance)


def _descend(site: Site) -> Outcome:
    """A member of something that the tables know (`torch.nn.Linear.__init__`, `torch.__version__.split`): the owner is converted."""
    node = site.node.func if isinstance(site.node, ast.Call) else site.node
    owner = site.name.rpartition(".")[0]
    if isinstance(node, ast.Attribute) and site.receiver is None and _has_known_owner(owner):
        return apply(Site(owner, node.value, Span.of(node.value), site.provenance, None, site.facts))
    raise Refusal("T2M104", f"{site.name} is not in the tables", "look for a counterpart in the MindSpore manual")


def _has_known_owner(name: str) -> bool:
    while name:
        if name in INDEX:
            return not is_module(name)
        name = name.rpartition(".")[0]
    return False


def _ask_object(site: Site, result: Outcome) -> Outcome:
    """What was found holds for a tensor; where the runtime has a helper, it asks the object."""
    method = site.name.rpartition(".")[2]
    if site.provenance is not Provenance.GUARDED:
        return result
    if in_statement_alone(site) is not None and all(not isinstance(e, Splice) for e in result.edits):
        return Outcome(provenance=site.provenance)  # `names.sort()`: a tensor's method would be called for its result
    if site.name.startswith("torch.Tensor.") and method_sites(method).guarded:
        return guarded(site, method)
    return result


def find(name: str) -> Api | Rewrite | None:
    """The rule of a name, or of the closest namespace that has one for everything in it (`torch.onnx.*`)."""
    rule = INDEX.get(name)
    while rule is None and "." in name:
        name = name.rpartition(".")[0]
        owner = INDEX.get(name)
        if owner is not None and not is_module(name):
            # a member of something known: `apply` converts the owner, a refusal holds for its members
            return owner if isinstance(owner, Api) and owner.mindspore is None else None
        rule = INDEX.get(f"{name}.*")
    return rule


def rows() -> Iterator[Api]:
    """Every row of the tables."""
    return (rule for rule in INDEX.values() if isinstance(rule, Api))
