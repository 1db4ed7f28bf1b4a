"""What PyTorch's functions give: the exceptions; the rule is a Tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from torch2ms.analysis.lattice import (
    BOOL_TENSOR,
    CALLABLE,
    DEVICE,
    DTYPE,
    INT_TENSOR,
    LOADED,
    MAPPING,
    NONE,
    NUMBER,
    NUMBERS,
    OTHER,
    PARAMETER,
    SIZE,
    TENSOR,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    sequence,
)
from torch2ms.analysis.torch_names import TENSOR_METHODS

# a result that depends on the call: (positional argument kinds, keyword argument kinds) -> kind
Result = KindInfo | Callable[[Sequence[KindInfo], Mapping[str, KindInfo]], KindInfo]

TENSOR_METHOD_NAMES = frozenset(TENSOR_METHODS.split())
DTYPES = frozenset(
    "float float16 float32 float64 half double bfloat16 int int8 int16 int32 int64 long short uint8 bool cfloat cdouble "
    "complex32 complex64 complex128 quint8 qint8 qint32 float8_e4m3fn float8_e5m2 uint16 uint32 uint64 chalf".split()
)
_VALUES_INDICES = replace(sequence(items=(TENSOR, INT_TENSOR)), keys=("values", "indices"))


def reduction(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo], receiver: int = 1) -> KindInfo:
    """max, min, median, mode: with a dimension values and indices, with another tensor a tensor."""
    dim = keywords.get("dim") or keywords.get("axis") or (args[receiver] if len(args) > receiver else None)
    if dim is None or dim.kind in (Kind.TENSOR, Kind.PARAMETER) or "other" in keywords:
        return TENSOR
    if dim.kind is Kind.NUMBER or len(args) > receiver + 1 or "dim" in keywords or "keepdim" in keywords:
        return _VALUES_INDICES
    return UNKNOWN


def _nonzero(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSORS if "as_tuple" in keywords or len(args) > 1 else INT_TENSOR


def _where(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSORS if len(args) + len(keywords) == 1 else TENSOR


def _unique(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSORS if keywords.keys() & {"return_inverse", "return_counts"} or len(args) > 2 else TENSOR


def _first(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    """Wrappers that give back what they were given (torch.compile, weight_norm, DataParallel)."""
    return args[0] if args else next(iter(keywords.values()), UNKNOWN)


def _renormed(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    """weight_norm and its like: the weight of the module is no Parameter any more."""
    module = _first(args, keywords)
    return replace(module, keys=("weight",)) if module.kind is Kind.MODULE else module


def _autograd_grad(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    gradient = KindInfo(Kind.TENSOR, optional=True) if "allow_unused" in keywords else TENSOR
    inputs = args[1] if len(args) > 1 else keywords.get("inputs", UNKNOWN)
    if inputs.kind in (Kind.TENSOR, Kind.PARAMETER):
        return sequence(items=(gradient,))
    return sequence(gradient, (gradient,) * len(inputs.items) if inputs.items is not None else None)


def rows(result: Result, names: str) -> dict[str, Result]:
    return dict.fromkeys(names.split(), result)


# what a function gives, by the last part of its name, in torch, torch.linalg, torch.fft ...; a Tensor where nothing is said
FUNCTIONS: dict[str, Result] = {
    **rows(
        NUMBER,
        "is_tensor is_storage is_complex is_floating_point is_nonzero is_conj is_grad_enabled is_inference_mode_enabled allclose "
        "equal can_cast numel initial_seed seed get_num_threads get_num_interop_threads are_deterministic_algorithms_enabled "
        "is_distributed is_same_size is_autocast_enabled is_autocast_available is_warn_always_enabled typename is_inference is_signed",
    ),
    **rows(
        NONE,
        "save set_printoptions set_default_dtype set_default_device set_default_tensor_type set_num_threads set_num_interop_threads "
        "set_flush_denormal use_deterministic_algorithms set_float32_matmul_precision set_rng_state set_warn_always "
        "set_deterministic_debug_mode _assert set_autocast_enabled",
    ),
    **rows(
        OTHER,
        "no_grad enable_grad set_grad_enabled inference_mode autocast finfo iinfo set_anomaly_enabled Event Stream typename layout "
        "memory_format contiguous_format channels_last channels_last_3d preserve_format strided sparse_coo __version__ "
        "get_float32_matmul_precision Graph classes ops",
    ),
    **rows(
        TENSORS,
        "split chunk unbind tensor_split hsplit vsplit dsplit meshgrid broadcast_tensors svd qr eig lu slogdet geqrf frexp lstsq eigh "
        "symeig lu_factor inv_ex cholesky_ex lu_unpack align_tensors unsafe_chunk unsafe_split split_with_sizes std_mean var_mean aminmax "
        "histogram triangular_solve solve histogramdd ldl_factor lu_factor_ex lobpcg svd_lowrank pca_lowrank lstm gru_cell _foreach_norm "
        "native_layer_norm native_batch_norm batch_norm_stats",
    ),
    **rows(_VALUES_INDICES, "sort topk kthvalue cummax cummin"),
    **rows(reduction, "max min median nanmedian mode"),
    **rows(
        BOOL_TENSOR,
        "eq ne lt le gt ge isnan isinf isfinite isclose logical_and logical_or logical_not logical_xor isreal isposinf isneginf isin "
        "greater less "
        "greater_equal less_equal not_equal",
    ),
    **rows(
        INT_TENSOR, "argmax argmin argsort bincount searchsorted bucketize count_nonzero randperm argwhere multinomial"
    ),
    "nonzero": _nonzero,
    "where": _where,
    "unique": _unique,
    "unique_consecutive": _unique,
    "load": LOADED,
    "device": DEVICE,
    "Generator": KindInfo(Kind.GENERATOR),
    "manual_seed": KindInfo(Kind.GENERATOR),
    "Size": SIZE,
    "get_default_dtype": DTYPE,
    "get_default_device": DEVICE,
    "promote_types": DTYPE,
    "result_type": DTYPE,
    "compile": _first,
    "atleast_1d": _first,
    "atleast_2d": _first,
    "atleast_3d": _first,
    "vmap": CALLABLE,
    "cond": UNKNOWN,
    "while_loop": UNKNOWN,
    "from_dlpack": TENSOR,
    "get_rng_state": TENSOR,
    **rows(
        KindInfo(Kind.STORAGE),
        "UntypedStorage TypedStorage FloatStorage LongStorage IntStorage DoubleStorage ByteStorage HalfStorage",
    ),
}
# the same for functions known by their whole name
_WHOLE: dict[str, Result] = {
    "torch.autograd.grad": _autograd_grad,
    "torch.autograd.backward": NONE,
    "torch.autograd.Variable": TENSOR,
    "torch.autograd.gradcheck": NUMBER,
    "torch.autograd.functional.jacobian": UNKNOWN,
    "torch.autograd.functional.hessian": UNKNOWN,
    "torch.nn.Parameter": PARAMETER,
    "torch.nn.Buffer": TENSOR,
    "torch.nn.functional.multi_head_attention_forward": sequence(items=(TENSOR, TENSOR)),
    "torch.nn.functional.max_pool1d_with_indices": TENSORS,
    "torch.nn.functional.max_pool2d_with_indices": TENSORS,
    "torch.nn.functional.max_pool3d_with_indices": TENSORS,
    "torch.nn.functional.has_torch_function": NUMBER,
    "torch.nn.init.calculate_gain": NUMBER,
    "torch.nn.init._calculate_fan_in_and_fan_out": NUMBERS,
    "torch.nn.init._calculate_correct_fan": NUMBER,
    "torch.nn.utils.clip_grad_norm_": TENSOR,
    "torch.nn.utils.clip_grad_norm": TENSOR,
    "torch.nn.utils.get_total_norm": TENSOR,
    "torch.nn.utils.clip_grad_value_": NONE,
    "torch.nn.utils.vector_to_parameters": NONE,
    "torch.nn.utils.parameters_to_vector": TENSOR,
    "torch.nn.utils.rnn.pad_sequence": TENSOR,
    "torch.nn.utils.rnn.unpad_sequence": TENSORS,
    "torch.nn.utils.rnn.pad_packed_sequence": sequence(items=(TENSOR, INT_TENSOR)),
    **rows(
        KindInfo(Kind.OTHER, cls="torch.nn.utils.rnn.PackedSequence"),
        "torch.nn.utils.rnn.pack_padded_sequence torch.nn.utils.rnn.pack_sequence",
    ),
    **rows(
        _first,
        "torch.nn.utils.remove_weight_norm torch.nn.utils.remove_spectral_norm torch.nn.DataParallel "
        "torch.nn.parallel.DistributedDataParallel torch.jit.script "
        "torch.jit.script_if_tracing torch.jit.ignore torch.jit.export torch.jit.freeze torch.jit.optimize_for_inference",
    ),
    **rows(
        _renormed,
        "torch.nn.utils.weight_norm torch.nn.utils.spectral_norm torch.nn.utils.parametrizations.weight_norm "
        "torch.nn.utils.parametrizations.spectral_norm torch.nn.utils.parametrizations.orthogonal",
    ),
    "torch.utils.data.get_worker_info": OTHER,
    "torch.utils.data.default_collate": UNKNOWN,
    "torch.utils.checkpoint.checkpoint": UNKNOWN,
    "torch.utils.checkpoint.checkpoint_sequential": UNKNOWN,
    "torch.utils.model_zoo.load_url": MAPPING,
    "torch.hub.load_state_dict_from_url": MAPPING,
    "torch.hub.load": UNKNOWN,
    "torch.amp.GradScaler": KindInfo(Kind.SCALER, cls="torch.amp.GradScaler"),
    "torch.GradScaler": KindInfo(Kind.SCALER, cls="torch.amp.GradScaler"),
    "torch.cuda.amp.GradScaler": KindInfo(Kind.SCALER, cls="torch.amp.GradScaler"),
    "torch.cpu.amp.GradScaler": KindInfo(Kind.SCALER, cls="torch.amp.GradScaler"),
    **{
        f"torch.{space}{prefix}Tensor": KindInfo(Kind.TENSOR, dtype=dtype)
        for space in ("", "cuda.")
        for prefix, dtype in {
            "Float": "float32",
            "Double": "float64",
            "Half": "float16",
            "Long": "int64",
            "Int": "int32",
            "Short": "int16",
            "Byte": "uint8",
            "Char": "int8",
            "Bool": "bool",
            "BFloat16": "bfloat16",
        }.items()
    },
    "torch.accelerator.current_accelerator": DEVICE,
    "torch.cuda.current_device": NUMBER,
    "torch.cuda.device_count": NUMBER,
    "torch.cuda.is_available": NUMBER,
    "torch.cuda.max_memory_allocated": NUMBER,
    "torch.cuda.memory_allocated": NUMBER,
    "torch.cuda.get_rng_state": TENSOR,
    "torch.cuda.get_rng_state_all": TENSORS,
    "torchvision.utils.make_grid": TENSOR,
    "torchvision.io.read_image": TENSOR,
    "torchvision.ops.nms": TENSOR,
    "torchaudio.load": sequence(items=(TENSOR, NUMBER)),
}
# namespaces whose functions give nothing of PyTorch
_PLAIN = (
    "torch.cuda.",
    "torch.backends.",
    "torch.version",
    "torch.multiprocessing.",
    "torch.onnx.",
    "torch.profiler.",
    "torch.mps.",
    "torch.xpu.",
    "torch.utils.benchmark.",
    "torch.utils.cpp_extension.",
    "torch.utils.tensorboard.",
    "torch.hub.",
    "torch.testing.",
    "torch.accelerator.",
    "torch.cpu.",
    "torch.amp.",
    "torch.autograd.profiler.",
    "torch.compiler.",
    "torch.overrides.",
    "torch.__config__",
    "torch.distributed.",
    "torchvision.utils.",
    "torchvision.set_",
    "torch.random.",
    "torch.jit.",
    "torch.library.",
    "torch.package.",
)
_TENSOR_SPACES = (
    "torch.nn.functional.",
    "torch.nn.init.",
    "torch.linalg.",
    "torch.fft.",
    "torch.special.",
    "torch.sparse.",
    "torch.signal.",
    "torch.nested.",
    "torch.masked.",
    "torchvision.ops.",
    "torchaudio.functional.",
)


@lru_cache(maxsize=2048)
def function_result(name: str) -> Result:
    """What a call of a function or factory of PyTorch gives; classes of modules, optimizers and data sets are not asked here."""
    whole = _WHOLE.get(name)
    if whole is not None:
        return whole
    if name.startswith(_PLAIN):
        return OTHER
    head, _, last = name.rpartition(".")
    if head == "torch" or name.startswith(_TENSOR_SPACES):
        return FUNCTIONS.get(last, TENSOR)
    if name.startswith("torch.distributions."):
        return KindInfo(Kind.OTHER, cls=name)
    if name.startswith("torchvision.transforms.functional."):
        return UNKNOWN
    if name.startswith(("torchvision.transforms.", "torchaudio.transforms.")):
        return KindInfo(Kind.CALLABLE, cls=name)
    return UNKNOWN


# functions of torch whose first argument need not be a tensor
NOT_OF_TENSORS = frozenset(
    "tensor as_tensor from_numpy zeros ones rand randn randint empty full arange linspace logspace range eye randperm Tensor FloatTensor "
    "LongTensor IntTensor ByteTensor BoolTensor DoubleTensor HalfTensor ShortTensor CharTensor manual_seed device save load is_tensor "
    "set_default_dtype set_default_tensor_type cat stack concat hstack vstack dstack column_stack normal bernoulli_ Generator Size einsum "
    "compile no_grad enable_grad set_grad_enabled hann_window hamming_window bartlett_window blackman_window complex_ where tril_indices "
    "triu_indices empty_strided set_printoptions set_num_threads autocast meshgrid block_diag cartesian_prod broadcast_tensors is_storage "
    "result_type can_cast promote_types finfo iinfo get_rng_state set_rng_state scalar_tensor asarray frombuffer sparse_coo_tensor "
    "typename "
    "is_grad_enabled inference_mode broadcast_shapes atleast_1d atleast_2d vmap use_deterministic_algorithms _assert chain_matmul "
    "set_float32_matmul_precision align_tensors polar_ lobpcg_ from_file from_dlpack".split()
)
SEQUENCES_OF_TENSORS = frozenset("cat stack concat concatenate hstack vstack dstack column_stack row_stack".split())
