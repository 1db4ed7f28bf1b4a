"""Decides what changes in a file: transforms claim first, then one walk asks the rules about every use of PyTorch."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import children
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import CallEdit, Claim, Edit, Insert, Provenance, Replace, Splice, Stats
from torch2ms.emit.index import item_parts, kept
from torch2ms.resolve import site_of
from torch2ms.rules import Site, apply
from torch2ms.source import Span
from torch2ms.transforms import transforms

# the nodes that may use PyTorch; all others are looked through
_SITES = frozenset({ast.Call, ast.Attribute, ast.Name, ast.Constant})


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
    planner.finish()
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
        """What was found, in the order of the source."""
        said = sorted(dict.fromkeys(self._said), key=lambda d: (d.span, d.code, d.message))
        stats = Stats(dict(self._sites), dict(self._apis), dict(self._refused), dict(self._loops))
        return Plan(tuple(dict.fromkeys(self._edits)), tuple(said), stats)

    def claim(self) -> None:
        """Lets the transforms claim in their order."""
        for transform in transforms():
            self._take(transform.find(self._facts), getattr(transform, "gives_way", False))

    def finish(self) -> None:
        """Lets transforms clean up behind everything that is planned by now."""
        for transform in transforms():
            finish = getattr(transform, "finish", None)
            if finish is not None:
                self._take(finish(self._facts, tuple(self._edits)))

    def walk(self) -> None:
        """Makes a site of every use of PyTorch that nobody claimed."""
        stack: list[tuple[ast.AST, bool]] = [(self._facts.tree, True)]
        while stack:
            node, live = stack.pop()
            kind = type(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and self._facts.skipped(node):
                self._said.append(
                    Diagnostic("T2M006", Span.of(node), f"`{node.name}` is left alone, as its comment asks")
                )
                continue
            if kind is ast.Import or kind is ast.ImportFrom:
                continue
            closed = node in self._closed
            live = live and not closed or node in self._open
            inner = list(self._site(node)) if live and not closed and kind in _SITES else children(node)
            stack += [(child, live) for child in inner[::-1]]

    def _take(self, found: Iterator[Claim | Diagnostic], gives_way: bool = False) -> None:
        for item in found:
            if isinstance(item, Diagnostic):
                self._said.append(item)
            else:
                self._claimed(item, gives_way)

    def _claimed(self, claim: Claim, gives_way: bool) -> None:
        for node in claim.nodes:
            other = self._holder(node)
            if other is not None and other != claim.transform:
                if gives_way:
                    return
                message = f"{claim.transform} and {other} both want to rewrite this"
                self._said.append(Diagnostic("T2M902", Span.of(node), message, "please report it"))
                return
        self._closed.update(dict.fromkeys(claim.nodes, claim.transform))
        for edit in claim.edits:
            self._open.update(_living(edit))
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

    def _site(self, node: ast.AST) -> Iterator[ast.AST]:
        """Asks the rules about a node; yields what is to be looked at inside it."""
        if isinstance(node, ast.Call):
            site = None if node.func in self._closed else site_of(self._facts, node)
            if site is not None:
                self._convert(site)
                if site.receiver is not None:
                    yield site.receiver
            else:
                yield node.func.value if isinstance(node.func, ast.Attribute) else node.func
            yield from node.args
            yield from (keyword.value for keyword in node.keywords)
        elif isinstance(node, (ast.Attribute, ast.Name)):
            # of assignments only those to PyTorch's own settings are its business: torch.backends.cudnn.benchmark = True
            site = (
                site_of(self._facts, node)
                if isinstance(node.ctx, ast.Load) or isinstance(node, ast.Attribute)
                else None
            )
            if site is not None and (site.receiver is None or isinstance(node.ctx, ast.Load)):
                self._convert(site)
                if site.receiver is not None:
                    yield site.receiver
            else:
                yield from children(node)
        elif isinstance(node, ast.Constant):
            text = self._facts.names.annotation(node)
            if text is not node:
                yield text
        else:
            yield from children(node)

    def _convert(self, site: Site) -> None:
        outcome = apply(site)
        self._edits += outcome.edits
        self._said += outcome.diagnostics
        self._sites[outcome.provenance.value] += 1
        table = self._refused if outcome.provenance is Provenance.REFUSED else self._apis
        table[site.name] += 1


def _living(edit: Edit) -> Iterator[ast.AST]:
    """The nodes inside a claim that live on in the new code."""
    match edit:
        case Replace():
            yield from edit.parts
        case CallEdit(node=call, args=None):
            yield from call.args
            yield from (keyword.value for keyword in call.keywords)
            yield from _kept_receiver(edit)
        case CallEdit(args=args):
            yield from (arg.value for arg in args or () if isinstance(arg.value, ast.expr))
            yield from _kept_receiver(edit)
        case Splice() | Insert():
            yield from item_parts(edit.items)
            yield from kept(edit.items)


def _kept_receiver(edit: CallEdit) -> Iterator[ast.expr]:
    func = edit.node.func
    if isinstance(func, ast.Attribute) and (edit.func is None or "$0" in edit.func):
        yield func.value
