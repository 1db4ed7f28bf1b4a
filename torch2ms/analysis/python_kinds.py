"""What Python's builtins and methods, numpy and the common libraries give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from torch2ms.analysis.lattice import (
    BOTTOM,
    NDARRAY,
    NONE,
    NUMBER,
    NUMBERS,
    OTHER,
    SEQUENCE,
    STRING,
    STRINGS,
    TENSOR,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    join,
    join_all,
    mapping,
    required,
    sequence,
)

Args = Sequence[KindInfo]
Keywords = Mapping[str, KindInfo]

_NUMBERS = frozenset(
    "int float bool complex len ord hash id callable isinstance issubclass hasattr divmod any all".split()
)
_STRINGS = frozenset("str repr chr hex bin oct format input ascii".split())
_NONES = frozenset("print setattr delattr exec breakpoint".split())
_SEQUENCES = frozenset("list tuple set frozenset sorted iter".split())
STR_METHODS: dict[str, KindInfo] = {
    **dict.fromkeys("split rsplit splitlines partition rpartition".split(), STRINGS),
    **dict.fromkeys(
        "find rfind index rindex count startswith endswith isdigit isalpha isalnum isnumeric isspace isupper islower".split(),
        NUMBER,
    ),
    **dict.fromkeys("encode".split(), OTHER),
}
LIST_METHODS: dict[str, KindInfo] = {
    **dict.fromkeys("append extend insert remove sort reverse clear add discard update".split(), NONE),
    **dict.fromkeys("index count".split(), NUMBER),
}
_ARRAY_METHODS: dict[str, KindInfo] = {
    "item": NUMBER,
    "tolist": sequence(OTHER),
    "tobytes": OTHER,
    **dict.fromkeys("fill sort resize tofile dump setflags".split(), NONE),
    "nonzero": sequence(NDARRAY),
}
_ARRAY_ATTRIBUTES: dict[str, KindInfo] = {
    "shape": NUMBERS,
    "dtype": OTHER,
    **dict.fromkeys("size ndim nbytes itemsize".split(), NUMBER),
    "flags": OTHER,
}

RANGE = replace(NUMBERS, cls="builtins.range")


def iterate(info: KindInfo) -> KindInfo:
    """What `for x in info` binds, without the protocol methods of project classes."""
    kind = info.kind
    if kind in TENSOR_KINDS:
        return TENSOR if info.certain else KindInfo(Kind.TENSOR, certain=False)
    if kind in (Kind.SEQUENCE, Kind.LOADER, Kind.DATASET, Kind.MODULE):
        return info.element if info.element is not None else UNKNOWN
    if kind is Kind.SIZE:
        return NUMBER
    if kind in (Kind.NDARRAY, Kind.STRING, Kind.OTHER):
        return info if kind is not Kind.OTHER or info.cls is None else UNKNOWN
    return BOTTOM if info is BOTTOM else UNKNOWN


def builtin_result(name: str, args: Args, keywords: Keywords) -> KindInfo:
    """What a call of a builtin gives."""
    first = args[0] if args else BOTTOM
    if name in _NUMBERS:
        return NUMBER
    if name in _STRINGS:
        return STRING
    if name in _NONES:
        return NONE
    if name == "range":
        return RANGE
    if name == "next":
        return required(iterate(first)) if len(args) < 2 else join(iterate(first), args[1])
    if name in _SEQUENCES:
        if first.kind is Kind.SEQUENCE and name in ("list", "tuple"):
            return first
        return sequence(_keys(first) if args else BOTTOM)
    if name == "reversed":
        return sequence(iterate(first))
    if name == "enumerate":
        return sequence(sequence(items=(NUMBER, _keys(first))))
    if name == "zip":
        return sequence(sequence(items=tuple(_keys(a) for a in args)))
    if name == "filter":
        return sequence(iterate(args[1])) if len(args) > 1 else SEQUENCE
    if name in ("abs", "round", "pow"):
        return required(first) if first.kind in (*TENSOR_KINDS, Kind.NUMBER, Kind.NDARRAY) else UNKNOWN
    if name == "sum":
        element = iterate(first)
        return NUMBER if element.kind is Kind.NUMBER else join(element, args[1] if len(args) > 1 else NUMBER)
    if name in ("max", "min"):
        return join_all(args) if len(args) > 1 else iterate(first)
    if name == "dict":
        if not args:
            return mapping(join_all(keywords.values()))
        return first if first.kind is Kind.MAPPING else mapping(None)
    return _rare_builtin(name, args)


def _rare_builtin(name: str, args: Args) -> KindInfo:
    if name in ("open", "bytes", "bytearray", "memoryview", "object", "slice", "vars", "locals", "globals", "dir"):
        return OTHER
    if name in ("getattr", "eval", "map", "super", "type", "__import__", "staticmethod", "classmethod", "property"):
        return UNKNOWN
    return OTHER


def _keys(info: KindInfo) -> KindInfo:
    """What iterating gives, the keys of a mapping included."""
    return OTHER if info.kind is Kind.MAPPING and not info.cls else iterate(info)


def str_method(name: str) -> KindInfo:
    """What a method of str gives."""
    return STR_METHODS.get(name, STRING)


def sequence_method(info: KindInfo, name: str, args: Args) -> KindInfo:
    """What a method of a list, tuple, set or deque gives."""
    found = LIST_METHODS.get(name)
    if found is not None:
        return found
    if name in ("pop", "popleft", "__getitem__"):
        return iterate(info)
    if name in ("copy", "union", "intersection", "difference"):
        return info
    return UNKNOWN


def mapping_method(info: KindInfo, name: str, args: Args) -> KindInfo:
    """What a method of a dict gives."""
    value = info.element if info.element is not None else UNKNOWN
    if name == "items":
        return sequence(sequence(items=(OTHER, value)))
    if name == "values":
        return sequence(value)
    if name in ("get", "pop", "setdefault"):
        return join(value, args[1]) if len(args) > 1 else join(value, NONE) if name == "get" else value
    if name == "keys":
        return sequence(OTHER)
    if name == "copy":
        return info
    if name == "popitem":
        return sequence(items=(OTHER, value))
    return NONE if name in ("update", "clear") else UNKNOWN


def array_method(name: str, keywords: Keywords) -> KindInfo:
    """What a method of numpy.ndarray gives."""
    # no method of numpy ends like this: the object was no array after all
    return _ARRAY_METHODS.get(name, UNKNOWN if name.endswith("_") or name in ("clone", "detach") else NDARRAY)


def array_attribute(name: str) -> KindInfo:
    """What an attribute of numpy.ndarray gives."""
    return _ARRAY_ATTRIBUTES.get(name, NDARRAY)
