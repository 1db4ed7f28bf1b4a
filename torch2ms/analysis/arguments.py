"""The arguments of a call and the parameters they land in."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from torch2ms.analysis.lattice import KindInfo, join_all


@dataclass(slots=True)
class Arguments:
    """The kinds of the arguments of a call; a starred argument stands once, `starred` says so."""

    node: ast.Call | None
    args: list[KindInfo]
    keywords: dict[str, KindInfo]
    starred: bool = False

    def get(self, position: int, keyword: str) -> KindInfo | None:
        """An argument by position or name."""
        if position < len(self.args):
            return self.args[position]
        return self.keywords.get(keyword)


def bind_arguments(
    args: ast.arguments, arguments: Arguments, iterate: Callable[[KindInfo], KindInfo]
) -> dict[str, KindInfo]:
    """Which parameter gets which argument."""
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    known = {*names, *(a.arg for a in args.kwonlyargs)}
    passed: dict[str, KindInfo] = {}
    given = arguments.args
    starred = _starred_at(arguments)
    if starred is not None:
        spread = iterate(given[starred])
        given = [*given[:starred], *([spread] * max(0, len(names) - starred))]
    for name, info in zip(names, given, strict=False):
        passed[name] = info
    if args.vararg is not None and len(given) > len(names):
        passed[args.vararg.arg] = join_all(given[len(names) :])
    extra = [info for name, info in arguments.keywords.items() if name not in known]
    passed.update({name: info for name, info in arguments.keywords.items() if name in known})
    if args.kwarg is not None and extra:
        passed[args.kwarg.arg] = join_all(extra)
    return passed


def _starred_at(arguments: Arguments) -> int | None:
    if not arguments.starred or arguments.node is None:
        return None
    offset = len(arguments.args) - len(arguments.node.args)
    for position, arg in enumerate(arguments.node.args):
        if isinstance(arg, ast.Starred):
            return position + offset
    return None
