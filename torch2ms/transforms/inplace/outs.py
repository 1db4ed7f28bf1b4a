"""Calls with `out=` or `inplace=` as calls without it."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.edits import Arg, CallEdit, Edit, Provenance, Replace
from torch2ms.rules import Site, apply
from torch2ms.source import Span
from torch2ms.transforms.inplace.values import Declined, Value


def without(facts: Facts, call: ast.Call, keyword: str, given: ast.expr | None = None) -> Value:
    """Plan `f(a, b, out=c)` as the value `f(a, b)`; raises Declined where the rule refuses.

    `given`: what is passed for the keyword, where it may stand by position.
    """
    name = facts.names.of(call.func)
    if name is None:
        raise Declined(f"a method is called with {keyword}=", "assign the result instead")
    kept = [k for k in call.keywords if k.arg != keyword]
    bare = ast.copy_location(ast.Call(call.func, [a for a in call.args if a is not given], kept), call)
    outcome = apply(Site(name, bare, Span.of(call), Provenance.PROVEN, None, facts))
    if outcome.provenance is Provenance.REFUSED:
        raise Declined(outcome.diagnostics[0].message, outcome.diagnostics[0].help)
    found = Value(nodes=[call, call.func], said=list(outcome.diagnostics))
    found.edits = [_moved(edit, bare, call) for edit in outcome.edits]
    if not any(isinstance(e, (Replace, CallEdit)) and e.node is call for e in found.edits):
        found.edits.append(CallEdit(call, None, _arguments(bare)))
    return found


def _moved(edit: Edit, bare: ast.Call, call: ast.Call) -> Edit:
    if isinstance(edit, CallEdit) and edit.node is bare:
        return CallEdit(call, edit.func, edit.args if edit.args is not None else _arguments(bare))
    if isinstance(edit, Replace) and edit.node is bare:
        return Replace(call, edit.template, edit.parts)
    return edit


def _arguments(call: ast.Call) -> tuple[Arg, ...]:
    positional = tuple(Arg(a.value, None, "*") if isinstance(a, ast.Starred) else Arg(a) for a in call.args)
    return positional + tuple(Arg(k.value, k.arg, "" if k.arg else "**") for k in call.keywords)
