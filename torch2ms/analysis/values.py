"""The kind of what a canonical dotted name refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch2ms.analysis.lattice import (
    DTYPE,
    NUMBER,
    OTHER,
    STRING,
    UNKNOWN,
    Kind,
    KindInfo,
    mapping,
)
from torch2ms.analysis.library_kinds import is_foreign
from torch2ms.analysis.torch_functions import DTYPES

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator

_MODULE_OBJECT = KindInfo(Kind.MODULE_OBJECT)

_BUILTIN_VALUES = {
    **dict.fromkeys(("__name__", "__file__", "__doc__"), STRING),
    **dict.fromkeys(("Ellipsis", "NotImplemented", "__builtins__", "__spec__", "__loader__", "__package__"), OTHER),
    "__debug__": NUMBER,
}

_TORCH_CONSTANTS = frozenset(
    "contiguous_format channels_last channels_last_3d preserve_format strided sparse_coo sparse_csr __version__".split()
)

_VALUE_CLASSES = {"module": Kind.MODULE_CLASS, "function": Kind.FUNCTION}

_NUMBER_CONSTANTS = frozenset(
    "numpy.pi numpy.inf numpy.nan numpy.e math.pi math.inf math.e torch.pi torch.inf torch.nan".split()
)


def value_of(ev: Evaluator, name: str) -> KindInfo:
    """The kind of what a canonical dotted name refers to."""
    root = name.partition(".")[0]
    if root == "builtins":
        return _BUILTIN_VALUES.get(name[9:]) or KindInfo(Kind.CALLABLE, cls=name)
    if root in ("torch", "torchvision", "torchaudio"):
        return _torch_value(ev, name)
    project = ev.project
    if name in project.classes:
        return KindInfo(_VALUE_CLASSES.get(project.role(name) or "", Kind.CALLABLE), cls=name)
    if name in project.functions:
        return KindInfo(Kind.CALLABLE, cls=name)
    if name in project.modules:
        return _MODULE_OBJECT
    found = _project_variable(ev, name)
    if found is not None:
        return found
    if name in _NUMBER_CONSTANTS:
        return NUMBER
    if root == "numpy":
        return KindInfo(Kind.CALLABLE, cls=name) if name != "numpy" else _MODULE_OBJECT
    if name.startswith(("copy.", "functools.", "itertools.", "collections.", "argparse.", "operator.")):
        return KindInfo(Kind.CALLABLE, cls=name)
    return OTHER if is_foreign(name) else UNKNOWN


def _torch_value(ev: Evaluator, name: str) -> KindInfo:
    head, _, last = name.rpartition(".")
    if head == "torch" and last in DTYPES:
        return DTYPE
    role = ev.project.role(name)
    if role is not None:
        return KindInfo(_VALUE_CLASSES.get(role, Kind.CALLABLE), cls=name)
    if name in _NUMBER_CONSTANTS or name.startswith("torch.backends."):
        return NUMBER
    if last == "__dict__":
        return mapping(any_of(head))
    if not head:
        return _MODULE_OBJECT
    return OTHER if head == "torch" and last in _TORCH_CONSTANTS else KindInfo(Kind.CALLABLE, cls=name)


def any_of(namespace: str) -> KindInfo:
    """Some class or function of a namespace of PyTorch, picked by a computed name."""
    if namespace == "torch.optim":
        return KindInfo(Kind.CALLABLE, cls="torch.optim.Optimizer")
    if namespace == "torch.nn":
        return KindInfo(Kind.MODULE_CLASS)
    if namespace in ("torch.nn.functional", "torchvision.models"):
        return KindInfo(Kind.CALLABLE, cls=f"{namespace}.<any>")
    return UNKNOWN


def _project_variable(ev: Evaluator, name: str) -> KindInfo | None:
    """A global variable of a module of the project, or an attribute path on one."""
    parts = name.split(".")
    for length in range(len(parts) - 1, -1, -1):
        module = ".".join(parts[:length])
        facts = ev.project.modules.get(module)
        if facts is None or parts[length] not in facts.defines:
            continue
        base = f"{module}.{parts[length]}" if module else parts[length]
        if base in ev.project.classes or base in ev.project.functions:
            info = value_of(ev, base)
        elif ev.engine.has_module(module):
            info = ev.read(("variable", module, parts[length]))
        else:
            info = facts.variables.get(parts[length], UNKNOWN)
        for attr in parts[length + 1 :]:
            info = ev.attribute(info, attr)
        return info
    return None
