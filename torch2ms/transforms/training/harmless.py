"""Statements between forward and backward that only look (logging, metrics); they may run after the gradient."""

from __future__ import annotations

import ast

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.flow import Flow
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.region import Region
from torch2ms.transforms.training.tree import own_nodes

_BUILTINS = frozenset(
    "print len float int str repr round min max sum abs isinstance range zip enumerate sorted list tuple dict set "
    "bool format any all map exit quit".split()
)
_METHODS = frozenset(
    "item tolist numpy cpu detach size dim argmax max min sum mean eq data view float long append extend format "
    "join set_postfix set_postfix_str set_description update write refresh flush info debug warning error log "
    "add_scalar add_scalars".split()
)
_SHARED = (Sharing.MAYBE, Sharing.SURE)
_PACKAGES = ("numpy.", "math.", "time.", "logging.", "sys.", "wandb.", "tqdm.")
_DRAWS = (
    "torch.rand",
    "torch.normal",
    "torch.bernoulli",
    "torch.multinomial",
    "torch.nn.functional.dropout",
    "numpy.random.",
)


def split(facts: Facts, flow: Flow, region: Region, dropped: set[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements of a region that make the loss, and those that can run after the gradient."""
    kept: list[ast.stmt] = []
    later: list[ast.stmt] = []
    needed = flow.reads([event.owner for event in (*region.site.more, region.site)])
    written: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()  # names that the statements read which stay
    for stmt in reversed(region.stmts):
        if stmt in dropped:
            continue
        gives, takes = flow.writes([stmt]), flow.reads([stmt])
        free = not gives & needed and not takes & written and not gives & written and not _left_in(stmt) & seen
        if (
            free
            and _only_looks(facts, stmt)
            and _may_pass(facts, flow, stmt, kept)
            and not _changes(facts, flow, stmt, needed)
        ):
            later.insert(0, stmt)
            continue
        kept.insert(0, stmt)
        needed |= takes
        seen |= takes | _left_in(stmt)
        written |= gives
    return kept, later


def _may_pass(facts: Facts, flow: Flow, stmt: ast.stmt, kept: list[ast.stmt]) -> bool:
    """Whether nothing that the statements behind it do can be seen by a statement, or hangs on its jump."""
    if not kept:
        return True
    states = (Kind.OPTIMIZER, Kind.SCHEDULER, Kind.SCALER)
    if any(isinstance(n, (ast.Name, ast.Attribute)) and facts.kinds.of(n).kind in states for n in own_nodes(stmt)):
        return False
    return not flow.jumps([stmt]) or all(_is_pure(facts, one) for one in kept)


def _is_pure(facts: Facts, stmt: ast.stmt) -> bool:
    """Whether a statement only computes: it may run although the loop was to be left before it."""
    if _left_in(stmt):
        return False
    for node in own_nodes(stmt):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.Call) and not _harmless(facts, node):
            kind = facts.kinds.of(node.func)
            if (
                kind.kind is not Kind.MODULE
                or not (kind.cls or "").startswith("torch.nn.")
                or "Loss" not in (kind.cls or "")
            ):
                return False
    return True


def _left_in(stmt: ast.stmt) -> frozenset[str]:
    """The objects that calls for their own sake may change: `log` of `log.append(x)`; `print` for what it writes."""
    found: set[str] = set()
    for node in own_nodes(stmt):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        func: ast.expr = node.value.func
        while isinstance(func, (ast.Attribute, ast.Subscript, ast.Call)):
            func = func.func if isinstance(func, ast.Call) else func.value
        if isinstance(func, ast.Name):
            found.add(func.id)
    return frozenset(found)


def _changes(facts: Facts, flow: Flow, stmt: ast.stmt, needed: frozenset[str]) -> bool:
    """Whether a statement changes something that the names stand for, without binding them."""
    inner = set(ast.walk(stmt))
    aliases = facts.aliases(flow.function)
    for write in aliases.writes:
        if write.node in inner:
            holders = aliases.holders(write.target)
            if any(s in _SHARED and name.partition(".")[0] in needed for name, s in holders.items()):
                return True
    return False


def _only_looks(facts: Facts, stmt: ast.stmt) -> bool:
    if isinstance(
        stmt, (ast.With, ast.AsyncWith, ast.Try, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Delete)
    ):
        return False
    for node in own_nodes(stmt):
        if isinstance(node, ast.Call) and not _harmless(facts, node):
            return False
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.Return)):
            return False
        if isinstance(node, (ast.Name, ast.Attribute)) and facts.kinds.of(node).kind in (Kind.MODULE, Kind.PARAMETER):
            return False
    return True


def _harmless(facts: Facts, call: ast.Call) -> bool:
    name = facts.names.of(call.func)
    if name is not None:
        root, _, last = name.rpartition(".")
        if root == "builtins":
            return last in _BUILTINS
        return name.startswith(("torch.", *_PACKAGES)) and not name.startswith(_DRAWS)
    return isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS
