"""What PyTorch's functions, methods and attributes give: the exceptions; the rule is a Tensor."""
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
    MAPPING,
    NDARRAY,
    NONE,
    NUMBER,
    NUMBERS,
    OTHER,
    PARAMETER,
    SIZE,
    STRING,
    STRINGS,
    TENSOR,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    mapping,
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
_VALUES_INDICES = sequence(items=(TENSOR, INT_TENSOR))


def _reduction(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo], receiver: int = 1) -> KindInfo:
    """max, min, median, mode: with a dimension values and indices, with another tensor a tensor."""
    dim = keywords.get("dim") or keywords.get("axis") or (args[receiver] if len(args) > receiver else None)
    if dim is None or dim.kind in (Kind.TENSOR, Kind.PARAMETER) or "other" in keywords:
        return TENSOR
    if dim.kind is Kind.NUMBER or len(args) > receiver + 1 or "dim" in keywords or "keepdim" in keywords:
        return _VALUES_INDICES
    return UNKNOWN


def _reduction_method(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return _reduction(args, keywords, 0)


def _nonzero(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSORS if "as_tuple" in keywords or len(args) > 1 else INT_TENSOR


def _where(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSORS if len(args) + len(keywords) == 1 else TENSOR


def _unique(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSORS if keywords.keys() & {"return_inverse", "return_counts"} or len(args) > 2 else TENSOR


def _size(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return NUMBER if args or keywords else SIZE


def _stride(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return NUMBER if args or keywords else NUMBERS


def _type(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSOR if args or keywords else STRING


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


def _rows(result: Result, names: str) -> dict[str, Result]:
    return dict.fromkeys(names.split(), result)


# what a function gives, by the last part of its name, in torch, torch.linalg, torch.fft ...; a Tensor where nothing is said
_FUNCTIONS: dict[str, Result] = {
    **_rows(
        NUMBER,
        "is_tensor is_storage is_complex is_floating_point is_nonzero is_conj is_grad_enabled is_inference_mode_enabled allclose "
        "equal can_cast numel initial_seed seed get_num_threads get_num_interop_threads are_deterministic_algorithms_enabled "
        "is_distributed is_same_size is_autocast_enabled is_autocast_available is_warn_always_enabled typename is_inference is_signed",
    ),
    **_rows(
        NONE,
        "save set_printoptions set_default_dtype set_default_device set_default_tensor_type set_num_threads set_num_interop_threads "
        "set_flush_denormal use_deterministic_algorithms set_float32_matmul_precision set_rng_state set_warn_always "
        "set_deterministic_debug_mode _assert set_autocast_enabled",
    ),
    **_rows(
        OTHER,
        "no_grad enable_grad set_grad_enabled inference_mode autocast finfo iinfo set_anomaly_enabled Event Stream typename layout "
        "memory_format contiguous_format channels_last channels_last_3d preserve_format strided sparse_coo __version__ "
        "get_float32_matmul_precision Graph classes ops",
    ),
    **_rows(
        TENSORS,
        "split chunk unbind tensor_split hsplit vsplit dsplit meshgrid broadcast_tensors svd qr eig lu slogdet geqrf frexp lstsq eigh "
        "symeig lu_factor inv_ex cholesky_ex lu_unpack align_tensors unsafe_chunk unsafe_split split_with_sizes std_mean var_mean aminmax "
        "histogram triangular_solve solve histogramdd ldl_factor lu_factor_ex lobpcg svd_lowrank pca_lowrank lstm gru_cell _foreach_norm "
        "block_diag_ atleast_nd native_layer_norm native_batch_norm batch_norm_stats",
    ),
    **_rows(_VALUES_INDICES, "sort topk kthvalue cummax cummin msort_ mode_"),
    **_rows(_reduction, "max min median nanmedian mode"),
    **_rows(
        BOOL_TENSOR,
        "eq ne lt le gt ge equal_ isnan isinf isfinite isclose logical_and logical_or logical_not logical_xor isreal isposinf isneginf isin greater less "
        "greater_equal less_equal not_equal",
    ),
    **_rows(INT_TENSOR, "argmax argmin argsort bincount searchsorted bucketize count_nonzero randperm argwhere multinomial"),
    "nonzero": _nonzero,
    "where": _where,
    "unique": _unique,
    "unique_consecutive": _unique,
    "load": UNKNOWN,
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
    **_rows(KindInfo(Kind.STORAGE), "UntypedStorage TypedStorage FloatStorage LongStorage IntStorage DoubleStorage ByteStorage HalfStorage"),
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
    **_rows(KindInfo(Kind.OTHER, cls="torch.nn.utils.rnn.PackedSequence"), "torch.nn.utils.rnn.pack_padded_sequence torch.nn.utils.rnn.pack_sequence"),
    **_rows(
        _first,
        "torch.nn.utils.remove_weight_norm torch.nn.utils.remove_spectral_norm torch.nn.DataParallel torch.nn.parallel.DistributedDataParallel torch.jit.script "
        "torch.jit.script_if_tracing torch.jit.ignore torch.jit.export torch.jit.freeze torch.jit.optimize_for_inference",
    ),
    **_rows(
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
        for prefix, dtype in {"Float": "float32", "Double": "float64", "Half": "float16", "Long": "int64", "Int": "int32", "Short": "int16",
                              "Byte": "uint8", "Char": "int8", "Bool": "bool", "BFloat16": "bfloat16"}.items()
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
_PLAIN = ("torch.cuda.", "torch.backends.", "torch.version", "torch.multiprocessing.", "torch.onnx.", "torch.profiler.", "torch.mps.",
          "torch.xpu.", "torch.utils.benchmark.", "torch.utils.cpp_extension.", "torch.utils.tensorboard.", "torch.hub.", "torch.testing.",
          "torch.accelerator.", "torch.cpu.", "torch.amp.", "torch.autograd.profiler.", "torch.compiler.", "torch.overrides.", "torch.__config__",
          "torch.distributed.", "torchvision.utils.", "torchvision.set_", "torch.random.", "torch.jit.", "torch.library.", "torch.package.")
_TENSOR_SPACES = ("torch.nn.functional.", "torch.nn.init.", "torch.linalg.", "torch.fft.", "torch.special.", "torch.sparse.",
                  "torch.signal.", "torch.nested.", "torch.masked.", "torchvision.ops.", "torchaudio.functional.")


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
        return _FUNCTIONS.get(last, TENSOR)
    if head == "torch.Tensor":
        return method_result(last) or UNKNOWN
    if name.startswith("torch.distributions."):
        return KindInfo(Kind.OTHER, cls=name)
    if name.startswith("torchvision.transforms.functional."):
        return UNKNOWN
    if name.startswith(("torchvision.transforms.", "torchaudio.transforms.")):
        return KindInfo(Kind.CALLABLE, cls=name)
    return UNKNOWN


_METHODS: dict[str, Result] = {
    **{name: result for name, result in _FUNCTIONS.items() if name in TENSOR_METHOD_NAMES},
    **_rows(_reduction_method, "max min median nanmedian mode"),
    **_rows(
        NUMBER,
        "dim ndimension numel nelement item element_size get_device storage_offset data_ptr dense_dim sparse_dim is_contiguous is_pinned "
        "is_shared is_set_to is_coalesced is_signed is_complex is_floating_point is_nonzero is_inference is_same_size equal allclose",
    ),
    **_rows(NONE, "backward retain_grad apply_ map_"),
    **_rows(OTHER, "register_hook register_post_accumulate_grad_hook tolist_ dlpack"),
    "nonzero": lambda args, keywords: TENSORS if args or keywords else INT_TENSOR,
    "where": TENSOR,
    "unique": lambda args, keywords: TENSORS if keywords.keys() & {"return_inverse", "return_counts"} or len(args) > 1 else TENSOR,
    "size": _size,
    "stride": _stride,
    "type": _type,
    "tolist": sequence(OTHER),
    "numpy": NDARRAY,
    "apply_": TENSOR,
    "storage": KindInfo(Kind.STORAGE),
    "untyped_storage": KindInfo(Kind.STORAGE),
    **_rows(KindInfo(Kind.TENSOR, dtype="float32"), "float"),
    **_rows(KindInfo(Kind.TENSOR, dtype="float64"), "double"),
    **_rows(KindInfo(Kind.TENSOR, dtype="float16"), "half"),
    **_rows(KindInfo(Kind.TENSOR, dtype="int64"), "long"),
    **_rows(KindInfo(Kind.TENSOR, dtype="int32"), "int"),
    **_rows(KindInfo(Kind.TENSOR, dtype="bool"), "bool"),
    **_rows(KindInfo(Kind.TENSOR, dtype="uint8"), "byte"),
}
_SAME_DTYPE = frozenset(
    "view reshape transpose permute t unsqueeze squeeze flatten contiguous detach clone expand expand_as repeat narrow select chunk "
    "cpu cuda unfold roll flip gather index_select masked_fill view_as squeeze_ unsqueeze_ requires_grad_ detach_".split()
)


def method_result(method: str) -> Result | None:
    """What a method of torch.Tensor gives; None for a name that is no method of it."""
    found = _METHODS.get(method)
    if found is not None:
        return found
    return TENSOR if method in TENSOR_METHOD_NAMES else None


def keeps_dtype(method: str) -> bool:
    """Whether the result of a Tensor method surely has the dtype of the tensor."""
    return method in _SAME_DTYPE


TENSOR_ATTRIBUTES: dict[str, KindInfo] = {
    **dict.fromkeys("data T H mT mH real imag".split(), TENSOR),
    **dict.fromkeys("requires_grad is_leaf is_cuda is_cpu is_sparse is_quantized ndim itemsize nbytes is_meta is_mps is_xla retains_grad".split(), NUMBER),
    "grad": KindInfo(Kind.TENSOR, optional=True),
    "shape": SIZE,
    "device": DEVICE,
    "dtype": DTYPE,
    "grad_fn": OTHER,
    "layout": OTHER,
    "name": STRING,
    "names": STRINGS,
    "_version": NUMBER,
    "_base": KindInfo(Kind.TENSOR, optional=True),
    "_grad": KindInfo(Kind.TENSOR, optional=True),
}
_NAMED = {"parameters": PARAMETER, "buffers": TENSOR}
_MODULES = KindInfo(Kind.MODULE)
PARAM_GROUP = KindInfo(Kind.MAPPING, cls="torch.optim.param_group")
# what an optimizer keeps for a parameter; its values are facts of the whole project
OPTIMIZER_STATE = KindInfo(Kind.MAPPING, cls="torch.optim.state")
# methods of torch.nn.Module that do not give the module back
MODULE_METHODS: dict[str, KindInfo] = {
    "parameters": sequence(PARAMETER),
    "named_parameters": sequence(sequence(items=(STRING, PARAMETER))),
    "buffers": TENSORS,
    "named_buffers": sequence(sequence(items=(STRING, TENSOR))),
    "modules": sequence(_MODULES),
    "children": sequence(_MODULES),
    "named_modules": sequence(sequence(items=(STRING, _MODULES))),
    "named_children": sequence(sequence(items=(STRING, _MODULES))),
    "get_parameter": PARAMETER,
    "get_buffer": TENSOR,
    "get_submodule": _MODULES,
    "state_dict": mapping(TENSOR),
    "load_state_dict": OTHER,
    **dict.fromkeys("zero_grad register_buffer register_parameter register_module add_module append extend insert update".split(), NONE),
    **dict.fromkeys("register_forward_hook register_backward_hook register_full_backward_hook register_forward_pre_hook".split(), OTHER),
    **dict.fromkeys("_get_name extra_repr __repr__ __str__".split(), STRING),
    "keys": STRINGS,
}
MODULE_SAME = frozenset(
    "train eval to cuda cpu float half double bfloat16 type apply requires_grad_ share_memory to_empty xpu compile".split()
)
MODULE_ATTRIBUTES: dict[str, KindInfo] = {
    "training": NUMBER,
    "_parameters": mapping(PARAMETER),
    "_buffers": mapping(TENSOR),
    "_modules": mapping(_MODULES),
}
PARAMETERS_OF_LAYERS = frozenset("weight bias in_proj_weight in_proj_bias".split())
BUFFERS_OF_LAYERS = frozenset("running_mean running_var num_batches_tracked".split())
NUMBERS_OF_LAYERS = frozenset(
    "in_features out_features in_channels out_channels kernel_size stride padding dilation groups num_features eps momentum affine "
    "embedding_dim num_embeddings padding_idx p hidden_size input_size num_layers bidirectional batch_first normalized_shape num_heads "
    "embed_dim inplace negative_slope dropout track_running_stats out_features elementwise_affine num_groups num_channels".split()
)
# modules that give something else than one Tensor
_STATE = sequence(items=(TENSOR, TENSOR))
MODULE_RESULTS: dict[str, KindInfo] = {
    "torch.nn.LSTM": sequence(items=(TENSOR, _STATE)),
    "torch.nn.GRU": _STATE,
    "torch.nn.RNN": _STATE,
    "torch.nn.LSTMCell": _STATE,
    "torch.nn.MultiheadAttention": _STATE,
    "torch.nn.AdaptiveLogSoftmaxWithLoss": _STATE,
    "torchvision.models.inception_v3": UNKNOWN,
    "torchvision.models.googlenet": UNKNOWN,
}
def layer_result(cls: str) -> KindInfo:
    """What calling a module of PyTorch gives."""
    return MODULE_RESULTS.get(cls, TENSOR)


# where the constructor of a module takes `inplace`
INPLACE_POSITION: dict[str, int] = {
    **dict.fromkeys("ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid".split(), 0),
    **dict.fromkeys("LeakyReLU ELU CELU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout".split(), 1),
    **dict.fromkeys("Threshold Hardtanh RReLU".split(), 2),
}
OPTIMIZER_METHODS: dict[str, KindInfo] = {
    "step": KindInfo(Kind.TENSOR, certain=False, optional=True),
    "zero_grad": NONE,
    "state_dict": MAPPING,
    "load_state_dict": NONE,
    "add_param_group": NONE,
}
DISTRIBUTION_TENSORS = frozenset(
    "sample rsample sample_n log_prob entropy cdf icdf perplexity mean stddev variance mode probs logits loc scale rate total_count "
    "concentration concentration1 concentration0 covariance_matrix scale_tril precision_matrix low high".split()
)
# Tensor methods that no common object beside tensors has; a call of one tells that its receiver is a tensor
TENSOR_ONLY = frozenset(
    "unsqueeze permute contiguous detach backward masked_fill index_select numel nelement expand_as view_as type_as new_zeros new_ones "
    "new_tensor new_full new_empty scatter scatter_add gather softmax log_softmax sigmoid bmm addmm baddbmm narrow chunk masked_select "
    "is_contiguous retain_grad repeat_interleave unfold ndimension masked_scatter logsumexp new expand topk".split()
) | {name for name in TENSOR_METHOD_NAMES if name.endswith("_") and not name.startswith("_") and name not in ("apply_", "map_", "type_", "requires_grad_", "share_memory_")}
# functions of torch whose first argument need not be a tensor
NOT_OF_TENSORS = frozenset(
    "tensor as_tensor from_numpy zeros ones rand randn randint empty full arange linspace logspace range eye randperm Tensor FloatTensor "
    "LongTensor IntTensor ByteTensor BoolTensor DoubleTensor HalfTensor ShortTensor CharTensor manual_seed device save load is_tensor "
    "set_default_dtype set_default_tensor_type cat stack concat hstack vstack dstack column_stack normal bernoulli_ Generator Size einsum "
    "compile no_grad enable_grad set_grad_enabled hann_window hamming_window bartlett_window blackman_window complex_ where tril_indices "
    "triu_indices empty_strided set_printoptions set_num_threads autocast meshgrid block_diag cartesian_prod broadcast_tensors is_storage "
    "result_type can_cast promote_types finfo iinfo get_rng_state set_rng_state scalar_tensor asarray frombuffer sparse_coo_tensor typename "
    "is_grad_enabled inference_mode broadcast_shapes atleast_1d atleast_2d vmap use_deterministic_algorithms _assert chain_matmul "
    "set_float32_matmul_precision align_tensors polar_ lobpcg_ from_file from_dlpack".split()
)
SEQUENCES_OF_TENSORS = frozenset("cat stack concat concatenate hstack vstack dstack column_stack row_stack".split())
