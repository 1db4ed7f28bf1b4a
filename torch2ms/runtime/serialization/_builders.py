"""What the names in a checkpoint stand for: builders of data. Every other name is refused.

The list is PyTorch's own for `torch.load(weights_only=True)`, and a few plain containers of older checkpoints.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _arrays
from ._errors import Budget, DamagedCheckpoint, UnsafeCheckpoint
from ._machine import check_key
from ._types import OF_STORAGE, SIZES

_user_classes: dict[str, type] = {}
# what PyTorch called things in Python 2 and in older versions
_RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg", "numpy._core.multiarray": "numpy.core.multiarray"}


class Builder:
    """Builds one kind of value from the arguments that the file holds."""

    def __init__(self, name: str, function: Callable[..., Any], wants_budget: bool = False) -> None:
        self.name = name
        self.function = function
        self.wants_budget = wants_budget

    def build(self, arguments: Any, budget: Budget) -> Any:
        """Return the value."""
        if not isinstance(arguments, tuple):
            raise DamagedCheckpoint(f"the arguments of {self.name} are no tuple")
        return self.function(*arguments, budget=budget) if self.wants_budget else self.function(*arguments)

    def new(self, arguments: Any, budget: Budget) -> Any:
        """Return the value of a class whose state follows."""
        return self.build(arguments, budget)


class StorageType(Builder):
    """A storage class: a type for the bytes of a storage."""

    def __init__(self, name: str, dtype: str | None) -> None:
        super().__init__(name, _refuse_storage)
        self.dtype = dtype


class UserClass(Builder):
    """A class that the program declared safe."""

    def __init__(self, name: str, kind: type) -> None:
        super().__init__(name, kind)
        self.kind = kind

    def new(self, arguments: Any, budget: Budget) -> Any:
        """Return an instance whose `__init__` is not called."""
        return self.kind.__new__(self.kind, *arguments)


def _refuse_storage(*_arguments: Any) -> Any:
    raise UnsafeCheckpoint("a storage outside of a tensor is not allowed in a checkpoint")


def _from_type(builder: Any, _kind: Any, arguments: Any, _state: Any, budget: Budget) -> Any:
    return builder.build(arguments, budget)


def _ordered_dict(pairs: Any = ()) -> Any:
    return collections.OrderedDict((check_key(key), value) for key, value in pairs)


def _counter(counts: Any = ()) -> Any:
    return collections.Counter(counts if isinstance(counts, dict) else {})


def _default_dict(factory: Any = None) -> Any:
    kinds = {"list": list, "dict": dict, "set": set, "int": int, "float": float, "str": str, "bool": bool}
    if factory is None:
        return collections.defaultdict()
    return collections.defaultdict(kinds[factory.name.rpartition(".")[2]])


def _set(values: Any = ()) -> set[Any]:
    return {check_key(value) for value in values}


def _frozenset(values: Any = ()) -> frozenset[Any]:
    return frozenset(check_key(value) for value in values)


def _encode(text: str, encoding: str = "latin1") -> bytes:
    if encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise UnsafeCheckpoint(f"the encoding {encoding!r} is not allowed in a checkpoint")
    return text.encode(encoding)


def _bytearray(value: Any = b"", encoding: str = "latin-1") -> bytearray:
    if isinstance(value, str):
        value = _encode(value, encoding)
    if not isinstance(value, (bytes, bytearray)):
        raise UnsafeCheckpoint("a bytearray of a checkpoint is built from bytes")
    return bytearray(value)


def _size(counts: Any = ()) -> tuple[int, ...]:
    return tuple(int(count) for count in counts)


def _path(*parts: str) -> pathlib.Path:
    return pathlib.Path(*parts)


def _layout(name: str) -> str:
    return str(name)


def _only_a_name(*_arguments: Any) -> Any:
    raise UnsafeCheckpoint("a type is not called in a checkpoint")


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "collections.OrderedDict": _ordered_dict,
    "collections.Counter": _counter,
    "collections.defaultdict": _default_dict,
    "builtins.set": _set,
    "builtins.frozenset": _frozenset,
    "builtins.complex": complex,
    "builtins.slice": slice,
    "builtins.range": range,
    "builtins.xrange": range,
    "builtins.bytearray": _bytearray,
    "_codecs.encode": _encode,
    "torch.Size": _size,
    "torch.serialization._get_layout": _layout,
    "pathlib.PosixPath": _path,
    "pathlib.WindowsPath": _path,
    "pathlib.PurePosixPath": _path,
    "pathlib._local.PosixPath": _path,
    "argparse.Namespace": argparse.Namespace,
    "types.SimpleNamespace": types.SimpleNamespace,
    **{f"builtins.{kind}": _only_a_name for kind in ("list", "dict", "int", "float", "str", "bool", "tuple", "bytes")},
    "torch.Tensor": _only_a_name,
    "torch.nn.parameter.Parameter": _only_a_name,
    "numpy.ndarray": _only_a_name,
}
_WITH_BUDGET: dict[str, Callable[..., Any]] = {
    "torch._tensor._rebuild_from_type_v2": _from_type,
    "numpy.core.multiarray._reconstruct": _arrays.draft,
    "numpy.core.multiarray.scalar": _arrays.scalar,
    "numpy.core.numeric._frombuffer": _arrays.from_buffer,
    "numpy._core.numeric._frombuffer": _arrays.from_buffer,
    "numpy.dtype": _arrays.dtype,
}
_REFUSED = {
    "torch._utils._rebuild_sparse_tensor": "a sparse tensor; save it dense, with tensor.to_dense()",
    "torch._utils._rebuild_qtensor": "a quantized tensor; save it with tensor.dequantize()",
    "torch._utils._rebuild_nested_tensor": "a nested tensor; save its parts",
    "torch._utils._rebuild_meta_tensor_no_storage": "a meta tensor, which has no numbers",
}


class Names:
    """What the names of a file stand for, with a library's tensors (see `_tensors.Tensors` for what that is)."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors
        self._functions = {
            **_FUNCTIONS,
            "torch.device": tensors.device,
            "torch._utils._rebuild_parameter": tensors.parameter,
            "torch._utils._rebuild_parameter_with_state": tensors.parameter,
        }
        self._with_budget = {
            **_WITH_BUDGET,
            "torch._utils._rebuild_tensor": tensors.tensor,
            "torch._utils._rebuild_tensor_v2": tensors.tensor,
            "torch._utils._rebuild_tensor_v3": self._tensor_of_type,
        }

    def _tensor_of_type(
        self, storage: Any, offset: Any, size: Any, stride: Any, grad: Any, hooks: Any, dtype: Any, *_rest: Any, budget: Budget
    ) -> Any:
        name = self._tensors.dtype_name(dtype)
        return self._tensors.tensor(storage, offset, size, stride, budget=budget, dtype=name)

    def find(self, module: str, name: str) -> Any:
        """Return the builder for a name of the file, or the value that it names; raises UnsafeCheckpoint."""
        full = f"{_RENAMED.get(module, module)}.{name}"
        if full in self._with_budget:
            return Builder(full, self._with_budget[full], wants_budget=True)
        if full in self._functions:
            return Builder(full, self._functions[full])
        if full in _user_classes:
            return UserClass(full, _user_classes[full])
        if module in ("torch", "torch.storage", "torch.cuda") and name in OF_STORAGE:
            return StorageType(full, OF_STORAGE[name])
        if full in ("torch.storage.UntypedStorage", "torch.UntypedStorage"):
            return StorageType(full, None)
        if module == "torch" and name in SIZES:
            return self._tensors.dtype(name)
        raise UnsafeCheckpoint(_explain(full))


