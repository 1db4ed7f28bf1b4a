"""Loading a state dict into a Cell, and copying a Cell's tensors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor
from mindspore.nn import Cell as _Cell

from .. import _backend
from .._lower import assignment
from ..serialization import _mapped
from . import listing

_EXTRA_STATE = "_extra_state"


class IncompatibleKeys(tuple[list[str], list[str]]):
    """(missing_keys, unexpected_keys), the result of `load_state_dict`."""

    __slots__ = ()

    def __new__(cls, missing_keys: list[str], unexpected_keys: list[str]) -> IncompatibleKeys:
        return super().__new__(cls, (missing_keys, unexpected_keys))

    @property
    def missing_keys(self) -> list[str]:
        """Keys that the cell has and the state dict has not."""
        return self[0]

    @property
    def unexpected_keys(self) -> list[str]:
        """Keys that the state dict has and the cell has not."""
        return self[1]

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


def renamed(cell: _Cell, entries: Mapping[str, Any], prefix: str, destination: Any) -> Any:
    """Put the state of a cell into `destination` with the names that PyTorch gives its attributes; return it."""
    names = listing.checkpoint_names(type(cell))

    def key(path: str) -> str:
        head, dot, tail = path[len(prefix) :].partition(".")
        return f"{prefix}{names.get(head, head)}{dot}{tail}" if path.startswith(prefix) else path

    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    destination.update((key(path), value) for path, value in entries.items())
    if hasattr(destination, "_metadata"):
        metadata = getattr(entries, "_metadata", {})
        destination._metadata.update((key(path), value) for path, value in metadata.items())
    return destination


def load_state_dict(cell: _Cell, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
    """Copy the tensors of `state_dict` into the parameters and persistent buffers of `cell`.

    With `assign` the entries take the place of the parameters and buffers instead. Extra keys are refused where
    `strict`; a shape that differs always is, and all such errors are reported in one exception.

    Raises:
        TypeError: `state_dict` is no mapping.
        RuntimeError: keys or shapes do not match.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    metadata = getattr(state_dict, "_metadata", None) or {}
    _load(cell, OrderedDict(state_dict), "", metadata, assign, missing, unexpected, errors)
    if strict:
        for title, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                errors.insert(0, f"{title} key(s) in state_dict: {', '.join(map(_quoted, keys))}. ")
    if errors:
        text = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(cell).__name__}:\n\t{text}")
    return IncompatibleKeys(missing, unexpected)


def _quoted(key: str) -> str:
    return f'"{key}"'


