"""What the methods and attributes of PyTorch's objects give: the exceptions; the rule for tensors is a Tensor."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from torch2ms.analysis.lattice import (
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
    PERHAPS,
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
from torch2ms.analysis.torch_functions import FUNCTIONS, TENSOR_METHOD_NAMES, Result, reduction, rows


def _reduction_method(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return reduction(args, keywords, 0)


def _size(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return NUMBER if args or keywords else SIZE


def _stride(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return NUMBER if args or keywords else NUMBERS


def _type(args: Sequence[KindInfo], keywords: Mapping[str, KindInfo]) -> KindInfo:
    return TENSOR if args or keywords else STRING


_METHODS: dict[str, Result] = {
    **{name: result for name, result in FUNCTIONS.items() if name in TENSOR_METHOD_NAMES},
    **rows(_reduction_method, "max min median nanmedian mode"),
    **rows(
        NUMBER,
        "dim ndimension numel nelement item element_size get_device storage_offset data_ptr dense_dim sparse_dim is_contiguous is_pinned "
        "is_shared is_set_to is_coalesced is_signed is_complex is_floating_point is_nonzero is_inference is_same_size equal allclose",
    ),
    **rows(NONE, "backward retain_grad apply_ map_"),
    **rows(OTHER, "register_hook register_post_accumulate_grad_hook tolist_ dlpack"),
    "nonzero": lambda args, keywords: TENSORS if args or keywords else INT_TENSOR,
    "where": TENSOR,
    "unique": lambda args, keywords: (
        TENSORS if keywords.keys() & {"return_inverse", "return_counts"} or len(args) > 1 else TENSOR
    ),
    "size": _size,
    "stride": _stride,
    "type": _type,
    "tolist": sequence(OTHER),
    "numpy": NDARRAY,
    "apply_": TENSOR,
    "storage": KindInfo(Kind.STORAGE),
    "untyped_storage": KindInfo(Kind.STORAGE),
    **rows(KindInfo(Kind.TENSOR, dtype="float32"), "float"),
    **rows(KindInfo(Kind.TENSOR, dtype="float64"), "double"),
    **rows(KindInfo(Kind.TENSOR, dtype="float16"), "half"),
    **rows(KindInfo(Kind.TENSOR, dtype="int64"), "long"),
    **rows(KindInfo(Kind.TENSOR, dtype="int32"), "int"),
    **rows(KindInfo(Kind.TENSOR, dtype="bool"), "bool"),
    **rows(KindInfo(Kind.TENSOR, dtype="uint8"), "byte"),
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
    **dict.fromkeys(
        "requires_grad is_leaf is_cuda is_cpu is_sparse is_quantized ndim itemsize nbytes is_meta is_mps is_xla retains_grad".split(),
        NUMBER,
    ),
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

# a module that nothing is known of
LAYER = KindInfo(Kind.MODULE, keys=PERHAPS)

PARAM_GROUP = KindInfo(Kind.MAPPING, cls="torch.optim.param_group")

# what an optimizer keeps for a parameter; its values are facts of the whole project
OPTIMIZER_STATE = KindInfo(Kind.MAPPING, cls="torch.optim.state")

# methods of torch.nn.Module that do not give the module back
MODULE_METHODS: dict[str, KindInfo] = {
    "parameters": sequence(PARAMETER),
    "named_parameters": sequence(sequence(items=(STRING, PARAMETER))),
    "buffers": TENSORS,
    "named_buffers": sequence(sequence(items=(STRING, TENSOR))),
    "modules": sequence(LAYER),
    "children": sequence(LAYER),
    "named_modules": sequence(sequence(items=(STRING, LAYER))),
    "named_children": sequence(sequence(items=(STRING, LAYER))),
    "get_parameter": PARAMETER,
    "get_buffer": TENSOR,
    "get_submodule": LAYER,
    "state_dict": mapping(TENSOR),
    "load_state_dict": OTHER,
    **dict.fromkeys(
        "zero_grad register_buffer register_parameter register_module add_module append extend insert update".split(),
        NONE,
    ),
    **dict.fromkeys(
        "register_forward_hook register_backward_hook register_full_backward_hook register_forward_pre_hook".split(),
        OTHER,
    ),
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
    "_modules": mapping(LAYER),
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


PARTS_OF_LAYERS: dict[str, dict[str, str]] = {
    "torch.nn.Transformer": {"encoder": "torch.nn.TransformerEncoder", "decoder": "torch.nn.TransformerDecoder"},
    "torch.nn.MultiheadAttention": {"out_proj": "torch.nn.Linear"},
}
_GREY: dict[str, KindInfo] = {"data": TENSOR, "targets": INT_TENSOR, "train_data": TENSOR, "train_labels": INT_TENSOR}
_COLOUR: dict[str, KindInfo] = {"data": NDARRAY, "targets": NUMBERS}
# data sets of torchvision whose samples lie in memory
DATASET_ATTRIBUTES: dict[str, dict[str, KindInfo]] = {
    **{f"torchvision.datasets.{name}": _GREY for name in "MNIST FashionMNIST KMNIST QMNIST EMNIST".split()},
    **{f"torchvision.datasets.{name}": _COLOUR for name in "CIFAR10 CIFAR100".split()},
}


def layer_result(cls: str) -> KindInfo:
    """What calling a module of PyTorch gives."""
    return MODULE_RESULTS.get(cls, TENSOR)


# where the constructor of a module takes `inplace`
INPLACE_POSITION: dict[str, int] = {
    **dict.fromkeys("ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid".split(), 0),
    **dict.fromkeys(
        "LeakyReLU ELU CELU Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout".split(), 1
    ),
    **dict.fromkeys("Threshold Hardtanh RReLU".split(), 2),
}

# where the functions of torch.nn.functional take `inplace`
_INPLACE_POSITION = {
    **dict.fromkeys("relu relu6 selu silu mish hardswish hardsigmoid".split(), 1),
    **dict.fromkeys("leaky_relu elu celu".split(), 2),
    **dict.fromkeys("threshold hardtanh dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split(), 3),
    "rrelu": 4,
}


def inplace_flag(call: ast.Call, name: str) -> ast.expr | None:
    """What a call of a function of torch.nn.functional gives as `inplace`, by keyword or by position."""
    head, _, last = name.rpartition(".")
    if head != "torch.nn.functional":
        return None
    position = _INPLACE_POSITION.get(last, len(call.args))
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg == "inplace"), None)


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
    "unsqueeze permute contiguous detach backward masked_fill index_select nelement expand_as view_as type_as new_zeros new_ones "
    "new_tensor new_full new_empty scatter scatter_add gather softmax log_softmax sigmoid bmm addmm baddbmm narrow chunk masked_select "
    "is_contiguous retain_grad repeat_interleave unfold ndimension masked_scatter logsumexp new expand topk".split()
) | {
    name
    for name in TENSOR_METHOD_NAMES
    if name.endswith("_")
    and not name.startswith("_")
    and name not in ("apply_", "map_", "type_", "requires_grad_", "share_memory_")
}
