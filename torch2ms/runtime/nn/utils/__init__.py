"""Counterpart of torch.nn.utils."""

from . import parametrizations, parametrize, rnn
from .checkpoint import checkpoint, checkpoint_sequential
from .clip import clip_grad_norm_, clip_grad_value_, get_total_norm
from .convert import parameters_to_vector, vector_to_parameters
from .fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from .spectral_norm import remove_spectral_norm, spectral_norm
from .tuples import (
    _ntuple,
    _pair,
    _quadruple,
    _reverse_repeat_tuple,
    _single,
    _triple,
    consume_prefix_in_state_dict_if_present,
)
from .weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "_ntuple",
    "_pair",
    "_quadruple",
    "_reverse_repeat_tuple",
    "_single",
    "_triple",
    "checkpoint",
    "checkpoint_sequential",
    "clip_grad_norm_",
    "clip_grad_value_",
    "consume_prefix_in_state_dict_if_present",
    "fuse_conv_bn_eval",
    "fuse_linear_bn_eval",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]
