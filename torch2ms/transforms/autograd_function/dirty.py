"""Functions that write their argument in place (ctx.mark_dirty), where they are applied."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Provenance, Replace, unsupported
from torch2ms.source import Span
from torch2ms.transforms.inplace.surroundings import Surroundings


def dirty_positions(node: ast.ClassDef) -> tuple[int, ...]:
    """The positions of the arguments of `apply` that forward marks as dirty."""
    forward = next((s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == "forward"), None)
    if forward is None:
        return ()
    marked = {
        arg.id
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "mark_dirty"
        for arg in call.args
        if isinstance(arg, ast.Name)
    }
    has_setup = any(isinstance(s, ast.FunctionDef) and s.name == "setup_context" for s in node.body)
    parameters = forward.args.args[0 if has_setup else 1 :]
    return tuple(i for i, a in enumerate(parameters) if a.arg in marked)


def refusals(name: str, call: ast.Call, positions: tuple[int, ...], facts: Facts) -> Iterator[Claim]:
    """The refusal of a call after which a view of the written argument is read.

    PyTorch gives such a view the Function's gradient; in MindSpore it would keep its old one.
    """
    around = Surroundings(facts)
    for position in positions:
        if position >= len(call.args):
            continue
        others = around.others(call.args[position])
        views = sorted(n for n, sharing in others.items() if sharing in (Sharing.SURE, Sharing.MAYBE))
        if not views:
            continue
        advice = "write to a tensor of its own, or make the view after the call"
        said = Diagnostic(
            "T2M203",
            Span.of(call),
            f"{name} writes its argument in place, and {', '.join(views)}, which may share its storage, is read later",
            advice,
        )
        text = unsupported(f"{name}.apply", ast.unparse(call), advice)
        yield Claim("autograd_function", (call,), (Replace(call, text),), (said,), provenance=Provenance.REFUSED)
        return


def said_of_value(name: str, apply: ast.expr) -> Diagnostic:
    """The warning for an `apply` that is handed on, so that its calls are not seen."""
    return Diagnostic(
        "T2M302",
        Span.of(apply),
        f"{name} writes its argument in place; right if no view of the argument is read after a call",
        f"call {name}.apply itself, then such calls are refused",
    )
