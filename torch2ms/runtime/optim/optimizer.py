"""The base class of all optimizers: parameter groups, gradients, state."""

from __future__ import annotations

import copy
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from mindspore import Parameter, Tensor

from .. import _backend
from . import _state

Gradients = Sequence[Tensor | None]


class Optimizer:
    """Base class; `defaults` are the options that a group without its own gets.

    Three ways lead to an update: `optimizer(grads)` with gradients in the order of `optimizer.parameters`, or of
    `weights`, paired by identity; `optimizer.step()` with what is in the `.grad` slots; `optimizer.step(closure)` with
    what the closure computes. A parameter whose gradient is None is left alone.

    A subclass defines `step(self, closure=None)` over `param.grad` as in PyTorch, and is called in the same ways.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{type(params).__name__}"
            )
        if defaults.get("differentiable"):
            raise NotImplementedError("differentiable=True: differentiate a function that returns the new weights")
        self.defaults = defaults
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._pre_hooks: dict[object, Callable[..., Any]] = {}
        self._post_hooks: dict[object, Callable[..., Any]] = {}
        self.was_stepped = True
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    # -- groups -------------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters, group after group; the `weights` for value_and_grad."""
        return tuple(p for group in self.param_groups for p in group["params"])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a dictionary with `params` and options of its own; what it leaves out comes from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _take_parameters(param_group)
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        ids = [id(p) for p in param_group["params"]]
        if len(ids) != len(set(ids)):
            warnings.warn("optimizer contains a parameter group with duplicate parameters", stacklevel=3)
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                raise ValueError("all optimizer param groups should be with/without names")
        if not set(ids).isdisjoint(map(id, self.parameters)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the `.grad` slots."""
        _backend.zero_grad(self.parameters, set_to_none)

    # -- steps --------------------------------------------------------------------------------------------------------

    def __call__(self, grads: Gradients, weights: Iterable[Parameter] | None = None) -> None:
        """Update with `grads`, which belong to `weights` (default: `self.parameters`) one by one."""
        owners = self.parameters if weights is None else tuple(weights)
        if isinstance(grads, Tensor):
            grads = (grads,)
        if len(grads) != len(owners):
            raise ValueError(f"got {len(grads)} gradients for {len(owners)} parameters")
        by_owner = {id(p): g for p, g in zip(owners, grads)}
        found = [by_owner.get(id(p)) for p in self.parameters]
        with _backend.grad_mode(False):
            if type(self).step is Optimizer.step:
                self._hooked(found)
            else:
                self._step_over_slots(found)

    def _step_over_slots(self, grads: Gradients) -> None:
        """Let a subclass's own `step` find the gradients where it looks for them."""
        before = [_backend.get_grad(p) for p in self.parameters]
        try:
            for p, g in zip(self.parameters, grads):
                _backend.set_grad(p, g)
            self.step()
        finally:
            for p, g in zip(self.parameters, before):
                _backend.set_grad(p, g)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update with the `.grad` slots; with a closure, run it first and return its loss.

        The closure is a function of `value_and_grad`, which returns the loss and the gradients, or a function that
        returns the loss and has filled the slots.
        """
        loss, grads = (None, None) if closure is None else self.evaluate(closure)
        with _backend.grad_mode(False):
            self._hooked([_backend.get_grad(p) for p in self.parameters] if grads is None else grads)
        return loss

    def evaluate(self, closure: Callable[[], Any]) -> tuple[Any, Gradients | None]:
        """Run a closure with gradients enabled; return the loss, and the gradients if it returns them.

        Gradients that it returns are left in `.grad`, where a closure of PyTorch leaves them.
        """
        with _backend.grad_mode(True):
            result = closure()
        if not isinstance(result, tuple):
            return result, None
        value, grads = result
        loss = value[0] if isinstance(value, tuple) else value
        grads = (grads,) if isinstance(grads, Tensor) else grads
        if grads is not None and len(grads) == len(self.parameters):
            for p, g in zip(self.parameters, grads, strict=True):
                _backend.set_grad(p, g)
        return loss, grads

    def watch_steps(self) -> None:
        """Let `was_stepped` be False until the next update; schedulers warn about the wrong order with it."""
        self.was_stepped = type(self).step is not Optimizer.step

    def _hooked(self, grads: Gradients) -> None:
        self.was_stepped = True
        for hook in self._pre_hooks.values():
            hook(self, (), {})
        pairs = iter(grads)
        for index, group in enumerate(self.param_groups):
            live = [(p, g) for p, g in zip(group["params"], pairs) if g is not None]
            if live:
                self.update_group(index, group, live)
        for hook in self._post_hooks.values():
            hook(self, (), {})

    def update_group(self, index: int, group: dict[str, Any], pairs: list[tuple[Parameter, Tensor]]) -> None:
        """Update the parameters of one group with their gradients."""
        raise NotImplementedError(f"{type(self).__name__} defines neither step nor update_group")

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> _state.Handle:
        """Call `hook(optimizer, args, kwargs)` before each update."""
        return _state.Handle(self._pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> _state.Handle:
        """Call `hook(optimizer, args, kwargs)` after each update."""
        return _state.Handle(self._post_hooks, hook)

    # -- state --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the state in PyTorch's layout: `state` by the index of the parameter, and `param_groups`."""
        index = {id(p): i for i, p in enumerate(self.parameters)}
        groups = []
        for group in self.param_groups:
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [index[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {}
        for key, value in self.state.items():
            state[index[id(key)] if isinstance(key, Tensor) else key] = _state.pack(value)
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what `state_dict` of this class or of PyTorch's returned; tensors are copied.

        Raises:
            ValueError: the groups do not match.
        """
        saved = [{k: copy.deepcopy(v) for k, v in group.items()} for group in state_dict["param_groups"]]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, new in zip(self.param_groups, saved):
            if len(group["params"]) != len(new["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
        ids = chain.from_iterable(group["params"] for group in saved)
        owner = dict(zip(ids, self.parameters))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            state[owner.get(key, key)] = _state.unpack(owner.get(key), value)
        for group, new in zip(self.param_groups, saved):
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for group in self.param_groups:
            for name, default in self.defaults.items():
                # a checkpoint of an older PyTorch has fewer options
                group.setdefault(name, default)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{options}"
        return text + ")"


def _take_parameters(group: dict[str, Any]) -> None:
    """Bring `params` into a list; pairs of a name and a parameter leave their names in `param_names`."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError("optimizer parameters need to be organized in ordered collections, not in a set")
    params = [params] if isinstance(params, Tensor) else list(params)
    named = [p for p in params if isinstance(p, tuple)]
    if named and len(named) != len(params):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if named:
        group["param_names"] = [name for name, _ in named]
        params = [p for _, p in named]
    for p in params:
        if not isinstance(p, Tensor):
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
        if not isinstance(p, Parameter) and not _backend.is_leaf(p):
            raise ValueError("can't optimize a non-leaf Tensor")
    group["params"] = params
