"""What becomes of a PyTorch API, as the tables say it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch2ms import rules
from torch2ms.analysis.canonical import canonical
from torch2ms.project.errors import did_you_mean

_SHORT = {"nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim", "Tensor": "torch.Tensor"}
_PLACES = (
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.Tensor",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.utils.data",
    "torch.nn.Module",
    "torch.nn.init",
)


def explain_api(topic: str) -> list[str]:
    """Lines about an API, given in full (`torch.nn.Conv2d`) or as it stands in code (`nn.Conv2d`, `view`); empty: unknown."""
    lines: list[str] = []
    for name in _candidates(topic):
        if lines:
            lines.append("")
        rule = rules.find(name)
        assert rule is not None
        lines += _lines(name, rule)
    if not lines:
        lines = [f"{topic} is not in the tables{did_you_mean(topic, rules.INDEX)}"]
    return lines


def known(topic: str) -> bool:
    """Whether the tables say anything about the topic."""
    return bool(_candidates(topic))


def _candidates(topic: str) -> list[str]:
    topic = topic.removesuffix("()")
    first, _, rest = topic.partition(".")
    full = f"{_SHORT[first]}.{rest}" if first in _SHORT and rest else topic
    name = canonical(full)
    for known_name in (name, full):
        if known_name in rules.INDEX:
            return [known_name]
    if "." in topic:
        # a row for everything in a namespace (`torch.fx.*`) speaks of each of its names
        return [name] if rules.find(name) is not None else []
    return [f"{place}.{topic}" for place in _PLACES if f"{place}.{topic}" in rules.INDEX]


def _lines(name: str, rule: rules.Api | Callable[..., Any]) -> list[str]:
    if not isinstance(rule, rules.Api):
        said = " ".join((rule.__doc__ or "Its form depends on the arguments.").split())
        return [f"{name} converts by a rule of its own", f"  {said}"]
    if rule.mindspore is None:
        return [
            f"{name} has no counterpart in MindSpore (T2M101)",
            f"  PyTorch:  {rule.torch if not rule.torch.endswith('.*') else f'all of {rule.torch[:-2]}'}",
            f"  instead:  {rule.note}",
        ]
    lines = [f"{name} converts", f"  PyTorch:    {rule.torch}", f"  MindSpore:  {rule.mindspore}"]
    if rule.note:
        lines.append(f"  note:       {rule.note}")
    lines.append(
        "  An argument that does not stand on the right may be left out or have its default; otherwise T2M102."
    )
    return lines
