"""In-place methods and functions: what reaches the rules was not understood by the transform for in-place code."""
from __future__ import annotations

from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite

METHODS = (
    "abs_ absolute_ acos_ acosh_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addmv_ addr_ apply_ arccos_ arccosh_ arcsin_ arcsinh_ arctan2_ "
    "arctan_ arctanh_ as_strided_ asin_ asinh_ atan2_ atan_ atanh_ baddbmm_ bernoulli_ bitwise_and_ bitwise_left_shift_ bitwise_not_ "
    "bitwise_or_ bitwise_right_shift_ bitwise_xor_ cauchy_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ copy_ copysign_ cos_ "
    "cosh_ cumprod_ cumsum_ deg2rad_ detach_ digamma_ div_ divide_ eq_ erf_ erfc_ erfinv_ exp2_ exp_ expm1_ exponential_ fill_ "
    "fill_diagonal_ fix_ float_power_ floor_ floor_divide_ fmod_ frac_ gcd_ ge_ geometric_ greater_ greater_equal_ gt_ heaviside_ hypot_ "
    "i0_ igamma_ igammac_ index_add_ index_copy_ index_fill_ index_put_ index_reduce_ lcm_ ldexp_ le_ lerp_ less_ less_equal_ lgamma_ "
    "log10_ log1p_ log2_ log_ log_normal_ logical_and_ logical_not_ logical_or_ logical_xor_ logit_ lt_ map2_ map_ masked_fill_ "
    "masked_scatter_ mul_ multiply_ mvlgamma_ nan_to_num_ ne_ neg_ negative_ nextafter_ normal_ not_equal_ polygamma_ pow_ put_ rad2deg_ "
    "random_ reciprocal_ relu_ remainder_ renorm_ resize_ resize_as_ resize_as_sparse_ round_ rsqrt_ scatter_ scatter_add_ "
    "scatter_reduce_ set_ sgn_ sigmoid_ sign_ sin_ sinc_ sinh_ sparse_resize_ sparse_resize_and_clear_ sqrt_ square_ squeeze_ "
    "sub_ subtract_ swapaxes_ swapdims_ t_ tan_ tanh_ transpose_ tril_ triu_ true_divide_ trunc_ uniform_ unsqueeze_ xlogy_ zero_"
).split()
FUNCTIONS = (
    "abs_ acos_ acosh_ addmv_ alpha_dropout_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_ "
    "ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach_ dropout_ embedding_renorm_ erf_ erfc_ exp2_ "
    "exp_ expm1_ feature_alpha_dropout_ feature_dropout_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ "
    "log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ resize_as_ resize_as_sparse_ round_ rsqrt_ sigmoid_ sin_ sinc_ "
    "sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_ celu_ rrelu_ selu_ threshold_"
).split()
FUNCTIONAL = "celu_ elu_ hardtanh_ leaky_relu_ relu_ rrelu_ selu_ threshold_".split()


@rewrite(
    *(f"torch.Tensor.{name}" for name in METHODS),
    *(f"torch.{name}" for name in FUNCTIONS),
    *(f"torch.nn.functional.{name}" for name in FUNCTIONAL),
    transformed=True,
)
def write(site: Site) -> Outcome:
    """On the CPU MindSpore's in-place methods leave the tensor as it was, so none is ever emitted."""
    raise Refusal("T2M301", f"{site.name} writes in place, and what else sees the tensor is not known",
                  f"compute a new tensor ({site.name.rpartition('.')[2].rstrip('_')}) and assign it")


@rewrite("torch.Tensor.backward", "torch.autograd.backward", transformed=True)
def backward(site: Site) -> Outcome:
    """A backward that no training form has claimed."""
    raise Refusal("T2M201", "this backward belongs to no training step that could be converted",
                  "write the step with value_and_grad, see the manual's chapter on training")


@rewrite("torch.autograd.Function", transformed=True)
def function(site: Site) -> Outcome:
    """A Function that its transform has not claimed."""
    raise Refusal("T2M203", "this autograd.Function could not be brought into a Cell with bprop", "write construct and bprop by hand")
