"""Decides what changes in a file: transforms claim first, then one walk asks the rules about every use of PyTorch."""
from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.canonical import is_torch
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.scopes import children
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Insert, Provenance, Replace, Splice, Stats
from torch2ms.emit.index import item_parts, kept
from torch2ms.rules import Outcome, Site, apply, knows, method_sites
from torch2ms.rules.methods import OWNERS
from torch2ms.source import Span
from torch2ms.transforms import transforms

_OWNER_OF = {kind: owner for owner, kind in OWNERS.items()} | {"PARAMETER": "torch.Tensor"}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything to change and to say about one file."""

    edits: tuple[Edit, ...]
    diagnostics: tuple[Diagnostic, ...]
    stats: Stats


def plan(facts: Facts) -> Plan:
    """The plan of one file."""
    planner = _Planner(facts)
    planner.claim()
    planner.walk()
    return planner.result()


class _Planner:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._edits: list[Edit] = []
        self._said: list[Diagnostic] = []
        self._sites: Counter[str] = Counter()
        self._apis: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._loops: Counter[str] = Counter()
        # claimed nodes, and those inside them that live on in the new code
        self._closed: dict[ast.AST, str] = {}
        self._open: set[ast.AST] = set()

    def result(self) -> Plan:
        said = sorted(dict.fromkeys(self._said), key=lambda d: (d.span, d.code, d.message))
        stats = Stats(dict(self._sites), dict(self._apis), dict(self._refused), dict(self._loops))
        return Plan(tuple(dict.fromkeys(self._edits)), tuple(said), stats)

    # transforms

    def claim(self) -> None:
        for transform in transforms():
            for found in transform.find(self._facts):
                if isinstance(found, Diagnostic):
                    self._said.append(found)
                else:
                    self._take(found)

    def _take(self, claim: Claim) -> None:
        for node in claim.nodes:
            other = self._holder(node)
            if other is not None and other != claim.transform:
                message = f"{claim.transform} and {other} both want to rewrite this"
                self._said.append(Diagnostic("T2M902", Span.of(node), message, "please report it"))
                return
        self._closed.update(dict.fromkeys(claim.nodes, claim.transform))
        for edit in claim.edits:
            self._open.update(_parts(edit))
        self._edits += claim.edits
        self._said += claim.diagnostics
        if claim.form:
            self._loops[claim.form] += 1
        if claim.provenance is not None:
            self._sites[claim.provenance.value] += 1

    def _holder(self, node: ast.AST | None) -> str | None:
        """The transform that holds a node already."""
        while node is not None:
            if node in self._closed:
                return self._closed[node]
            if node in self._open:
                return None
            node = self._facts.parent(node)
        return None

    # rules

    def walk(self) -> None:
        stack: list[tuple[ast.AST, bool]] = [(self._facts.tree, True)]
        while stack:
            node, live = stack.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and self._facts.skipped(node):
                self._said.append(Diagnostic("T2M006", Span.of(node), f"`{node.name}` is left alone, as its comment asks"))
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            closed = node in self._closed
            live = (live and not closed) or node in self._open
            inner = list(self._site(node)) if live and not closed else list(children(node))
            stack.extend((child, live) for child in reversed(inner))

    def _site(self, node: ast.AST) -> Iterator[ast.AST]:
        """Asks the rules about a node; yields what is to be looked at inside it."""
        if isinstance(node, ast.Call):
            found = self._resolve(node.func)
            if found is not None:
                yield from self._convert(node, *found)
            elif isinstance(node.func, ast.Attribute):
                yield node.func.value
            else:
                yield node.func
            yield from node.args
            yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, (ast.Attribute, ast.Name)):
            found = self._resolve(node)
            if found is not None and (isinstance(node.ctx, ast.Load) or found[1] is None):
                yield from self._convert(node, *found)
            else:
                yield from children(node)
        elif isinstance(node, ast.Constant):
            text = self._facts.names.annotation(node)
            if text is not node:
                yield text
        else:
            yield from children(node)

    def _convert(self, node: ast.expr, name: str, receiver: ast.expr | None, provenance: Provenance) -> Iterator[ast.AST]:
        outcome = apply(Site(name, node, Span.of(node), provenance, receiver, self._facts))
        self._record(name, outcome)
        if receiver is not None:
            yield receiver

    def _record(self, name: str, outcome: Outcome) -> None:
        self._edits += outcome.edits
        self._said += outcome.diagnostics
        self._sites[outcome.provenance.value] += 1
        table = self._refused if outcome.provenance is Provenance.REFUSED else self._apis
        table[name] += 1

    def _resolve(self, node: ast.expr) -> tuple[str, ast.expr | None, Provenance] | None:
        """The API that a callee or value is, its receiver, and how sure that is; None for what is not PyTorch's."""
        name = self._facts.names.of(node)
        if name is not None:
            return (name, None, Provenance.PROVEN) if is_torch(name) else None
        if not isinstance(node, ast.Attribute):
            return None
        info = self._facts.kinds.of(node.value)
        if not info.known:
            return self._by_name(node)
        found = self._method(info.kind.name, info.classes, node.attr)
        return (found, node.value, Provenance.PROVEN) if found else None

    def _method(self, kind: str, classes: tuple[str, ...], attr: str) -> str | None:
        """The canonical name of a method or attribute of an object of a known kind."""
        project = self._facts.project
        for cls in classes:
            if project.method(cls, attr) is not None or project.attribute(cls, attr) is not None:
                return None
        for cls in classes:
            for base in project.bases(cls):
                if is_torch(base) and knows(f"{base}.{attr}"):
                    return f"{base}.{attr}"
        owner = _OWNER_OF.get(kind)
        return f"{owner}.{attr}" if owner and knows(f"{owner}.{attr}") else None

    def _by_name(self, node: ast.Attribute) -> tuple[str, ast.expr | None, Provenance] | None:
        """What the name of a method tells where the receiver is unknown."""
        method = method_sites(node.attr)
        if not method.owners:
            return None
        if method.one_name:
            return f"{method.owners[0]}.{node.attr}", node.value, Provenance.ONE_NAME
        if method.guarded:
            return f"torch.Tensor.{node.attr}", node.value, Provenance.GUARDED
        return None


def _parts(edit: Edit) -> Iterator[ast.AST]:
    """The nodes inside a claim that go on living in the new code."""
    match edit:
        case Replace():
            yield from edit.parts
        case Splice() | Insert():
            yield from item_parts(edit.items)
            yield from kept(edit.items)
