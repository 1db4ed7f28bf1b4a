"""The kinds of objects and how two of them join."""
from __future__ import annotations

import enum
from dataclasses import dataclass, replace


class Kind(enum.Enum):
    """What sort of object an expression gives."""

    TENSOR = "Tensor"
    PARAMETER = "Parameter"  # is a tensor
    MODULE = "Module"
    MODULE_CLASS = "Module class"
    OPTIMIZER = "Optimizer"
    SCHEDULER = "Scheduler"
    LOADER = "DataLoader"
    DATASET = "Dataset"
    SCALER = "GradScaler"
    DEVICE = "device"
    DTYPE = "dtype"
    FUNCTION = "autograd.Function"  # the class; `.apply` is what is called
    GENERATOR = "Generator"
    STORAGE = "Storage"
    SIZE = "Size"
    NDARRAY = "ndarray"
    NUMBER = "number"  # int, float, bool, complex and numpy's scalars
    STRING = "str"
    SEQUENCE = "sequence"  # list, tuple, set, generator: element and, for a fixed length, items
    MAPPING = "mapping"  # element is the kind of the values
    CALLABLE = "callable"  # a function; cls is its qualified name
    MODULE_OBJECT = "module"  # a Python module
    NONE = "None"
    OTHER = "other"  # known, and nothing of PyTorch
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class KindInfo:
    """What is known of the value of an expression.

    `element`: kind of what iteration or indexing gives (of the values for a mapping); `items`: per position for a tuple or list
    of known length. `cls`: the qualified class ("torch.nn.Linear", "pkg.models.Net"), for CALLABLE the qualified function.
    `dtype`: "float32", "int64", "bool" ... where it is certain. `certain` False: likely but not proven, so no ground for an
    unguarded rewrite. `optional`: may also be None or a Python number; a tensor method called on it still means a tensor.
    """

    kind: Kind
    element: KindInfo | None = None
    cls: str | None = None
    dtype: str | None = None
    certain: bool = True
    optional: bool = False
    items: tuple[KindInfo, ...] | None = None

    @property
    def is_tensor(self) -> bool:
        """Whether it is a Tensor or Parameter for sure (or None or a number, see `optional`)."""
        return self.certain and (self.kind is Kind.TENSOR or self.kind is Kind.PARAMETER)

    @property
    def known(self) -> bool:
        """Whether the kind is known for sure."""
        return self.certain and self.kind is not Kind.UNKNOWN


UNKNOWN = KindInfo(Kind.UNKNOWN, certain=False)
TENSOR = KindInfo(Kind.TENSOR)
MAYBE_TENSOR = KindInfo(Kind.TENSOR, certain=False)
PARAMETER = KindInfo(Kind.PARAMETER)
MODULE = KindInfo(Kind.MODULE)
NDARRAY = KindInfo(Kind.NDARRAY)
NUMBER = KindInfo(Kind.NUMBER)
STRING = KindInfo(Kind.STRING)
SEQUENCE = KindInfo(Kind.SEQUENCE)
MAPPING = KindInfo(Kind.MAPPING)
SIZE = KindInfo(Kind.SIZE, element=NUMBER)
NONE = KindInfo(Kind.NONE)
OTHER = KindInfo(Kind.OTHER)
DEVICE = KindInfo(Kind.DEVICE)
DTYPE = KindInfo(Kind.DTYPE)

_TENSORS = (Kind.TENSOR, Kind.PARAMETER)
_LIGHT = (Kind.NONE, Kind.NUMBER)


def sequence(element: KindInfo | None = None, items: tuple[KindInfo, ...] | None = None) -> KindInfo:
    """A list or tuple, of one element kind or with a kind for each position."""
    if items is not None and element is None:
        element = join_all(items) if items else None
    return KindInfo(Kind.SEQUENCE, element=element, items=items)


def instance(kind: Kind, cls: str | None) -> KindInfo:
    """An object of a class."""
    return KindInfo(kind, cls=cls)


def uncertain(info: KindInfo) -> KindInfo:
    """The same, but not proven."""
    return replace(info, certain=False) if info.certain else info


def join_all(infos: tuple[KindInfo, ...] | list[KindInfo]) -> KindInfo:
    """The kind of a value that is one of these."""
    if not infos:
        return UNKNOWN
    result = infos[0]
    for info in infos[1:]:
        if info is not result:
            result = join(result, info)
    return result


def join(a: KindInfo, b: KindInfo) -> KindInfo:
    """The kind of a value that is one or the other; two different kinds give UNKNOWN.

    None and Python numbers beside a tensor or an object only make it `optional`.
    """
    if a is b or a == b:
        return a
    if a.kind is b.kind:
        return _same_kind(a, b)
    if a.kind in _TENSORS and b.kind in _TENSORS:
        return KindInfo(Kind.TENSOR, certain=a.certain and b.certain, optional=a.optional or b.optional)
    for light, other in ((a, b), (b, a)):
        if light.kind is Kind.NONE or light.kind is Kind.NUMBER and other.kind in _TENSORS:
            if other.kind is Kind.UNKNOWN:
                return other
            return other if other.optional else replace(other, optional=True)
        if light.kind is Kind.SIZE and other.kind is Kind.SEQUENCE:
            return sequence(join(NUMBER, other.element) if other.element else None)
    return UNKNOWN


def _same_kind(a: KindInfo, b: KindInfo) -> KindInfo:
    return KindInfo(
        a.kind,
        element=join(a.element, b.element) if a.element and b.element else a.element or b.element,
        cls=a.cls if a.cls == b.cls else None,
        dtype=a.dtype if a.dtype == b.dtype else None,
        certain=a.certain and b.certain,
        optional=a.optional or b.optional,
        items=_items(a, b),
    )


def _items(a: KindInfo, b: KindInfo) -> tuple[KindInfo, ...] | None:
    if a.items is None or b.items is None or len(a.items) != len(b.items):
        return None
    return tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))
