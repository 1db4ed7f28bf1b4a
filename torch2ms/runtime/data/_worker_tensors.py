"""Tensors in a forked worker: operations are computed with numpy, because MindSpore's would wait for ever.

A process that was forked after the first operation has none of the threads that carry operations out. Creating a tensor
from an array and reading it as one still work, so a worker computes in between with numpy. What is not in these tables
raises `OperationInWorker`, and the loader goes on in the main process.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, mint, ops
from mindspore.nn import Cell

from ._host import to_array, to_tensor
from ._worker_functions import FUNCTIONS, METHODS, OPERATORS

# methods that run no operation
_SAFE = frozenset(
    "asnumpy numpy item tolist dim ndimension numel nelement element_size from_numpy is_contiguous contiguous "
    "is_floating_point is_complex is_signed data_ptr untyped_storage storage storage_offset stride get_bytes "
    "convert_bytes_to_tensor to_dlpack from_dlpack has_init init_data set_dtype cpu cuda pin_memory copy_to clone_state "
    "register_hook remove_hook value data_sync flush_from_cache wait_pipeline requires_grad_ set_const_arg set_cast_dtype "
    "set_init_flag set_param_info is_init is_pinned is_shared set_device_address assign_value_cpp setitem_index_info "
    "getitem_index_info index_of_parent_ const_arg symbolic_shape".split()
)
_OPERATOR_NAMES = (
    "add sub mul truediv floordiv mod pow matmul and or xor lt le gt ge eq ne neg invert abs radd rsub rmul rtruediv "
    "rfloordiv rmod rpow rmatmul getitem setitem iter contains bool iadd isub imul itruediv ifloordiv imod"
).split()


class OperationInWorker(RuntimeError):
    """A MindSpore operation was called in a forked process."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is a MindSpore operation, which a forked process cannot run")
        self.name = name

    def __reduce__(self) -> Any:
        return OperationInWorker, (self.name,)


def _refuse(name: str) -> Callable[..., Any]:
    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise OperationInWorker(name)

    return refuse


def _with_numpy(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function of tensors that computes with arrays; what numpy cannot do either is refused."""

    def compute(*args: Any, **kwargs: Any) -> Any:
        result = function(*(_host(value) for value in args), **{key: _host(value) for key, value in kwargs.items()})
        if result is NotImplemented:
            raise OperationInWorker(name)
        return _device(result)

    return compute


def _host(value: Any) -> Any:
    if isinstance(value, Tensor):
        return to_array(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_host(part) for part in value)
    return value


def _device(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return to_tensor(np.asarray(value))
    return tuple(_device(part) for part in value) if isinstance(value, (list, tuple)) else value


Patch = tuple[Any, str, Any]


def _tensor_patches() -> list[Patch]:
    patches: list[Patch] = []
    for kind in (Tensor, Parameter):
        for name in dir(kind):
            if name.startswith("_") or name in _SAFE or not callable(getattr(kind, name, None)):
                continue
            function = METHODS.get(name)
            patches.append((kind, name, _with_numpy(function, name) if function else _refuse(f"Tensor.{name}")))
        for name in _OPERATOR_NAMES:
            if hasattr(kind, f"__{name}__"):
                function = OPERATORS.get(name)
                whole = _with_numpy(function, name) if function else _refuse(f"Tensor.__{name}__")
                patches.append((kind, f"__{name}__", whole))
    return patches


def _function_patches() -> list[Patch]:
    package = __name__.rpartition(".data.")[0]
    modules = [mint, ops, mint.nn.functional]
    modules += [sys.modules[name] for name in (f"{package}.mint", f"{package}.mint.nn.functional") if name in sys.modules]
    drawing = f"{package}.mint._cpu.sampling"
    patches: list[Patch] = []
    for module in modules:
        for name, function in vars(module).items():
            public = callable(function) and not name.startswith("_") and not isinstance(function, type)
            # random tensors are made from numpy's numbers anyway
            if not public or getattr(function, "__module__", "") == drawing:
                continue
            replacement = FUNCTIONS.get(name)
            if replacement is not None:
                patches.append((module, name, _with_numpy(replacement, name)))
            elif module is not ops:
                patches.append((module, name, _refuse(name)))
    return patches


@functools.cache
def prepare() -> list[Patch]:
    """Return what changes in a worker; worked out before the fork, once for all workers."""
    return [*_tensor_patches(), *_function_patches(), (Cell, "__call__", _refuse("calling a Cell"))]


def install() -> None:
    """Make this process compute with numpy."""
    for owner, name, replacement in prepare():
        setattr(owner, name, replacement)
