"""Which operations give a view or the tensor itself, and which write into their operands."""

from __future__ import annotations

from torch2ms.analysis.torch_names import TENSOR_METHODS

# always share the storage of the tensor
VIEWS = frozenset(
    "view view_as transpose permute t T mT mH H adjoint unsqueeze squeeze expand expand_as narrow select diagonal detach unbind split "
    "chunk tensor_split hsplit vsplit dsplit split_with_sizes unsafe_split unsafe_chunk unfold movedim moveaxis swapaxes swapdims "
    "view_as_real view_as_complex as_strided alias broadcast_to unflatten positive requires_grad_ detach_ squeeze_ unsqueeze_ "
    "transpose_ t_ swapaxes_ swapdims_ as_strided_ share_memory_ from_numpy Variable Parameter data real imag broadcast_tensors "
    "numpy storage untyped_storage".split()
)
# views of one tensor that gradients run through
PURE_VIEWS = frozenset(
    "view view_as transpose permute t T mT unsqueeze squeeze narrow select diagonal movedim moveaxis swapaxes swapdims unflatten".split()
)
# views that come as a sequence
SPLITTING = frozenset(
    "unbind split chunk tensor_split hsplit vsplit dsplit split_with_sizes unsafe_split unsafe_chunk broadcast_tensors".split()
)
# share it or copy, as it comes
PERHAPS_VIEWS = frozenset(
    "reshape reshape_as flatten ravel contiguous to type type_as float double half bfloat16 long int short byte char bool cpu cuda xpu "
    "conj resolve_conj resolve_neg sum_to_size as_tensor asarray atleast_1d atleast_2d atleast_3d dropout dropout1d dropout2d dropout3d "
    "alpha_dropout feature_alpha_dropout feature_dropout meshgrid einsum to_dense coalesce pin_memory dequantize where_ identity "
    "index_select_ nan_to_num_ diag_ checkpoint rearrange reduce repeat rename refine_names align_to align_as get values indices data_ptr "
    "movedim_ asanyarray atleast_3d_ pack unpack pixel_unshuffle pixel_shuffle channel_shuffle native_channel_shuffle".split()
)
_TENSOR_METHODS = frozenset(TENSOR_METHODS.split())
# in-place names that change no values
_NO_WRITE = frozenset(
    "requires_grad_ detach_ share_memory_ rename_ squeeze_ unsqueeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_".split()
)
# in-place functions of torch and torch.nn.functional outside torch.Tensor
_WRITING_FUNCTIONS = frozenset(
    "relu_ elu_ selu_ celu_ leaky_relu_ rrelu_ threshold_ hardtanh_ dropout_ alpha_dropout_ embedding_renorm_ resize_as_".split()
)
# modules that give their input back or a view of it, at least in some mode
SHARING_MODULES = frozenset(
    "Identity Flatten Unflatten Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout Sequential ModuleList ModuleDict "
    "DataParallel PixelShuffle PixelUnshuffle ChannelShuffle Module Rearrange Reduce".split()
)
# functions of numpy whose result shares the array
NUMPY_VIEWS = frozenset(
    "asarray asanyarray ascontiguousarray reshape transpose squeeze expand_dims ravel swapaxes moveaxis broadcast_to atleast_1d "
    "atleast_2d split array_split diagonal frombuffer".split()
)
ARRAY_VIEWS = frozenset("view reshape transpose squeeze ravel swapaxes T diagonal real imag flat data".split())


def writes_receiver(method: str) -> bool:
    """Whether a Tensor method changes the values of the tensor it is called on."""
    return method.endswith("_") and not method.endswith("__") and method in _TENSOR_METHODS and method not in _NO_WRITE


def writes_first_argument(name: str) -> bool:
    """Whether a function, by its canonical name, changes the values of its first argument."""
    head, _, last = name.rpartition(".")
    if head == "torch.nn.init":
        return last not in ("calculate_gain",) and not last.startswith("_")
    if head in ("torch", "torch.nn.functional"):
        return last.endswith("_") and (last in _WRITING_FUNCTIONS or writes_receiver(last))
    return False


def returns_itself(method: str) -> bool:
    """Whether a Tensor method gives the very tensor back."""
    return method.endswith("_") and not method.endswith("__") and method in _TENSOR_METHODS
