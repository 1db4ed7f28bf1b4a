"""Traces a PyTorch script: `python -m torch2ms.verify.trace_torch --out T.npz --steps N SCRIPT [ARGS]`."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import numpy as np
import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from torch2ms.verify import fake_data, script, torch_random
from torch2ms.verify.feed import Feed
from torch2ms.verify.record import Framework, Recorder
from torch2ms.verify.trace import Trace


def _array(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).cpu().numpy().copy()


def _state(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {key: _array(value) for key, value in module.state_dict().items() if isinstance(value, torch.Tensor)}


def _flags(module: torch.nn.Module) -> dict[str, bool]:
    flags = {f"{name or '.'} training": child.training for name, child in module.named_modules()}
    return {**flags, **{f"{name} requires_grad": p.requires_grad for name, p in module.named_parameters()}}


FRAMEWORK = Framework(children=lambda m: m.children(), state=_state, flags=_flags)


def _watch_modules(recorder: Recorder) -> None:
    original = torch.nn.Module.__init__

    def init(self: torch.nn.Module, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        recorder.created(self)

    torch.nn.Module.__init__ = init


def _watch_backward(recorder: Recorder, jitter: float) -> None:
    original = torch.Tensor.backward

    def backward(self: torch.Tensor, gradient: torch.Tensor | None = None, *args: Any, **options: Any) -> None:
        value = self if gradient is None else self * gradient
        recorder.backward(float(value.detach().sum()))
        original(self, gradient, *args, **options)
        if jitter and recorder.trace.backwards == 1 and not recorder.trace.initial:
            # no optimizer, whose creation is the moment otherwise
            for module in recorder.roots().values():
                for p in module.parameters():
                    _disturb(p, jitter)

    torch.Tensor.backward = backward


def _watch_optimizers(recorder: Recorder, jitter: float) -> None:
    original = Optimizer.__init__
    order: dict[int, int] = {}

    def parameters(optimizer: Optimizer) -> list[torch.Tensor]:
        return [p for group in optimizer.param_groups for p in group["params"]]

    def init(self: Optimizer, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        recorder.optimizing = True
        order[id(self)] = len(order)
        for i, p in enumerate(parameters(self)):
            if jitter:
                _disturb(p, jitter)
            recorder.trace.initial[f"{order[id(self)]}/{i}"] = _array(p)

    def before(optimizer: Optimizer, *_: Any) -> None:
        names = {
            id(p): f"{root}/{key}" for root, module in recorder.roots().items() for key, p in module.named_parameters()
        }
        for p in parameters(optimizer):
            if p.grad is not None and id(p) in names and not p.grad.is_sparse:
                recorder.gradient(names[id(p)], float(p.grad.abs().max()) if p.grad.numel() else 0.0)

    Optimizer.__init__ = init
    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(lambda *_: recorder.step())


def _disturb(p: torch.Tensor, jitter: float) -> None:
    """Change a weight by about `jitter` relative to itself, as another order of additions would change what it meets."""
    noise = np.random.Generator(np.random.PCG64(p.numel())).standard_normal(tuple(p.shape))
    with torch.no_grad():
        p.mul_(torch.from_numpy(1.0 + jitter * noise).to(p.dtype))


def _import_torchvision() -> Any:
    """torchvision, or None; beside a CPU build of PyTorch its compiled operators may be missing."""
    try:
        return importlib.import_module("torchvision")
    except ImportError:
        return None
    except RuntimeError:
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            library.define(operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return importlib.import_module("torchvision")


def _fake_data() -> None:
    vision = _import_torchvision()
    if vision is None:
        return
    base = torch.utils.data.Dataset
    made = {kind.name: fake_data.make_class(kind, base, torch.from_numpy) for kind in fake_data.IMAGE_SETS}
    made["FakeData"] = fake_data.make_fake_data(base, fake_data.as_picture)
    for name, cls in made.items():
        modules = [m for n, m in sys.modules.items() if n.startswith("torchvision.datasets") and hasattr(m, name)]
        for module in modules:
            setattr(module, name, cls)


def main(argv: list[str]) -> int:
    """Trace one script; the exit code is 1 when it failed."""
    chosen = script.options(argv)
    torch.set_num_threads(1)
    torch.manual_seed(chosen.seed)
    recorder = Recorder(Trace(), chosen.steps, FRAMEWORK)
    torch_random.install(Feed(chosen.seed))
    if chosen.fake_data:
        _fake_data()
    else:
        _import_torchvision()
    _watch_modules(recorder)
    _watch_backward(recorder, chosen.jitter)
    _watch_optimizers(recorder, chosen.jitter)
    return script.run(recorder, chosen)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    # worker threads and processes of a stopped script must not keep the tracer alive
    os._exit(code)
