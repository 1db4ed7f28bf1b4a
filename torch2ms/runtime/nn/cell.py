"""`Cell`: mindspore.nn.Cell with the module semantics of PyTorch.

Differences from mindspore.nn.Cell: training mode at birth, `set_train` that calls the children's own `set_train`,
PyTorch's listings of parameters and buffers, buffers that can be assigned, a deepcopy that owns its tensors.
https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mindspore
from mindspore import Parameter, Tensor
from mindspore.nn import Cell as _Cell

from .. import _backend
from . import custom_gradient, delegation, listing, state


class Cell(_Cell):
    """Base class of all network modules; also a mixin that goes before a MindSpore layer class.

    `training` is True from the moment `super().__init__()` returns. The listings (`parameters`, `named_parameters`,
    `buffers`, `children`, `modules` and so on) have PyTorch's signatures, order and content.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        delegation.guard(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_flags(training=True)

    # -- mode ---------------------------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Cell:
        """Put the cell and, through their own `set_train`, its children into training or evaluation mode."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self._phase = "train" if mode else "predict"
        self.add_flags(training=mode)
        for child in listing.children(self):
            child.set_train(mode)
        return self

    def train(self, mode: bool = True) -> Cell:
        """`set_train` under PyTorch's name, for callers whose object could not be told to be a Cell."""
        return self.set_train(mode)

    def eval(self) -> Cell:
        """`set_train(False)` under PyTorch's name."""
        return self.set_train(False)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """`construct` under PyTorch's name, for callers whose object could not be told to be a Cell."""
        return self.construct(*args, **kwargs)

    def requires_grad_(self, requires_grad: bool = True) -> Cell:
        """Set `requires_grad` of all parameters."""
        for p in self.parameters():
            p.requires_grad = requires_grad
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the `.grad` slots of all parameters."""
        _backend.zero_grad(self.parameters(), set_to_none)

    # -- attributes ---------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            known = name in self.__dict__.get("_params", ())
            self._leave_registries(name, keep="_params")
            super().__setattr__(name, value)
            if known:
                _backend.replaced()
        elif isinstance(value, _Cell):
            self._leave_registries(name, keep="_cells")
            if value.has_bprop:
                # the counterpart of an autograd.Function is no module
                self.__dict__.get("_cells", {}).pop(name, None)
                object.__setattr__(self, name, value)
            else:
                super().__setattr__(name, value)
        elif name in self.__dict__.get("_buffers", ()):
            self._rebind_buffer(name, value)
        elif isinstance(value, Tensor) and self._is_own_parameter(name):
            raise TypeError(
                f"cannot assign '{type(value).__name__}' as parameter '{name}' (Parameter or None expected)"
            )
        elif isinstance(value, (list, tuple)) and not isinstance(value, mindspore.ParameterTuple):
            # MindSpore checks the names of Parameters in plain lists; for PyTorch the list is an attribute like others
            self._reject_registered(name, value)
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def _leave_registries(self, name: str, keep: str) -> None:
        for registry in ("_params", "_buffers", "_cells"):
            if registry != keep and registry in self.__dict__:
                self.__dict__[registry].pop(name, None)

    def _is_own_parameter(self, name: str) -> bool:
        return name in self.__dict__.get("_params", ()) and name not in _backend.statistics_names(self)

    def _reject_registered(self, name: str, value: Any) -> None:
        for registry, what in (("_params", "parameter"), ("_cells", "child cell")):
            if name in self.__dict__.get(registry, ()):
                raise TypeError(f"cannot assign '{type(value).__name__}' as {what} '{name}'")

    def _rebind_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{type(value).__name__}' object to buffer '{name}' (Tensor or None required)"
            )
        if value is not None:
            _backend.mark_buffer(value)
        if self._buffers[name] is not value:
            _backend.replaced()
        self._buffers[name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under `name`; None reserves the name."""
        self.insert_param_to_cell(name, param)

    def add_module(self, name: str, module: _Cell | None) -> None:
        """Add a child cell under `name`."""
        if module is None:
            self.insert_child_to_cell(name, None)
        else:
            self.insert_child_to_cell(name, module)
            module.update_parameters_name(name + ".")

    register_module = add_module

    def __bool__(self) -> bool:
        return len(self) > 0 if hasattr(type(self), "__len__") else True

    # -- listings -----------------------------------------------------------------------------------------------------

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield the parameters in PyTorch's order; a tied parameter once, running statistics never."""
        for _, value in self.named_parameters(recurse=recurse):
            yield value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield (path, parameter); see `parameters`."""
        return listing.named_parameters(self, prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers, running statistics included."""
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield (path, buffer), running statistics included."""
        return listing.named_buffers(self, prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[_Cell]:
        """Yield the direct sub-cells; a shared child once."""
        return listing.children(self)

    def named_children(self) -> Iterator[tuple[str, _Cell]]:
        """Yield (name, child) of the direct sub-cells; a shared child once."""
        return listing.named_children(self)

    def modules(self, remove_duplicate: bool = True) -> Iterator[_Cell]:
        """Yield the cell itself and everything below it."""
        return listing.modules(self, remove_duplicate)

    def named_modules(
        self, memo: set[_Cell] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, _Cell]]:
        """Yield (path, cell) of the cell itself and of everything below it."""
        return listing.named_modules(self, memo, prefix, remove_duplicate)

    def cells_and_names(self, cells: set[_Cell] | None = None, name_prefix: str = "") -> Iterator[tuple[str, _Cell]]:
        """As in MindSpore, except that an empty container is listed too and names are PyTorch's."""
        return listing.named_modules(self, cells, name_prefix)

    @custom_gradient.Apply
    def apply(self, fn: Callable[[_Cell], Any]) -> Cell:
        """Call `fn` on every child (first) and on the cell itself; return the cell."""
        for child in listing.children(self):
            child.apply(fn)
        fn(self)
        return self

    def get_submodule(self, target: str) -> _Cell:
        """Return the sub-cell with the dotted path `target`."""
        return listing.get_submodule(self, target)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter with the dotted path `target`."""
        return listing.get_parameter(self, target)

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with the dotted path `target`."""
        return listing.get_buffer(self, target)

    # -- state --------------------------------------------------------------------------------------------------------

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return the parameters and persistent buffers by the names that PyTorch gives them; they stay live."""
        given = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination, prefix = given.get("destination", destination), given.get("prefix", prefix)
        keep_vars = given.get("keep_vars", keep_vars)
        if not listing.checkpoint_names(type(self)):
            return super().state_dict(destination=destination, prefix=prefix, keep_vars=keep_vars)
        return state.renamed(self, super().state_dict(prefix=prefix, keep_vars=keep_vars), prefix, destination)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy the tensors of `state_dict` into parameters and buffers; see `state.load_state_dict`."""
        return state.load_state_dict(self, state_dict, strict, assign)

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> Any:
        """Call `hook(state_dict, prefix, ...)` before the cell's own entries are loaded; with the cell first if `with_module`."""
        return self.register_load_state_dict_pre_hook(hook if with_module else lambda _cell, *args: hook(*args))

    def _load_from_state_dict(self, *args: Any) -> None:
        state.load_own(self, *args)

    def __setstate__(self, saved: tuple[Any, dict[str, Any]]) -> None:
        # a shallow copy owns its attribute dictionary, as PyTorch's does
        super().__setstate__((saved[0], dict(saved[1])))

    # -- gradients of one's own -------------------------------------------------------------------------------------------

    def _call_custom_bprop(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or self.construct.__defaults__ or self.construct.__kwdefaults__:
            bound = self._construct_sig.bind(*args, **kwargs)
            bound.apply_defaults()
            args = (*bound.args, *bound.kwargs.values())
        return custom_gradient.call(self, args)

    # -- hooks --------------------------------------------------------------------------------------------------------

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Any:
        """Call `hook(cell, grad_input, grad_output)` in each backward; a returned value replaces grad_input."""
        handle = self.register_backward_hook(hook)
        if prepend:
            self._backward_hook.move_to_end(handle.handle_id, last=False)
        return handle

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Any:
        """Call `hook(cell, grad_output)` before each backward; a returned value replaces grad_output."""
        handle = self.register_backward_pre_hook(hook)
        if prepend:
            self._backward_pre_hook.move_to_end(handle.handle_id, last=False)
        return handle
