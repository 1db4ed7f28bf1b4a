"""From a type annotation to a kind."""

from __future__ import annotations

import ast

from torch2ms.analysis.lattice import (
    CALLABLE,
    DEVICE,
    DTYPE,
    MAPPING,
    MODULE,
    NDARRAY,
    NONE,
    NUMBER,
    PARAMETER,
    SEQUENCE,
    SIZE,
    STRING,
    TENSOR,
    UNKNOWN,
    Kind,
    KindInfo,
    join_all,
    mapping,
    sequence,
)
from torch2ms.analysis.names import Names
from torch2ms.analysis.project import ProjectFacts

_PLAIN: dict[str, KindInfo] = {
    "torch.Tensor": TENSOR,
    "torch.nn.Parameter": PARAMETER,
    "torch.nn.Module": MODULE,
    "torch.device": DEVICE,
    "torch.dtype": DTYPE,
    "torch.Size": SIZE,
    "torch.Generator": KindInfo(Kind.GENERATOR),
    "torch.autograd.Variable": TENSOR,
    "numpy.ndarray": NDARRAY,
    "numpy.typing.NDArray": NDARRAY,
    "typing.Callable": CALLABLE,
    "collections.abc.Callable": CALLABLE,
    **dict.fromkeys(("builtins.int", "builtins.float", "builtins.bool", "builtins.complex"), NUMBER),
    "builtins.str": STRING,
    "typing.Text": STRING,
    **{
        f"torch.{name}Tensor": KindInfo(Kind.TENSOR, dtype=dtype)
        for name, dtype in {
            "Float": "float32",
            "Long": "int64",
            "Int": "int32",
            "Bool": "bool",
            "Byte": "uint8",
            "Double": "float64",
            "Half": "float16",
        }.items()
    },
}
_WRAPPERS = ("typing.Optional", "typing.Final", "typing.ClassVar", "typing.Annotated", "typing.Required")
_SEQUENCES = frozenset(
    "List Sequence Iterable Iterator Set FrozenSet Collection Generator list set frozenset deque Deque "
    "MutableSequence AsyncIterator".split()
)
_MAPPINGS = frozenset("Dict Mapping MutableMapping dict OrderedDict DefaultDict defaultdict Counter".split())
_ROLES = {
    "module": Kind.MODULE,
    "optimizer": Kind.OPTIMIZER,
    "scheduler": Kind.SCHEDULER,
    "dataset": Kind.DATASET,
    "loader": Kind.LOADER,
    "tensor": Kind.TENSOR,
}
_CONTAINERS = ("typing.", "collections.", "builtins.", "typing_extensions.")


def instance_kind(name: str, project: ProjectFacts) -> Kind:
    """The kind of the instances of a class."""
    return _ROLES.get(project.role(name) or "", Kind.OTHER)


def annotation_kind(node: ast.expr | None, names: Names, project: ProjectFacts) -> KindInfo:
    """The kind that an annotation promises; UNKNOWN where it says nothing of use."""
    if node is None:
        return UNKNOWN
    node = names.annotation(node)
    match node:
        case ast.Constant(value=None):
            return NONE
        case ast.BinOp(op=ast.BitOr()):
            return join_all([annotation_kind(node.left, names, project), annotation_kind(node.right, names, project)])
        case ast.Subscript():
            return _generic(node, names, project)
        case ast.Name() | ast.Attribute():
            return _named(names.of(node), project)
    return UNKNOWN


def _named(name: str | None, project: ProjectFacts) -> KindInfo:
    if name is None:
        return UNKNOWN
    plain = _PLAIN.get(name)
    if plain is not None:
        return plain
    if name.startswith(_CONTAINERS):
        last = name.rpartition(".")[2]
        if last in _SEQUENCES or last in ("tuple", "Tuple"):
            return SEQUENCE
        return MAPPING if last in _MAPPINGS else UNKNOWN
    if name in project.classes or name.startswith("torch."):
        kind = instance_kind(name, project)
        if kind is not Kind.OTHER or name in project.classes:
            return KindInfo(kind, cls=name)
    return UNKNOWN


def _generic(node: ast.Subscript, names: Names, project: ProjectFacts) -> KindInfo:
    name = names.of(node.value) or ""
    last = name.rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in _WRAPPERS:
        inner = annotation_kind(parts[0], names, project)
        return join_all([inner, NONE]) if name == "typing.Optional" else inner
    if name in ("typing.Type", "builtins.type"):
        inner = annotation_kind(parts[0], names, project)
        return KindInfo(Kind.MODULE_CLASS) if inner.kind is Kind.MODULE else UNKNOWN
    if name == "typing.Union":
        return join_all([annotation_kind(p, names, project) for p in parts])
    if not name.startswith(_CONTAINERS):
        return _named(name, project)
    if last in ("Tuple", "tuple"):
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            return sequence(annotation_kind(parts[0], names, project))
        return sequence(items=tuple(annotation_kind(p, names, project) for p in parts))
    if last in _SEQUENCES:
        return sequence(annotation_kind(parts[0], names, project))
    if last in _MAPPINGS:
        return mapping(annotation_kind(parts[-1], names, project))
    return CALLABLE if last == "Callable" else UNKNOWN
