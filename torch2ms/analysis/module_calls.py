"""The kinds of calls of modules and autograd Functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.lattice import (
    BOTTOM,
    MAYBE_TENSOR,
    UNKNOWN,
    Kind,
    KindInfo,
    join_all,
    uncertain,
    works_in_place,
)
from torch2ms.analysis.torch_objects import layer_result

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator


def call_module(ev: Evaluator, info: KindInfo, arguments: Arguments) -> KindInfo:
    """What calling a module gives."""
    if info.keys is not None or works_in_place(info) is not None:
        ev.unit.writes = True
    if not info.classes:
        return MAYBE_TENSOR
    result = join_all([_call_one_module(ev, info, cls, arguments) for cls in info.classes])
    return result if info.certain else uncertain(result)


def _call_one_module(ev: Evaluator, info: KindInfo, cls: str, arguments: Arguments) -> KindInfo:
    found = ev.engine.call_method(ev, cls, "forward", arguments.args, arguments.keywords, arguments)
    if found is not None:
        return found
    for base in ev.project.bases(cls):
        if base == "torch.nn.Sequential":
            return _call_sequential(ev, info, arguments)
        if base.startswith(("torch.nn.", "torchvision.models.", "einops.")) and base not in (
            "torch.nn.Module",
            "torch.nn.ModuleList",
            "torch.nn.ModuleDict",
        ):
            if not arguments.starred:
                for arg in arguments.args[:2] if base.endswith("Loss") else arguments.args[:1]:
                    ev.prove(arg)
            return layer_result(base)
    return UNKNOWN


def _call_sequential(ev: Evaluator, info: KindInfo, arguments: Arguments) -> KindInfo:
    result = Arguments(None, arguments.args, {}, False)
    if info.items is not None:
        for step in info.items:
            result = Arguments(None, [ev.call(step, result)], {})
        return result.args[0] if result.args else UNKNOWN
    if info.element is None or info.element is BOTTOM:
        return MAYBE_TENSOR if info.element is None else BOTTOM
    once = ev.call(info.element, result)
    return join_all([once, ev.call(info.element, Arguments(None, [once], {}))])


def apply_function(ev: Evaluator, cls: str, arguments: Arguments) -> KindInfo:
    """`F.apply(...)` of an autograd.Function."""
    context = KindInfo(Kind.OTHER, cls=f"{cls}.<ctx>")
    for unit in ev.engine.first_units(cls, "forward"):
        bound = [] if ev.engine.definers(cls, "setup_context") else [context]
        return ev.engine.call_unit(
            ev, unit, Arguments(arguments.node, [*bound, *arguments.args], arguments.keywords, arguments.starred)
        )
    return MAYBE_TENSOR
