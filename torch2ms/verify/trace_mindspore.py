"""Traces a converted script: `python -m torch2ms.verify.trace_mindspore --out T.npz --initial FIRST.npz SCRIPT`."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import mindspore
import numpy as np

from torch2ms import runtime
from torch2ms.runtime import _rng, data, nn, optim, tape, train, vision
from torch2ms.runtime.nn import listing
from torch2ms.verify import fake_data, script
from torch2ms.verify.feed import Feed
from torch2ms.verify.record import Framework, Recorder
from torch2ms.verify.trace import Trace


def _array(tensor: mindspore.Tensor) -> np.ndarray:
    return (tensor.float() if tensor.dtype == mindspore.bfloat16 else tensor).asnumpy().copy()


def _state(cell: nn.Cell) -> dict[str, np.ndarray]:
    return {key: _array(value) for key, value in cell.state_dict().items() if isinstance(value, mindspore.Tensor)}


def _flags(cell: nn.Cell) -> dict[str, bool]:
    flags = {f"{name or '.'} training": child.training for name, child in listing.named_modules(cell)}
    return {**flags, **{f"{name} requires_grad": p.requires_grad for name, p in listing.named_parameters(cell)}}


FRAMEWORK = Framework(
    children=listing.children,
    state=_state,
    flags=_flags,
    # the counterpart of an autograd.Function is no module in PyTorch
    counts=lambda cell: not cell.has_bprop,
)


def _install_feed(feed: Feed) -> None:
    def multinomial(probabilities: np.ndarray, n: int, replacement: bool = False, generator: Any = None) -> np.ndarray:
        return feed.multinomial(probabilities, n, replacement)

    _rng.uniform = lambda size, low=0.0, high=1.0, generator=None, dtype=None: feed.uniform(size, low, high)
    _rng.normal = lambda size, mean=0.0, std=1.0, generator=None, dtype=None: feed.normal(size, mean, std)
    _rng.integers = lambda low, high, size, generator=None: feed.integers(low, high, size)
    _rng.permutation = lambda n, generator=None: feed.permutation(n)
    _rng.bernoulli_mask = lambda p, size, generator=None: feed.bernoulli(size, p)
    _rng.exponential = lambda size, rate=1.0, generator=None: feed.exponential(size, rate)
    _rng.multinomial = multinomial


def _watch_cells(recorder: Recorder) -> None:
    original = nn.Cell.__init__

    @functools.wraps(original)
    def init(self: nn.Cell, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        recorder.created(self)

    nn.Cell.__init__ = init  # type: ignore[method-assign]


def _scalar(loss: Any) -> float:
    return float(loss.asnumpy().astype(np.float64).sum())


def _watch_losses(recorder: Recorder) -> None:
    depth = 0

    def value_and_grad(
        fn: Callable[..., Any], grad_position: Any = 0, weights: Any = None, has_aux: bool = False
    ) -> Any:
        run = original(fn, grad_position, weights, has_aux)

        @functools.wraps(fn)
        def recorded(*args: Any, **options: Any) -> Any:
            nonlocal depth
            depth += 1
            try:
                value, grads = run(*args, **options)
            finally:
                depth -= 1
            if depth == 0:
                recorder.backward(_scalar(value[0] if has_aux else value))
            return value, grads

        return recorded

    def backward(loss: Any, gradient: Any = None, *args: Any, **options: Any) -> None:
        recorder.backward(_scalar(loss if gradient is None else loss * gradient))
        original_backward(loss, gradient, *args, **options)

    original, original_backward = train.value_and_grad, tape.backward
    runtime.value_and_grad = train.value_and_grad = value_and_grad
    tape.backward = backward


def _watch_optimizers(recorder: Recorder, initial: dict[str, np.ndarray]) -> None:
    original = optim.Optimizer.__init__
    count = 0

    def init(self: Any, *args: Any, **options: Any) -> None:
        nonlocal count
        original(self, *args, **options)
        recorder.optimizing = True
        for i, p in enumerate(p for group in self.param_groups for p in group["params"]):
            wanted = initial.get(f"{count}/{i}")
            if wanted is not None and wanted.shape == tuple(p.shape):
                p.set_data(mindspore.Tensor(wanted, p.dtype))
        count += 1

    optim.Optimizer.__init__ = init  # type: ignore[method-assign]
    inside = False

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def step(self: Any, *args: Any, **options: Any) -> Any:
            nonlocal inside
            if inside:
                return method(self, *args, **options)
            inside = True
            try:
                result = method(self, *args, **options)
            finally:
                inside = False
            recorder.step()
            return result

        return step

    for cls in _with_subclasses(optim.Optimizer):
        for name in ("step", "__call__"):
            if name in vars(cls):
                setattr(cls, name, counted(vars(cls)[name]))


def _with_subclasses(cls: type) -> Iterable[type]:
    yield cls
    sub: type
    for sub in cls.__subclasses__():
        yield from _with_subclasses(sub)


def _fake_data() -> None:
    for kind in fake_data.IMAGE_SETS:
        setattr(vision.datasets, kind.name, fake_data.make_class(kind, data.Dataset, mindspore.from_numpy))
    setattr(vision.datasets, "FakeData", fake_data.make_fake_data(data.Dataset, fake_data.as_picture))  # noqa: B010


def main(argv: list[str]) -> int:
    """Trace one script; the exit code is 1 when it failed."""
    chosen = script.options(argv)
    # without it an error surfaces at a later, unrelated line
    mindspore.runtime.launch_blocking()
    first = Trace.load(Path(chosen.initial)) if chosen.initial else Trace()
    recorder = Recorder(Trace(), chosen.steps, FRAMEWORK)
    _install_feed(Feed(chosen.seed))
    if chosen.fake_data:
        _fake_data()
    _watch_cells(recorder)
    _watch_losses(recorder)
    _watch_optimizers(recorder, first.initial)
    return script.run(recorder, chosen)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    # worker threads and processes of a stopped script must not keep the tracer alive
    os._exit(code)
