"""Parameters that are computed from other parameters at each use: torch.nn.utils.parametrize.

https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html
"""

from __future__ import annotations

from typing import Any

from mindspore import Parameter, Tensor
from mindspore.nn import Cell as _Cell

from ... import _backend
from ..._lower.assignment import assign
from ...grad_mode import no_grad
from ..containers import CellDict, CellList


class ParametrizationList(CellList):
    """The functions behind one tensor, and the tensor or tensors that they start from.

    One start is called `original`; several, which `right_inverse` of the first function returns as a sequence, are
    called `original0`, `original1` and so on.
    """

    def __init__(self, modules: list[_Cell], original: Tensor, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            start = self._inverted(original)
            self.is_tensor = isinstance(start, Tensor)
            self.ntensors = 1 if self.is_tensor else len(start)
            if self.is_tensor:
                _write(original, start)
                _register(self, "original", original)
            else:
                for i, part in enumerate(start):
                    _register(self, f"original{i}", _like(original, part))
        if not unsafe:
            _check_same(original, self())

    def _inverted(self, value: Any) -> Any:
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                value = module.right_inverse(value)
        return value

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the functions give `value`."""
        with no_grad():
            start = self._inverted(value)
            for target, part in zip(self._originals(), (start,) if isinstance(start, Tensor) else start):
                _write(target, part)

    def _originals(self) -> list[Tensor]:
        return [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def construct(self) -> Tensor:
        modules = list(self)
        value = modules[0](*self._originals())
        for module in modules[1:]:
            value = module(value)
        return value


def _like(original: Tensor, value: Tensor) -> Tensor:
    if not isinstance(original, Parameter):
        return value
    return Parameter(value.copy(), requires_grad=original.requires_grad)


def _write(target: Tensor, value: Tensor) -> None:
    """Give a tensor the value, and the shape, of another; its identity stays."""
    if value is target:
        return
    if value.dtype != target.dtype:
        raise ValueError("When `right_inverse` outputs one tensor, it may not change the dtype.")
    if value.shape == target.shape:
        assign(target, value)
    else:
        target.set_data(value, slice_shape=True)
        _backend.replaced()


def _register(cell: _Cell, name: str, value: Tensor) -> None:
    if isinstance(value, Parameter):
        cell.insert_param_to_cell(name, value)
    else:
        cell.register_buffer(name, value)


def _check_same(before: Tensor, after: Any) -> None:
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(before, what) != getattr(after, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is enabled.\n"
                f"unparametrized {what}: {getattr(before, what)}\nparametrized {what}: {getattr(after, what)}"
            )


def _computed(name: str) -> property:
    def read(self: Any) -> Tensor:
        return self.parametrizations[name]()

    def write(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def is_parametrized(module: _Cell, tensor_name: str | None = None) -> bool:
    """Return whether the cell, or its tensor of that name, has parametrizations."""
    held = module.__dict__.get("_cells", {}).get("parametrizations")
    if not isinstance(held, CellDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def register_parametrization(module: _Cell, tensor_name: str, parametrization: _Cell, *, unsafe: bool = False) -> _Cell:
    """Compute the parameter or buffer `tensor_name` by `parametrization` whenever it is used.

    Raises:
        ValueError: there is no such tensor, or its shape or dtype would change and `unsafe` is not set.
    """
    _backend.replaced()
    parametrization.set_train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            value = getattr(module, tensor_name)
            _check_same(value, parametrization(value))
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
        return module
    if tensor_name not in module._params and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    held = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        own = type(module)
        module.__class__ = type(f"Parametrized{own.__name__}", (own,), {"__module__": own.__module__})
        module.parametrizations = CellDict()
    setattr(type(module), tensor_name, _computed(tensor_name))
    module.parametrizations[tensor_name] = held
    return module


def remove_parametrizations(module: _Cell, tensor_name: str, leave_parametrized: bool = True) -> _Cell:
    """Make the tensor an ordinary one again: with the value that was computed, or the original one.

    Raises:
        ValueError: it is not parametrized, or has several originals and shall not keep the computed value.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    _backend.replaced()
    held = module.parametrizations[tensor_name]
    if not held.is_tensor and not leave_parametrized:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    first = held._originals()[0]
    if leave_parametrized:
        with no_grad():
            value = held()
            if held.is_tensor:
                _write(first, value)
            else:
                first = _like(first, value)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, first)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module
