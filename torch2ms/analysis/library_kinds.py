"""What the functions of numpy, the standard library and other common libraries give."""

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
    STRING,
    STRINGS,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    join_all,
    mapping,
    sequence,
)
from torch2ms.analysis.python_kinds import iterate

Args = Sequence[KindInfo]
Keywords = Mapping[str, KindInfo]

# libraries whose objects are never PyTorch's
_FOREIGN = frozenset(
    "matplotlib PIL tqdm sklearn pandas cv2 scipy skimage imageio yaml gym gymnasium nltk spacy seaborn tensorboardX wandb h5py click rich "
    "requests IPython mpl_toolkits networkx visdom tensorboard lmdb psutil colorama termcolor tabulate omegaconf hydra simplejson ujson "
    "setuptools pytest six packaging prettytable tensorflow librosa soundfile nibabel SimpleITK pydicom sacrebleu jieba gensim "
    "shapely".split()
)
_PLAIN_ROOTS = _FOREIGN | (
    frozenset(sys.stdlib_module_names) - {"copy", "functools", "itertools", "collections", "math"}
)
_SAME_ITERABLE = frozenset(
    "tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm tqdm.autonotebook.tqdm tqdm.tqdm_notebook tqdm.trange".split()
)
_NUMPY_NONE = frozenset("save savez savez_compressed savetxt seed set_printoptions seterr shuffle".split())
_NUMPY_NUMBER = frozenset("ndim size isscalar allclose array_equal iinfo finfo prod_ asscalar issubdtype".split())
_NUMPY_SCALAR_TYPES = frozenset(
    "float32 float64 float16 int64 int32 int16 int8 uint8 bool_ int_ float_ double single half longlong intc".split()
)
_NUMPY_SEQUENCE = frozenset(
    "split array_split hsplit vsplit nonzero unravel_index meshgrid ix_ tril_indices triu_indices".split()
)


_KNOWN: dict[str, KindInfo] = {
    **dict.fromkeys("glob.glob os.listdir re.findall re.split".split(), STRINGS),
    **dict.fromkeys(
        "os.path.join os.path.basename os.path.dirname os.path.abspath os.path.expanduser os.getcwd time.strftime".split(),
        STRING,
    ),
    **dict.fromkeys(
        "os.path.exists os.path.isfile time.time time.perf_counter random.random random.randint random.uniform random.gauss".split(),
        NUMBER,
    ),
    "random.shuffle": NONE,
    "functools.partial": CALLABLE,
}
_GIVING_BACK = frozenset("copy.deepcopy copy.copy functools.wraps functools.lru_cache functools.cache".split())
# packages that can hand tensors through
_OPEN = frozenset(
    "pickle json joblib typing concurrent multiprocessing dataclasses contextlib dill weakref functools".split()
)


def is_iterable_wrapper(name: str) -> bool:
    """Whether the call gives what iterating its first argument gives (tqdm)."""
    return name in _SAME_ITERABLE


def numpy_result(name: str, args: Args) -> KindInfo:
    """What a function of numpy gives; of tensors some give tensors and some arrays."""
    last = name.rpartition(".")[2]
    if last in _NUMPY_NONE:
        return NONE
    if last in _NUMPY_NUMBER:
        return NUMBER
    if last in _NUMPY_SCALAR_TYPES:
        return _numpy_scalar(args)
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


def _numpy_scalar(args: Args) -> KindInfo:
    """What `np.float32(x)` gives: a number of a number or a text, an array of a list or an array."""
    first = args[0] if args else NUMBER
    if first.kind in (Kind.NUMBER, Kind.STRING):
        return NUMBER
    return NDARRAY if first.kind in (Kind.SEQUENCE, Kind.NDARRAY) else UNKNOWN


def library_result(name: str, args: Args, keywords: Keywords) -> KindInfo | None:
    """What a function of the standard library or a known package gives; None for an unknown package."""
    known = _KNOWN.get(name)
    if known is not None:
        return known
    root = name.partition(".")[0]
    first = args[0] if args else BOTTOM
    if root == "numpy":
        return numpy_result(name, args)
    if name.endswith("trange") and is_iterable_wrapper(name):
        return NUMBERS
    if is_iterable_wrapper(name):
        return first if args else OTHER
    if name in _GIVING_BACK:
        return first
    if root == "itertools":
        return _itertools(name, args)
    if root == "collections":
        return _collections(name, args)
    if name == "random.choice":
        return iterate(first)
    if name in ("random.sample", "random.choices"):
        return sequence(iterate(first))
    if root == "math":
        return NUMBER
    if root in _OPEN:
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
