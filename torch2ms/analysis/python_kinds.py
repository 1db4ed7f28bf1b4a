"""What Python's builtins and methods, numpy and the common libraries give."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache

from torch2ms.analysis.lattice import (
    BOTTOM,
    CALLABLE,
    NDARRAY,
    NONE,
    NUMBER,
    NUMBERS,
    OTHER,
    SEQUENCE,
    SIZE,
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
# libraries whose objects are never PyTorch's
_FOREIGN = frozenset(
    "matplotlib PIL tqdm sklearn pandas cv2 scipy skimage imageio yaml gym gymnasium nltk spacy seaborn tensorboardX wandb h5py click rich "
    "requests IPython mpl_toolkits networkx visdom tensorboard lmdb psutil colorama termcolor tabulate omegaconf hydra simplejson ujson "
    "setuptools pytest six packaging prettytable tensorflow librosa soundfile nibabel SimpleITK pydicom sacrebleu jieba gensim shapely".split()
)
_PLAIN_ROOTS = _FOREIGN | (
    frozenset(sys.stdlib_module_names) - {"copy", "functools", "itertools", "collections", "math"}
)
_SAME_ITERABLE = frozenset(
    "tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm tqdm.autonotebook.tqdm tqdm.tqdm_notebook tqdm.trange".split()
)
_NUMPY_NONE = frozenset("save savez savez_compressed savetxt seed set_printoptions seterr shuffle".split())
_NUMPY_NUMBER = frozenset(
    "float32 float64 float16 int64 int32 int16 int8 uint8 bool_ int_ float_ ndim size isscalar allclose array_equal iinfo finfo "
    "prod_ asscalar issubdtype".split()
)
_NUMPY_SEQUENCE = frozenset(
    "split array_split hsplit vsplit nonzero unravel_index meshgrid ix_ tril_indices triu_indices".split()
)


def is_iterable_wrapper(name: str) -> bool:
    """Whether the call gives what iterating its first argument gives (tqdm)."""
    return name in _SAME_ITERABLE


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
        return NUMBERS
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
    return _ARRAY_METHODS.get(name, NDARRAY)


def array_attribute(name: str) -> KindInfo:
    """What an attribute of numpy.ndarray gives."""
    return _ARRAY_ATTRIBUTES.get(name, NDARRAY)


def numpy_result(name: str, args: Args) -> KindInfo:
    """What a function of numpy gives; of tensors some give tensors and some arrays."""
    last = name.rpartition(".")[2]
    if last in _NUMPY_NONE:
        return NONE
    if last in _NUMPY_NUMBER:
        return NUMBER
    if last in _NUMPY_SEQUENCE:
        return sequence(NDARRAY)
    if last == "shape":
        return NUMBERS
    if last in (
        "load",
        "random",
        "RandomState",
        "default_rng",
        "get_state",
        "memmap",
        "errstate",
        "vectorize",
        "dtype",
    ):
        return NDARRAY if last in ("load", "memmap", "random") else OTHER
    if last in ("array", "asarray", "ascontiguousarray", "stack", "concatenate", "vstack", "hstack"):
        return NDARRAY
    if any(a.kind in TENSOR_KINDS or a.kind is Kind.UNKNOWN for a in args[:2]) and not name.startswith("numpy.random."):
        return (
            NDARRAY
            if all(a.kind not in TENSOR_KINDS for a in args)
            and last in ("zeros", "ones", "full", "arange", "eye", "linspace")
            else UNKNOWN
        )
    return NDARRAY


def library_result(name: str, args: Args, keywords: Keywords) -> KindInfo | None:
    """What a function of the standard library or a known package gives; None for an unknown package."""
    root = name.partition(".")[0]
    if root == "numpy":
        return numpy_result(name, args)
    if root == "math":
        return NUMBER
    first = args[0] if args else BOTTOM
    if is_iterable_wrapper(name):
        return sequence(NUMBER) if name.endswith("trange") else first if args else OTHER
    if name in ("copy.deepcopy", "copy.copy"):
        return first
    if root == "itertools":
        return _itertools(name, args)
    if root == "collections":
        return _collections(name, args)
    if root == "functools":
        return (
            first
            if name in ("functools.wraps", "functools.lru_cache", "functools.cache")
            else CALLABLE
            if name == "functools.partial"
            else UNKNOWN
        )
    if name in ("glob.glob", "os.listdir", "sorted", "re.findall", "re.split"):
        return STRINGS
    if name in (
        "os.path.join",
        "os.path.basename",
        "os.getcwd",
        "time.strftime",
        "os.path.dirname",
        "os.path.abspath",
        "os.path.expanduser",
    ):
        return STRING
    if name in (
        "time.time",
        "random.random",
        "random.randint",
        "random.uniform",
        "os.path.exists",
        "time.perf_counter",
        "os.path.isfile",
        "random.gauss",
    ):
        return NUMBER
    if name in ("random.sample", "random.choices", "random.choice", "random.shuffle"):
        return {"random.choice": iterate(first), "random.shuffle": NONE}.get(name, sequence(iterate(first)))
    if root in (
        "pickle",
        "json",
        "joblib",
        "typing",
        "concurrent",
        "multiprocessing",
        "dataclasses",
        "contextlib",
        "dill",
        "weakref",
    ):
        return UNKNOWN
    return OTHER if root in _PLAIN_ROOTS else None


def _itertools(name: str, args: Args) -> KindInfo:
    last = name.rpartition(".")[2]
    if last == "chain":
        return sequence(join_all(iterate(a) for a in args))
    if last in ("islice", "cycle", "takewhile"):
        return sequence(iterate(args[0] if last != "takewhile" else args[-1])) if args else SEQUENCE
    if last == "repeat":
        return sequence(args[0]) if args else SEQUENCE
    if last in ("product", "zip_longest"):
        return sequence(sequence(items=tuple(iterate(a) for a in args)))
    if last == "count":
        return NUMBERS
    return UNKNOWN


def _collections(name: str, args: Args) -> KindInfo:
    last = name.rpartition(".")[2]
    if last == "deque":
        return sequence(iterate(args[0]) if args else BOTTOM)
    if last == "OrderedDict":
        first = args[0] if args else None
        if first is None:
            return mapping(BOTTOM)
        pairs = iterate(first)
        return (
            first
            if first.kind is Kind.MAPPING
            else mapping(pairs.items[1] if pairs.items and len(pairs.items) == 2 else None)
        )
    if last == "Counter":
        return mapping(NUMBER)
    return mapping(None) if last in ("defaultdict", "ChainMap") else UNKNOWN


@lru_cache(maxsize=512)
def is_foreign(name: str) -> bool:
    """Whether a dotted name belongs to a library that has nothing to do with PyTorch."""
    return name.partition(".")[0] in _PLAIN_ROOTS


def shape_like(info: KindInfo) -> bool:
    """Whether subscripting by an int gives a Python number."""
    return info.kind is Kind.SIZE or info == SIZE