def _load(
    cell: _Cell,
    entries: OrderedDict[str, Any],
    prefix: str,
    metadata: Mapping[str, Any],
    assign: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    local = dict(metadata.get(prefix[:-1], {}), assign_to_params_buffers=assign)
    if type(cell)._load_from_state_dict is _Cell._load_from_state_dict:
        # MindSpore's gives parameters other memory, which their views do not see
        load_own(cell, entries, prefix, local, True, missing, unexpected, errors)
    else:
        cell._load_from_state_dict(entries, prefix, local, True, missing, unexpected, errors)
    for name, child in cell._cells.items():
        if child is not None:
            below = f"{prefix}{listing.key_of(cell, name)}."
            own = OrderedDict((k, v) for k, v in entries.items() if k.startswith(below))
            _load(child, own, below, metadata, assign, missing, unexpected, errors)
    keys = IncompatibleKeys(missing, unexpected)
    for hook in cell._load_state_dict_post_hooks.values():
        if hook(cell, keys) is not None:
            raise RuntimeError("a hook registered with register_load_state_dict_post_hook must return None")


def load_own(
    cell: _Cell,
    entries: Mapping[str, Any],
    prefix: str,
    local_metadata: Mapping[str, Any],
    strict: bool,
    missing_keys: list[str],
    unexpected_keys: list[str],
    error_msgs: list[str],
) -> None:
    """Load what the cell itself holds; the signature is that of PyTorch's `_load_from_state_dict`."""
    for hook in cell._load_state_dict_pre_hooks.values():
        hook(cell, entries, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    assign = local_metadata.get("assign_to_params_buffers", False)
    held = dict(listing.own_parameters(cell))
    passing = {listing.key_of(cell, name) for name in cell._non_persistent_buffers_set}
    held.update((k, v) for k, v in listing.own_buffers(cell) if k not in passing)
    for name, target in held.items():
        key = prefix + name
        if key in entries:
            error = _load_one(cell, listing.attribute_of(cell, name), target, entries[key], key, assign)
            if error:
                error_msgs.append(error)
        elif strict and not _is_younger(cell, name, local_metadata):
            missing_keys.append(key)
    _load_extra_state(cell, entries, prefix + _EXTRA_STATE, strict, missing_keys, unexpected_keys)
    if strict:
        below = ((key, key[len(prefix) :]) for key in entries if key.startswith(prefix))
        unexpected_keys.extend(key for key, path in below if _is_unexpected(cell, path, held))


def _is_younger(cell: _Cell, name: str, metadata: Mapping[str, Any]) -> bool:
    """Return whether a state dict may lack a tensor, because PyTorch did not have it when the file was written."""
    return name == "num_batches_tracked" and bool(_backend.statistics_names(cell)) and (metadata.get("version") or 1) < 2


def _is_unexpected(cell: _Cell, path: str, held: Mapping[str, Any]) -> bool:
    head, dot, _ = path.partition(".")
    if head == _EXTRA_STATE:
        return False
    return head not in (listing.key_of(cell, name) for name in cell._cells) if dot else head not in held


def _load_extra_state(
    cell: _Cell, entries: Mapping[str, Any], key: str, strict: bool, missing: list[str], unexpected: list[str]
) -> None:
    if type(cell).set_extra_state is not _Cell.set_extra_state:
        if key in entries:
            cell.set_extra_state(entries[key])
        elif strict:
            missing.append(key)
    elif strict and key in entries:
        unexpected.append(key)


def _load_one(cell: _Cell, name: str, target: Tensor, value: Any, key: str, assign: bool) -> str | None:
    """Load one tensor; return the complaint, if there is one."""
    if not isinstance(value, Tensor):
        return f'While copying the parameter named "{key}", expected Tensor from checkpoint but received {type(value)}'
    if target.shape == () and len(value.shape) == 1 and value.shape[0] == 1:
        # checkpoints of PyTorch before 0.4 hold scalars as tensors of shape (1,)
        value = value[0]
    if target.shape != value.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        )
    if not assign:
        if value.dtype == target.dtype and _write_in_place(target, value):
            return None
        with _backend.grad_mode(False):
            _write(target, value.copy() if value.dtype == target.dtype else value.astype(target.dtype))
    elif isinstance(target, Parameter):
        if not isinstance(value, Parameter):
            value = Parameter(value, requires_grad=target.requires_grad, name=target.name)
        cell._params[name] = value
        _backend.replaced()
    else:
        setattr(cell, name, value)
    return None


def _write_in_place(target: Tensor, value: Tensor) -> bool:
    """Copy numbers of the same shape and type without memory in between; False where numpy cannot reach the target."""
    into = target.asnumpy()
    # on a device, and of tensors that are views in another order, the array is a copy
    if into.ctypes.data != target.data_ptr() or not target.is_contiguous() or not into.flags.writeable:
        return False
    array = value.asnumpy()
    if not (array.flags.c_contiguous and _mapped.read_again(array, into)):
        np.copyto(into, array)
    return True


def _write(target: Tensor, value: Tensor) -> None:
    try:
        assignment.assign(target, value)
    except RuntimeError as error:
        # a buffer that was once written as `buffer[:] = ...` counts as a view, which only takes writes of that kind
        if "Not support view input" not in str(error):
            raise
        target[:] = value
