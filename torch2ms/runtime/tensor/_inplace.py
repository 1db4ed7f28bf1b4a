"""What `F.relu(x, inplace=flag)` does to x where only the run tells the flag."""

from __future__ import annotations

import weakref
from typing import Any

from mindspore import Tensor

from ._write import write

_PROTECTED: list[weakref.ref[Tensor]] = []


def protected(tensor: Any) -> Any:
    """The tensor itself; from now on `writable` and `written_if` raise where they would write to its storage."""
    if isinstance(tensor, Tensor) and not any(held() is tensor for held in _PROTECTED):
        _PROTECTED.append(weakref.ref(tensor, _PROTECTED.remove))
    return tensor


def writable(tensor: Any, flag: Any) -> Any:
    """The tensor itself, of which the function around it makes a new one.

    Raises:
        NotImplementedError: the flag is true, so that PyTorch writes to the tensor, and a caller reads its old storage.
    """
    if flag and _PROTECTED and isinstance(tensor, Tensor):
        storage = tensor.untyped_storage().data_ptr()
        held = [one for one in (ref() for ref in _PROTECTED) if one is not None]
        if any(one is tensor or one.untyped_storage().data_ptr() == storage for one in held):
            raise NotImplementedError(
                "inplace=True writes to a tensor that the caller reads later: call the function without inplace"
            )
    return tensor


def updated(old: Any, value: Any) -> Any:
    """`value`, written to the storage of `old` where that is a tensor, as `items[i] += y` does; returns what then holds it."""
    return write(old, ..., value) if isinstance(old, Tensor) else value


def written_if(flag: Any, tensor: Any, value: Any) -> Any:
    """`value`, written to `tensor` first where the flag is true, which is returned then, as by `f(x, inplace=flag)`.

    Raises:
        NotImplementedError: a gradient would not see the write, or a caller reads the old values.
    """
    return write(writable(tensor, flag), ..., value) if flag else value
