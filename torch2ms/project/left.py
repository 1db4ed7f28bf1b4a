"""What is left of PyTorch in a file: uses of its API outside skipped code, and calls that stand for unsupported ones."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Provenance
from torch2ms.source import SourceFile, Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts, Options, ProjectFacts

_PACKAGES = ("torch", "torchvision", "torchaudio")


def left_in(
    source: SourceFile, project: ProjectFacts | None, options: Options, strict: bool = False
) -> tuple[Diagnostic, ...]:
    """T2M009 at each import of PyTorch that unskipped code uses, T2M010 at each call of `unsupported`.

    With `strict` also T2M107 at each use that rests on the name of a method.
    """
    from torch2ms.analysis.facts import facts_for

    modules = project.modules.values() if project is not None else ()
    name = next((module.name for module in modules if module.path == source.path), "")
    try:
        facts = facts_for(source, ast.parse(source.text), name, project, options)
        return (*_imports(facts), *_unsupported(facts), *(_by_name(facts) if strict else ()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _by_name(facts: Facts) -> Iterator[Diagnostic]:
    from torch2ms.resolve import site_of

    for node in ast.walk(facts.tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load) or facts.skipped(node):
            continue
        site = site_of(facts, node)
        if site is not None and site.provenance is Provenance.ONE_NAME:
            yield Diagnostic("T2M107", Span.of(node), f"`.{node.attr}` is taken for {site.name} by its name alone")


def _imports(facts: Facts) -> Iterator[Diagnostic]:
    uses = _uses(facts)
    for binding in facts.names.imports:
        if not _is_pytorch(binding.target) or facts.skipped(binding.stmt):
            continue
        counts = uses.get(binding.local, Counter())
        if counts["skipped"] and not counts["used"]:
            continue
        number = counts["used"]
        used = f", used {number} time{'s' * (number != 1)} here" if number else ""
        yield Diagnostic(
            "T2M009",
            Span.of(binding.stmt),
            f"PyTorch is left: {binding.target}{used}",
            "convert the file with `torch2ms convert`",
        )


def _is_pytorch(name: str) -> bool:
    return name.partition(".")[0] in _PACKAGES


def _uses(facts: Facts) -> dict[str, Counter[str]]:
    uses: dict[str, Counter[str]] = {}
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            name = facts.names.of(node)
            if name is not None and _is_pytorch(name):
                uses.setdefault(node.id, Counter())["skipped" if facts.skipped(node) else "used"] += 1
    return uses


def _unsupported(facts: Facts) -> Iterator[Diagnostic]:
    from torch2ms.analysis.canonical import is_replaced

    for node in ast.walk(facts.tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = facts.names.of(node.func) or ""
        words = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        # the runtime may be vendored under any name; what it is given tells it from a function of the user's
        if name.rpartition(".")[2] in ("unsupported", "unsupported_api") and "." in name and words and is_replaced(words[0]):
            api, advice = words[0], words[2] if len(words) > 2 else ""
            yield Diagnostic("T2M010", Span.of(node), f"{api} has no counterpart and raises when it is reached", advice)
