"""What both traced sides share: which modules exist, what is noted at a backward and at a step, when to stop."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from torch2ms.verify.trace import Stop, Trace

# a script without an optimizer is stopped after this many backwards for every step asked for
_BACKWARDS_PER_STEP = 50
_SAME_NAMES = {"SequentialCell": "Sequential", "CellList": "ModuleList", "CellDict": "ModuleDict"}


@dataclass(frozen=True, slots=True)
class Framework:
    """How to look into the modules of one framework; every function takes one module."""

    children: Callable[[Any], Iterable[Any]]
    state: Callable[[Any], dict[str, np.ndarray]]
    flags: Callable[[Any], dict[str, bool]]
    counts: Callable[[Any], bool] = lambda module: True


@dataclass(slots=True)
class Recorder:
    """Fills a Trace while a script runs; raises Stop when `steps` optimizer steps were seen."""

    trace: Trace
    steps: int
    framework: Framework
    optimizing: bool = False  # whether an optimizer was constructed
    _modules: list[weakref.ref[Any]] = field(default_factory=list)
    _late: list[weakref.ref[Any]] = field(default_factory=list)  # those of them that are younger than an optimizer
    _trained: list[Any] = field(default_factory=list)

    def created(self, module: Any) -> None:
        """Note that a module was constructed."""
        self._modules.append(weakref.ref(module))
        if self.optimizing:
            self._late.append(self._modules[-1])

    def roots(self) -> dict[str, Any]:
        """The living modules that no other module holds, named by class and order of creation."""
        alive = [m for m in (ref() for ref in self._modules) if m is not None and self._whole(m)]
        late = {id(m) for m in (ref() for ref in self._late) if m is not None}
        wrappers = self._wrappers(alive, late)
        held = {
            id(child)
            for module in alive
            for child in self.framework.children(module)
            if id(module) not in wrappers or id(child) in late
        }
        seen: Counter[str] = Counter()
        named = {}
        for module in alive:
            if id(module) in held | wrappers or not self.framework.counts(module):
                continue
            name = _SAME_NAMES.get(type(module).__name__, type(module).__name__)
            named[f"{name}#{seen[name]}"] = module
            seen[name] += 1
        return named

    def _wrappers(self, alive: list[Any], late: set[int]) -> set[int]:
        """Modules made around a trained one while it trains: one side's graph may keep them alive, the other's not."""

        early = {id(module) for module in alive} - late

        def wraps(module: Any) -> bool:
            children = list(self.framework.children(module))
            return id(module) in late and any(id(child) in early or wraps(child) for child in children)

        return {id(module) for module in alive if wraps(module)} if late else set()

    def _whole(self, module: Any) -> bool:
        # a module whose __init__ failed or has not finished has no table of children yet
        try:
            list(self.framework.children(module))
        except AttributeError:
            return False
        return True

    def state(self) -> dict[str, np.ndarray]:
        """Weights and buffers of all roots, as "Class#ordinal/key"."""
        return {
            f"{name}/{key}": value
            for name, root in self.roots().items()
            for key, value in self.framework.state(root).items()
        }

    def backward(self, loss: float) -> None:
        """Note one backward and its loss."""
        if not self.trace.backwards:
            self.trace.start = self.state()
            # a script may end with another model in the place of the one that it trained
            self._trained = list(self.roots().values())
        self.trace.losses.append(loss)
        self.trace.backwards += 1
        if self.trace.backwards > self.steps * _BACKWARDS_PER_STEP:
            self.trace.final = self.state()
            raise Stop

    def step(self) -> None:
        """Note one optimizer step."""
        self.trace.steps += 1
        flags = {}
        for name, root in self.roots().items():
            flags.update({f"{name}/{key}": value for key, value in self.framework.flags(root).items()})
        self.trace.flags.append(flags)
        # a model that lives in a function is gone when the script has ended
        self.trace.final = self.state()
        if self.trace.steps >= self.steps:
            raise Stop

    def gradient(self, key: str, largest: float) -> None:
        """Note the largest absolute gradient that a weight has seen."""
        self.trace.gradients[key] = max(self.trace.gradients.get(key, 0.0), largest)
