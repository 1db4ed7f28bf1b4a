"""Names of PyTorch, Python and other packages by what they do to gradients."""

from __future__ import annotations

from torch2ms.analysis.kinds import Kind

# methods of tensors whose result carries no gradient
CUT_METHODS = frozenset(
    "detach item tolist numpy size dim ndimension numel nelement element_size stride storage storage_offset "
    "data_ptr argmax argmin argsort eq ne lt le gt ge equal isnan isinf isfinite is_contiguous is_floating_point "
    "any all nonzero long int bool byte get_device backward register_hook retain_grad".split()
)
# methods that nothing but a tensor (or an array, a string, a container) has
TENSOR_METHODS = frozenset(
    "to cuda cpu float double half bfloat16 type type_as view view_as reshape reshape_as flatten unflatten "
    "squeeze unsqueeze permute transpose t contiguous clone expand expand_as repeat repeat_interleave chunk split "
    "unbind narrow select index_select gather scatter scatter_add masked_select masked_fill mean sum std var max "
    "min norm prod cumsum cumprod logsumexp softmax log_softmax sigmoid tanh relu exp log log1p sqrt rsqrt abs "
    "neg pow square clamp clip add sub mul div matmul mm bmm mv dot fill_ zero_ copy_ normal_ uniform_ random_ "
    "sign floor ceil round triu tril diag sort topk median mode lerp where new new_zeros new_ones new_full "
    "new_tensor new_empty requires_grad_ detach_ masked_fill_ clamp_ add_ sub_ mul_ div_ bernoulli_ index_fill_ "
    "scatter_ unfold roll flip rot90 item append extend insert pop keys values items get copy format join replace "
    "strip lower upper startswith endswith update setdefault index count".split()
)
# modules that hold no weights: what comes out carries what went in
BARE_MODULES = frozenset(
    "ReLU ReLU6 LeakyReLU ELU SELU CELU GELU Sigmoid Tanh Softmax LogSoftmax Softplus Softsign Softmin Hardtanh "
    "Hardsigmoid Hardswish SiLU Mish Dropout Dropout1d Dropout2d Dropout3d AlphaDropout Flatten Unflatten "
    "Identity MaxPool1d MaxPool2d MaxPool3d AvgPool1d AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d "
    "AdaptiveMaxPool2d Upsample UpsamplingNearest2d UpsamplingBilinear2d ZeroPad2d ReflectionPad2d PixelShuffle "
    "CosineSimilarity PairwiseDistance".split()
)
PLAIN_KINDS = frozenset(
    Kind[name]
    for name in "OPTIMIZER SCHEDULER LOADER DATASET SCALER DEVICE DTYPE GENERATOR SIZE NDARRAY NUMBER STRING SEQUENCE "
    "MAPPING NONE OTHER".split()
)
# values of these kinds never carry gradient, whatever made them; another library's objects may be tensors
NO_GRADIENT = PLAIN_KINDS - {Kind.SEQUENCE, Kind.MAPPING, Kind.OTHER} | {
    Kind.MODULE,
    Kind.MODULE_CLASS,
    Kind.MODULE_OBJECT,
    Kind.STRING,
}
CUT_BUILTINS = frozenset(
    "float int bool len str repr print isinstance range type id hash round format open input hasattr callable".split()
)
NOT_TENSOR_PACKAGES = frozenset(
    "numpy math random time os sys json PIL cv2 scipy pandas sklearn glob re pickle logging datetime".split()
)
CUT_TORCH = frozenset(
    "tensor LongTensor IntTensor BoolTensor ByteTensor load "
    "multinomial bernoulli normal argmax argmin argsort eq ne lt le gt ge equal isnan isinf isfinite is_tensor "
    "numel zeros_like ones_like rand_like randn_like full_like empty_like no_grad inference_mode manual_seed save "
    "randint randperm arange zeros ones full empty rand randn eye linspace from_numpy".split()
)
# torch functions that run a callable they are given
RUNNERS = ("torch.utils.checkpoint.", "torch.func.", "torch.autograd.functional.", "torch.nn.parallel.", "torch.jit.")
ENTRY_FREE_METHODS = frozenset(
    "parameters named_parameters state_dict train eval to cuda cpu zero_grad float double modules children "
    "buffers".split()
)
