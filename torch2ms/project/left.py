"""What is left of PyTorch in a file: uses of its API outside skipped code, and calls that stand for unsupported ones."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.source import SourceFile, Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_PACKAGES = ("torch", "torchvision", "torchaudio")


def left_in(source: SourceFile) -> tuple[Diagnostic, ...]:
    """T2M009 at each import of PyTorch that unskipped code uses, T2M010 at each call of `unsupported`."""
    from torch2ms.analysis.facts import facts_for

    try:
        facts = facts_for(source, ast.parse(source.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return (*_imports(facts), *_unsupported(facts))


def _imports(facts: Facts) -> Iterator[Diagnostic]:
    uses = _uses(facts)
    for binding in facts.names.imports:
        package = binding.module.partition(".")[0] or binding.target.partition(".")[0]
        if package not in _PACKAGES or facts.skipped(binding.stmt):
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


def _uses(facts: Facts) -> dict[str, Counter[str]]:
    uses: dict[str, Counter[str]] = {}
    for node in ast.walk(facts.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            name = facts.names.of(node)
            if name is not None and name.partition(".")[0] in _PACKAGES:
                uses.setdefault(node.id, Counter())["skipped" if facts.skipped(node) else "used"] += 1
    return uses


def _unsupported(facts: Facts) -> Iterator[Diagnostic]:
    for node in ast.walk(facts.tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = facts.names.of(node.func) or ""
        words = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        # the runtime may be vendored under any name; what it is given tells it from a function of the user's
        if name.rpartition(".")[2] == "unsupported" and "." in name and words and words[0].startswith("torch"):
            api, advice = words[0], words[2] if len(words) > 2 else ""
            yield Diagnostic("T2M010", Span.of(node), f"{api} has no counterpart and raises when it is reached", advice)
