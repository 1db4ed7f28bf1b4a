"""Optimizers whose rule is one formula for every parameter: run eagerly at first, compiled from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, ops

from .._lower.assignment import assign
from .._lower.lifting import mapped, widened
from .._lower.state import STATE
from . import _state
from .optimizer import Optimizer

Scalars = tuple[float, ...]
Flags = tuple[Any, ...]

_MOST_COMPILED = 8


class Elementwise(Optimizer):
    """Base of the optimizers whose update of a parameter is `rule(p, g, state, scalars, flags) -> (p, state)`.

    The rule is a function of tensors that `@mindspore.jit` compiles. Numbers that change from step to step (learning
    rate, bias corrections) come in as scalars, computed in double precision on the host, so that a new learning rate
    compiles nothing; what selects a formula is a flag.

    compile_after: so many updates of the same parameters run eagerly before one graph is compiled for all of them (a
    short program never waits for the compiler). None means never.
    """

    compile_after: int | None = 4

    rule: Callable[..., Any]
    # a rule of in-place kernels for float32 parameters, and the positions of the scalars that it takes
    fused: Callable[..., Any] | None = None
    fused_scalars: Sequence[int] = ()
    # whether that rule takes a tensor more, behind the state, that it may write to as it likes
    fused_needs_room: bool = False

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        self._forget()

    def _forget(self) -> None:
        self._seen: dict[Any, int] = {}
        self._compiled: dict[Any, _Compiled] = {}
        self._tensors: dict[Any, Tensor] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._forget()

    # -- what an optimizer says about itself --------------------------------------------------------------------------

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        """Return the names of the state tensors that the rule takes, in order."""
        raise NotImplementedError

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        """Bring the state of one parameter to this step; return the scalars and flags of its rule."""
        raise NotImplementedError

    # -- the update ---------------------------------------------------------------------------------------------------

    def update_group(self, index: int, group: dict[str, Any], pairs: list[tuple[Parameter, Tensor]]) -> None:
        names = self.tensor_names(group)
        buckets: dict[Any, list[tuple[Parameter, Tensor, tuple[Parameter, ...]]]] = {}
        for p, g in pairs:
            state = self.state[p] if names else {}
            scalars, flags = self.prepare(group, p, g, state)
            key = scalars, flags, _state.compute_dtype(p.dtype)
            buckets.setdefault(key, []).append((p, g, tuple(state[name] for name in names)))
        for (scalars, flags, dtype), members in buckets.items():
            self._update_bucket(members, scalars, flags, dtype)

    def _update_bucket(self, members: list[Any], scalars: Scalars, flags: Flags, dtype: Any) -> None:
        step = self._compiled_step(members, flags)
        if step is not None:
            taken = [scalars[i] for i in self.fused_scalars] if step.fused else scalars
            step([g for _, g, _ in members], taken, dtype)
            return
        values = tuple(self._scalar(value, dtype) for value in scalars)
        rule = type(self).rule
        for p, g, state in members:
            new_p, new_state = rule(*mapped((p, g, state), widened), values, flags)
            assign(p, new_p.astype(p.dtype))
            for old, new in zip(state, new_state):
                assign(old, new.astype(old.dtype))

    def _scalar(self, value: float, dtype: Any) -> Tensor:
        key = value, dtype
        if key not in self._tensors:
            if len(self._tensors) > 64:
                self._tensors.clear()
            self._tensors[key] = Tensor(value, dtype)
        return self._tensors[key]

    def _compiled_step(self, members: list[Any], flags: Flags) -> _Compiled | None:
        """Return the compiled update of these parameters, or None as long as it does not pay."""
        # MindSpore's graphs for the CPU have no kernels for bfloat16
        if self.compile_after is None or STATE.awake and any(p.dtype == mindspore.bfloat16 for p, _, _ in members):
            return None
        key = flags, tuple(id(p) for p, _, _ in members), tuple(id(s) for _, _, state in members for s in state)
        if key in self._compiled:
            return self._compiled[key]
        self._seen[key] = self._seen.get(key, 0) + 1
        if self._seen[key] <= self.compile_after or len(self._compiled) >= _MOST_COMPILED:
            return None
        fused = type(self).fused
        single = all(p.dtype == g.dtype == mindspore.float32 for p, g, _ in members)
        if fused is not None and single and fused(None, None, None, None, flags):
            self._compiled[key] = _Compiled(_build_fused(fused, self._with_room(members), flags), members, True)
        else:
            self._compiled[key] = _Compiled(_build(type(self).rule, members, flags), members, False)
        return self._compiled[key]


    def _with_room(self, members: list[Any]) -> list[Any]:
        """The members with a tensor that the rule may write to; parameters of one shape share it, one after the other."""
        if not self.fused_needs_room:
            return members
        room: dict[tuple[int, ...], Parameter] = {}
        for p, _, _ in members:
            if p.shape not in room:
                room[p.shape] = Parameter(_state.zeros(p), name=f"room.{len(room)}", requires_grad=False)
        return [(p, g, (*state, room[p.shape])) for p, g, state in members]


class _Compiled:
    """A compiled update of some parameters and their state.

    A graph that reads all its inputs runs faster and goes on writing to where its parameters lay when it was compiled,
    whatever `set_data` did since. So their addresses are compared, and once one has changed the graph is compiled with
    an input that it does not read, for then it looks its parameters up.
    """

    def __init__(self, step: Callable[..., Any], members: Sequence[Any], fused: bool) -> None:
        self._step = step
        self._tensors: tuple[Parameter, ...] = tuple(t for p, _, state in members for t in (p, *state))
        self._addresses: list[int] | None = None
        self._moved = False
        self.fused = fused

    def __call__(self, grads: Sequence[Tensor], scalars: Sequence[float], dtype: Any) -> None:
        # all scalars in one tensor: every kernel that reads an input of the graph pays for it
        numbers = Tensor.from_numpy(np.array(scalars, mindspore.dtype_to_nptype(dtype)))
        if self._moved:
            self._step(*grads, numbers, numbers)
        elif self._addresses is None:
            self._compile(*grads, numbers)
            self._addresses = [t.data_ptr() for t in self._tensors]
        elif self._addresses == [t.data_ptr() for t in self._tensors]:
            self._step(*grads, numbers)
        else:
            self._moved = True
            self._compile(*grads, numbers, numbers)

    def _compile(self, *tensors: Tensor) -> None:
        """Call the step for the first time; while it is compiled, all parameters have names of their own."""
        names = [t.name for t in self._tensors]
        for i, t in enumerate(self._tensors):
            t.name = f"optimizer.{i}"
        try:
            self._step(*tensors)
        finally:
            for t, name in zip(self._tensors, names):
                t.name = name


def _build(rule: Callable[..., Any], members: Sequence[Any], flags: Flags) -> Callable[..., Any]:
    params = tuple(p for p, _, _ in members)
    states = tuple(state for _, _, state in members)

    # gradients one by one: a tuple of tensors would be a constant, compiled anew each time
    @mindspore.jit
    def step(*tensors):  # type: ignore[no-untyped-def]
        values = ops.unstack(tensors[len(params)])
        for i in range(len(params)):
            new_p, new_state = rule(params[i], tensors[i], states[i], values, flags)
            ops.assign(params[i], ops.cast(new_p, params[i].dtype))
            for j in range(len(new_state)):
                ops.assign(states[i][j], ops.cast(new_state[j], states[i][j].dtype))
        return True

    return step


def _build_fused(rule: Callable[..., Any], members: Sequence[Any], flags: Flags) -> Callable[..., Any]:
    params = tuple(p for p, _, _ in members)
    states = tuple(state for _, _, state in members)

    @mindspore.jit
    def step(*tensors):  # type: ignore[no-untyped-def]
        values = ops.unstack(tensors[len(params)])
        for i in range(len(params)):
            rule(params[i], tensors[i], states[i], values, flags)
        return True

    return step
