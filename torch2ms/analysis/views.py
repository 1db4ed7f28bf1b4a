"""Which expressions give a view: MindSpore's `ops.assign` takes none, nor a Parameter that keeps the storage of one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch2ms.analysis.aliases.operations import VIEWS
from torch2ms.analysis.lattice import TENSOR_KINDS

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

# give the very tensor back where nothing is to be done
_HANDED_ON = frozenset(
    "detach data requires_grad_ contiguous to type type_as float double half bfloat16 long int cpu cuda pin_memory alias positive".split()
)
_VIEWS = VIEWS - _HANDED_ON - frozenset("from_numpy Variable Parameter numpy storage untyped_storage".split()) | frozenset(
    "reshape reshape_as flatten ravel atleast_1d atleast_2d atleast_3d".split()
)


def gives_view(facts: Facts, value: ast.expr) -> bool:
    """Whether the outermost operation makes a view, or may; what a name holds or a function returns is not looked into."""
    inner = _viewed(facts, value)
    if inner is None:
        return False
    return _operation(value) not in _HANDED_ON or gives_view(facts, inner)


def base(facts: Facts, value: ast.expr) -> ast.expr:
    """What a chain of views, or of operations that may give the tensor itself, starts from."""
    while (inner := _viewed(facts, value)) is not None:
        value = inner
    return value


def _operation(value: ast.expr) -> str:
    match value:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Attribute(attr=name):
            return name
    return "[]"


def _viewed(facts: Facts, value: ast.expr) -> ast.expr | None:
    """The tensor of which the outermost operation may give a view, or the tensor itself."""
    match value:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in _VIEWS | _HANDED_ON:
            return value.args[0] if facts.names.of(value.func) is not None and value.args else receiver
        case ast.Attribute(value=receiver, attr=name) if name in _VIEWS | _HANDED_ON:
            return receiver
        case ast.Subscript(value=receiver) if facts.kinds.of(value).kind in TENSOR_KINDS:
            return receiver
    return None
