"""Methods of objects whose kind the converter could not tell: `tensor.<method>(obj, ...)` asks the object.

A tensor gets PyTorch's meaning of the method, a module the module's, anything else its own method. In-place methods of
tensors are refused. Also the constructors of PyTorch 0.x, `assert_close`, and writes that plain indexing does not do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _convert, _legacy, _reduce, _shape
from ._convert import as_leaf, dtype_text
from ._data import as_tensor, from_data
from ._guard import guard, own_method, refuse_in_place
from ._inplace import protected, updated, writable, written_if
from ._legacy import AnyTensor, default_tensor
from ._testing import assert_close
from ._write import assign, overwritten, replaced, write

_METHODS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(_reduce, name)
        for name in (
            "all amax amin any argmax argmin argsort bincount count_nonzero cumsum dot equal log_softmax max mean median "
            "min nonzero norm prod round softmax sort std sum topk trace unique var"
        ).split()
    },
    **{
        name: getattr(_shape, name)
        for name in (
            "chunk clone detach diagonal expand flip gather is_contiguous permute repeat reshape roll scatter select size "
            "split squeeze take tile transpose unfold unsqueeze view where"
        ).split()
    },
    **{
        name: getattr(_convert, name)
        for name in "add contiguous div eq is_leaf item new_tensor numpy relu requires_grad_ tanh to tolist type type_as".split()
    },
    **_convert.CASTS,
    "new": _legacy.new,
    "cpu": _convert.stay,
    "cuda": _convert.stay,
    "pin_memory": _convert.stay,
}
# methods of MindSpore's tensors that agree with PyTorch's on every device
_OWN = (
    "abs add bmm ceil clamp cos dim exp expand_as flatten floor index_select is_complex is_floating_point log "
    "masked_fill masked_select matmul mm mul narrow ne neg numel pow reciprocal remainder sigmoid sign sin sqrt square sub "
    "t tril triu unbind view_as"
).split()

globals().update({name: guard(name, function) for name, function in _METHODS.items()})
globals().update({name: guard(name, own_method(name)) for name in _OWN if name not in _METHODS})
globals().update({name: _legacy.constructor(name) for name in _convert.LEGACY})


def __getattr__(name: str) -> Any:
    if name.startswith("_") or not name.endswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return guard(name, refuse_in_place(name))


__all__ = [
    "AnyTensor",
    "as_leaf",
    "as_tensor",
    "assert_close",
    "assign",
    "default_tensor",
    "dtype_text",
    "from_data",
    "overwritten",
    "protected",
    "replaced",
    "updated",
    "writable",
    "write",
    "written_if",
    *sorted({*_METHODS, *_OWN, *_convert.LEGACY}),
]