def with_state(draft: Any, state: Any, budget: Budget) -> Any:
    """Return an object with the state that follows it in the file."""
    if isinstance(draft, _arrays.Draft):
        return draft.with_state(state, budget)
    if isinstance(draft, (collections.OrderedDict, argparse.Namespace, types.SimpleNamespace)):
        # PyTorch keeps the versions of the modules beside a state dict
        vars(draft).update(_attributes(state))
        return draft
    if type(draft) in _user_classes.values():
        restore = getattr(draft, "__setstate__", None)
        if callable(restore):
            restore(state)
        else:
            vars(draft).update(_attributes(state))
        return draft
    raise UnsafeCheckpoint(f"{type(draft).__name__} takes no state in a checkpoint")


def _attributes(state: Any) -> dict[str, Any]:
    if not isinstance(state, dict):
        raise DamagedCheckpoint("the attributes of an object are no dict")
    for key in state:
        if not isinstance(key, str) or not key.isidentifier() or key.startswith("__"):
            raise UnsafeCheckpoint(f"{key!r} is no attribute of a checkpoint")
    return state


def knows(full: str) -> bool:
    """Tell whether a checkpoint may hold a name."""
    return full in _FUNCTIONS or full in _WITH_BUDGET or full in _user_classes


def _explain(full: str) -> str:
    if full in _REFUSED:
        return f"the checkpoint holds {_REFUSED[full]}"
    return (
        f"the checkpoint holds an object of {full}, and loading it would run code of the program that saved it. "
        "Save data only, such as model.state_dict() instead of the model, "
        f"or name plain data classes with {__package__}.add_safe_globals([...])"
    )


def add_safe_globals(classes: list[Any]) -> None:
    """Let checkpoints hold objects of these classes: their constructor and `__setstate__` are then called."""
    for kind in classes:
        kind, full = kind if isinstance(kind, tuple) else (kind, f"{kind.__module__}.{kind.__qualname__}")
        _user_classes[full] = kind


def get_safe_globals() -> list[Any]:
    """Return the classes that checkpoints may hold."""
    return list(_user_classes.values())


def clear_safe_globals() -> None:
    """Forget the classes that checkpoints may hold."""
    _user_classes.clear()


@contextmanager
def safe_globals(classes: list[Any]) -> Iterator[None]:
    """Let checkpoints hold objects of these classes inside the block."""
    before = dict(_user_classes)
    add_safe_globals(classes)
    try:
        yield
    finally:
        _user_classes.clear()
        _user_classes.update(before)
