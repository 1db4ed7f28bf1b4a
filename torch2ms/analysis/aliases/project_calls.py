"""Calls of the functions of the project, by what is known of their effects, and of functions nothing is known of."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.storage import NOTHING, OUTSIDE_ROOT, Root, State, Value, union
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.project import CallEffects


@dataclass(slots=True)
class Given:
    """The arguments of a call with what they can share."""

    node: ast.Call
    args: list[Value]
    keywords: dict[str, Value]

    @property
    def all(self) -> Value:
        """All arguments together."""
        return union([NOTHING, *self.args, *self.keywords.values()])

    @property
    def first(self) -> Value:
        """The first argument, by position or by the name that PyTorch gives it."""
        if self.args:
            return self.args[0]
        return next(
            (self.keywords[k] for k in ("input", "tensor", "data", "self", "tensors") if k in self.keywords), NOTHING
        )


def apply_effects(
    ev: Context, effects: CallEffects, parameters: list[str], given: Given, receiver: Value | None, state: State
) -> Value:
    """Carries the effects of a known function out and says what its result can share."""
    by_name = arguments_by_name(parameters, given, receiver)
    roots: frozenset[Root] = frozenset()
    for name, value in by_name.items():
        if name in effects.keeps:
            state.escape(value)
            for holder in by_name.values():
                if holder is not value:
                    state.put(Value(state.reach(holder)), value)
        if name in effects.shares:
            roots |= state.reach(value)
    ev.unsettle(state)
    if effects.outside:
        roots |= {OUTSIDE_ROOT}
    info = ev.kinds.of(given.node)
    if info.certain and info.kind in TENSOR_KINDS:
        return Value(roots | state.allocate(given.node).roots, not roots)
    return Value(roots | state.contain(given.node, [Value(roots), state.allocate(given.node.func)]).roots)


def arguments_by_name(parameters: list[str], given: Given, receiver: Value | None) -> dict[str, Value]:
    """Which parameter gets what; what cannot be told apart goes to every parameter."""
    names = list(parameters)
    by_name: dict[str, Value] = {}
    if receiver is not None and names:
        by_name[names.pop(0)] = receiver
    starred = any(isinstance(a, ast.Starred) for a in given.node.args) or "**" in given.keywords
    if starred:
        return {**by_name, **dict.fromkeys(names, given.all)}
    for name, value in zip(names, given.args, strict=False):
        by_name[name] = value
    rest = given.args[len(names) :]
    for name, value in given.keywords.items():
        by_name[name] = value
    if rest and names:
        by_name[names[-1]] = union([by_name.get(names[-1], NOTHING), *rest])
    return by_name


def call_unknown(ev: Context, given: Given, held: Value, state: State) -> Value:
    """A call that may do anything."""
    state.escape(held)
    ev.unsettle(state)
    return Value(state.reach(held) | {OUTSIDE_ROOT})
