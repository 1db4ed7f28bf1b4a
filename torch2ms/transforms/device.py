"""MindSpore has one device per process: device objects become `default_device()`, and what only places things goes."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import CallEdit, Claim, Edit, Replace, Splice
from torch2ms.resolve import site_of
from torch2ms.rules import apply
from torch2ms.rules.indices import lost_index
from torch2ms.transforms.leftovers import unused_names

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_PLACING = frozenset("to cuda cpu xpu npu ipu pin_memory".split())


class Device:
    """Device objects and statements that only move things between devices."""

    name = "device"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each choice of a device by name and for each statement `x = x.to(device)`."""
        for node in facts.names.parents:
            if type(node) is ast.IfExp:
                if _is_choice(facts, node) and not _within_device(facts, node) and not facts.skipped(node):
                    yield Claim("device", (node,), (Replace(node, "$default_device()"),))
            elif type(node) is ast.Assign and _only_moves(facts, node) and not facts.skipped(node):
                yield Claim("device", (node,), (Splice(node, ()),), tuple(_indexed(facts, node.value)))

    def finish(self, facts: Facts, edits: tuple[Edit, ...]) -> Iterator[Claim]:
        """Assignments of devices that nothing reads any more go."""
        devices = {e.node for e in edits if isinstance(e, Replace) and e.template.startswith("$default_device(")}
        devices |= {e.node for e in edits if isinstance(e, CallEdit) and e.func == "$default_device"}
        stmts = [s for s in map(facts.parent, devices) if isinstance(s, ast.Assign)]
        for stmt in unused_names(facts, edits, stmts):
            yield Claim("device", (stmt,), (Splice(stmt, ()),), provenance=None)


def _is_choice(facts: Facts, node: ast.AST) -> bool:
    """Whether an expression picks a device by what PyTorch finds: `"cuda" if torch.cuda.is_available() else "cpu"`."""
    match node:
        case ast.IfExp():
            return _asks(facts, node.test) and _names_device(facts, node.body) and _names_device(facts, node.orelse)
    return False


def _names_device(facts: Facts, node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return text.partition(":")[0] in ("cuda", "cpu", "mps", "xpu", "npu")
        case ast.IfExp():
            return _names_device(facts, node.body) and _names_device(facts, node.orelse)
        case ast.Call(func=func):
            return facts.names.of(func) == "torch.device"
    return False


def _asks(facts: Facts, test: ast.expr) -> bool:
    """Whether a condition asks for an accelerator."""
    return any(isinstance(n, ast.Attribute) and (facts.names.of(n) or "").endswith(".is_available") for n in ast.walk(test))


def _within_device(facts: Facts, node: ast.AST) -> bool:
    above = facts.parent(node)
    while isinstance(above, ast.expr):
        if _is_choice(facts, above) or isinstance(above, ast.Call) and facts.names.of(above.func) == "torch.device":
            return True
        above = facts.parent(above)
    return False


def _only_moves(facts: Facts, stmt: ast.Assign) -> bool:
    """Whether a statement assigns to names what they hold, only elsewhere: `x, y = x.to(device), y.cuda()`."""
    (target, *others), value = stmt.targets, stmt.value
    if others:
        return False
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts))
        return len(target.elts) == len(value.elts) and all(_is_moved(facts, t, v) for t, v in pairs)
    return _is_moved(facts, target, value)


def _is_moved(facts: Facts, target: ast.expr, value: ast.expr) -> bool:
    if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)) or not isinstance(value, ast.Call):
        return False
    if not isinstance(value.func, ast.Attribute) or value.func.attr not in _PLACING:
        return False
    place = ast.unparse(target)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _PLACING:
        site = site_of(facts, value)
        if site is None or site.receiver is None or apply(site).edits != (Replace(value, "$0", (site.receiver,)),):
            return False
        value = site.receiver
    return not isinstance(value, ast.Call) and ast.unparse(value) == place


def _indexed(facts: Facts, node: ast.AST) -> Iterator[Diagnostic]:
    """An explicit index other than 0 has no place to go."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and (said := lost_index(facts, part)) is not None:
            yield said


TRANSFORM = Device()
