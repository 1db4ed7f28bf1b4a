"""The kinds of objects and how two of them join."""

from __future__ import annotations

import enum
from collections.abc import Iterable
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
    SEQUENCE = "sequence"  # list, tuple, set, iterator
    MAPPING = "mapping"
    CALLABLE = "callable"  # a function or a class that is no Module
    MODULE_OBJECT = "module"  # a Python module
    NONE = "None"
    OTHER = "other"  # known, and nothing of PyTorch
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class KindInfo:
    """What is known of the value of an expression.

    kind: the sort of object; UNKNOWN also where it can be several sorts.
    element (None: unknown): what iteration or indexing gives (MAPPING: a value; LOADER: a batch; DATASET: a sample;
        containers of modules: a module).
    cls: the qualified class ("torch.nn.Linear", "pkg.models.Net"), for CALLABLE and MODULE_CLASS the qualified name itself.
    dtype: "float32", "int64", "bool" ... of a tensor where it is certain.
    certain: False where the kind is likely but not proven, so no ground for an unguarded rewrite.
    optional: may also be None or a Python number; a tensor method called on it still means a tensor.
    items: what each position holds, for a tuple or list of known length; with `keys`, what each key of a dict holds.
    keys: the string keys of a dict that has no others; for a MODULE "inplace" if it works in place (and "perhaps"), else the parameters
        that a norm computes anew.
    choices: two or more classes, one of which `cls` would be.
    starts: for a list of modules or a Sequential whose `items` are not known, "inplace" (and "perhaps") as in `keys` if the first one
        works in place.
    """

    kind: Kind
    element: KindInfo | None = None
    cls: str | None = None
    dtype: str | None = None
    certain: bool = True
    optional: bool = False
    items: tuple[KindInfo, ...] | None = None
    choices: tuple[str, ...] = ()
    keys: tuple[str, ...] | None = None
    starts: tuple[str, ...] | None = None

    @property
    def is_tensor(self) -> bool:
        """Whether it is a Tensor or Parameter for sure (or None or a number, see `optional`)."""
        return self.certain and (self.kind is Kind.TENSOR or self.kind is Kind.PARAMETER)

    @property
    def known(self) -> bool:
        """Whether the kind is known for sure."""
        return self.certain and self.kind is not Kind.UNKNOWN

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the value can be an instance of, as far as they are known."""
        return (self.cls,) if self.cls is not None else self.choices


class Origin(KindInfo):
    """An unknown value that came in through a parameter; what is done with it tells of the parameter."""

    __slots__ = ("function", "parameter", "likely")
    function: object
    parameter: str
    likely: bool  # an input of a Module's forward: a tensor until something speaks against it

    @classmethod
    def of(cls, function: object, parameter: str, likely: bool) -> Origin:
        """A new origin, equal to no other."""
        origin = cls(Kind.UNKNOWN, certain=False)
        object.__setattr__(origin, "function", function)
        object.__setattr__(origin, "parameter", parameter)
        object.__setattr__(origin, "likely", likely)
        return origin

    __eq__ = object.__eq__
    __hash__ = object.__hash__


# nothing is known yet (while kinds are being inferred); never seen outside
BOTTOM = KindInfo(Kind.UNKNOWN, cls="<nothing yet>", certain=False)
UNKNOWN = KindInfo(Kind.UNKNOWN, certain=False)
# what torch.load gives: beside a module in the same variable it is that module, pickled whole
LOADED = KindInfo(Kind.UNKNOWN, cls="<loaded>", certain=False)
TENSOR = KindInfo(Kind.TENSOR)
BOOL_TENSOR = KindInfo(Kind.TENSOR, dtype="bool")
INT_TENSOR = KindInfo(Kind.TENSOR, dtype="int64")
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
CALLABLE = KindInfo(Kind.CALLABLE)
DEVICE = KindInfo(Kind.DEVICE)
DTYPE = KindInfo(Kind.DTYPE)
TENSORS = KindInfo(Kind.SEQUENCE, element=TENSOR)
NUMBERS = KindInfo(Kind.SEQUENCE, element=NUMBER)
STRINGS = KindInfo(Kind.SEQUENCE, element=STRING)

TENSOR_KINDS = (Kind.TENSOR, Kind.PARAMETER)
_MOST_CHOICES = 6
_DEEPEST = 5


def sequence(
    element: KindInfo | None = None, items: tuple[KindInfo, ...] | None = None, starts: tuple[str, ...] | None = None
) -> KindInfo:
    """A list or tuple, of one element kind or with a kind for each position."""
    if items is not None and element is None:
        element = join_all(items) if items else None
    return KindInfo(Kind.SEQUENCE, element=element, items=items, starts=starts)


# what `keys` says of a module that may work in place
PERHAPS = ("inplace", "perhaps")


def works_in_place(info: KindInfo) -> tuple[str, ...] | None:
    """What `keys` says of a module that works in place; a Sequential that starts with one writes there, but returns more."""
    if info.keys and info.keys[0] == "inplace":
        return info.keys
    if info.kind is not Kind.MODULE or info.cls != "torch.nn.Sequential":
        return None
    only = info.items is not None and len(info.items) == 1
    found = first_in_place(info)
    return found if found is None or only else PERHAPS


def first_in_place(info: KindInfo) -> tuple[str, ...] | None:
    """The same of the first module of a list or a Sequential."""
    return works_in_place(info.items[0]) if info.items else info.starts


def grown(info: KindInfo, more: KindInfo, element: KindInfo) -> KindInfo:
    """A list after `more`, a list, was put at its end; `element` is what it holds then."""
    return sequence(element, starts=first_in_place(more if info.element is BOTTOM else info))


def mapping(element: KindInfo | None) -> KindInfo:
    """A dict with such values."""
    return KindInfo(Kind.MAPPING, element=element)


def record(items: dict[str, KindInfo]) -> KindInfo:
    """A dict with these string keys and no others."""
    keys = tuple(sorted(items))
    return KindInfo(Kind.MAPPING, element=join_all(items.values()), items=tuple(items[k] for k in keys), keys=keys)


def uncertain(info: KindInfo) -> KindInfo:
    """The same, but not proven."""
    return replace(info, certain=False) if info.certain else info


def required(info: KindInfo) -> KindInfo:
    """The same, known not to be None."""
    return replace(info, optional=False) if info.optional else info


def join_all(infos: Iterable[KindInfo]) -> KindInfo:
    """The kind of a value that is one of these; BOTTOM for none of them."""
    result = BOTTOM
    for info in infos:
        if info is not result:
            result = join(result, info)
    return result


def join(a: KindInfo, b: KindInfo) -> KindInfo:
    """The kind of a value that is one or the other; two different kinds give UNKNOWN.

    None and Python numbers beside a tensor or an object only make it `optional`.
    """
    if a is b or b is BOTTOM:
        return a
    if a is BOTTOM:
        return b
    if a == b:
        return a
    if a.kind is b.kind:
        return _same_kind(a, b)
    if a.kind in TENSOR_KINDS and b.kind in TENSOR_KINDS:
        return KindInfo(Kind.TENSOR, certain=a.certain and b.certain, optional=a.optional or b.optional)
    return _optional(a, b) or _optional(b, a) or UNKNOWN


def _optional(light: KindInfo, other: KindInfo) -> KindInfo | None:
    if light is LOADED and other.kind is Kind.MODULE:
        return other
    if light.kind is Kind.NONE or light.kind is Kind.NUMBER and other.kind in (*TENSOR_KINDS, Kind.NDARRAY):
        if other.kind is Kind.UNKNOWN or other.optional:
            return other
        return replace(other, optional=True)
    if light.kind is Kind.SIZE and other.kind is Kind.SEQUENCE:
        return sequence(join(NUMBER, other.element or BOTTOM))
    return None


def _same_kind(a: KindInfo, b: KindInfo) -> KindInfo:
    if a.kind is Kind.UNKNOWN:
        return UNKNOWN
    classes: tuple[str, ...] = ()
    if a.cls != b.cls or a.choices != b.choices:
        if a.classes and b.classes:
            classes = tuple(sorted({*a.classes, *b.classes}))
        if a.kind is Kind.OTHER and not 0 < len(classes) <= _MOST_CHOICES and _gives_tensors(*a.classes, *b.classes):
            return UNKNOWN
    joined = KindInfo(
        a.kind,
        element=join(a.element, b.element) if a.element is not None and b.element is not None else None,
        cls=a.cls if a.cls == b.cls else None,
        dtype=a.dtype if a.dtype == b.dtype else None,
        certain=a.certain and b.certain,
        optional=a.optional or b.optional,
        items=_items(a, b),
        keys=a.keys if a.keys == b.keys else _joined_keys(a.keys, b.keys) if a.kind is Kind.MODULE else None,
        starts=_joined_keys(first_in_place(a), first_in_place(b)) if a.kind in (Kind.MODULE, Kind.SEQUENCE) else None,
        choices=classes if len(classes) <= _MOST_CHOICES else (),
    )
    return joined if _depth(joined) <= _DEEPEST else replace(joined, element=UNKNOWN, items=None, keys=None)


def _gives_tensors(*classes: str) -> bool:
    """Whether a method of one of these can give a tensor, so that the class must not be forgotten."""
    return any(cls.startswith("torch.") or cls.endswith(".<ctx>") for cls in classes)


def each_class(info: KindInfo) -> tuple[KindInfo, ...]:
    """The kinds that a value of several classes may have, one class each."""
    return tuple(replace(info, cls=cls, choices=()) for cls in info.choices) or (info,)


def _joined_keys(a: tuple[str, ...] | None, b: tuple[str, ...] | None) -> tuple[str, ...] | None:
    either = a or b
    return PERHAPS if a != b and any(keys and keys[0] == "inplace" for keys in (a, b)) else either


def _items(a: KindInfo, b: KindInfo) -> tuple[KindInfo, ...] | None:
    if a.items is None or b.items is None or len(a.items) != len(b.items) or a.keys != b.keys:
        return None
    return tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))


def _depth(info: KindInfo) -> int:
    depth, current = 0, info.element
    while current is not None:
        depth, current = depth + 1, current.element
    return depth


def plain(info: KindInfo) -> KindInfo:
    """The kind as the outside sees it: no BOTTOM and no Origin in it."""
    if type(info) is Origin:
        return MAYBE_TENSOR if info.likely else UNKNOWN
    if info is BOTTOM or info is LOADED:
        return UNKNOWN
    if info.element is None and info.items is None:
        return info
    element = None if info.element is None or info.element is BOTTOM else plain(info.element)
    items = None if info.items is None else tuple(plain(i) for i in info.items)
    if element is info.element and items == info.items:
        return info
    return replace(info, element=element, items=items)
