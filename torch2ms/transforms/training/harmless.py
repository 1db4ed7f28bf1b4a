"""Statements between forward and backward that only look (logging, metrics); they may run after the gradient."""

from __future__ import annotations

import ast

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
    for stmt in reversed(region.stmts):
        if stmt in dropped:
            continue
        gives, takes = flow.writes([stmt]), flow.reads([stmt])
        if not gives & needed and not takes & written and not gives & written and _only_looks(facts, stmt):
            later.insert(0, stmt)
            continue
        kept.insert(0, stmt)
        needed |= takes
        written |= gives
    return kept, later


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
