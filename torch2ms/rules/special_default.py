"""The default data type: float64 in its place is the runtime's business, in programs that ask for it."""
from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.edits import Replace, Splice
from torch2ms.rules.api import Api
from torch2ms.rules.rows import by_row, outcome
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import dtype_name

_SUPPORTED = ("mindspore.float32", "mindspore.float64")
_ADVICE = "pass dtype= where tensors are made, or convert the model with .to(dtype)"
# functions that the runtime exchanges when the default becomes float64: a variable would hold what they were before
EXCHANGED = frozenset(
    "acos acosh add addcdiv addcmul angle arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan "
    "atan2 atanh bartlett_window blackman_window clamp clip copysign corrcoef cos cosh cov deg2rad diff digamma div "
    "divide empty eq erf erfc erfinv exp exp2 expm1 eye floor_divide fmax fmin fmod full ge greater greater_equal "
    "grid_sample grid_sampler gt hamming_window hann_window i0 index_fill kaiser_window le lerp less less_equal lgamma "
    "linspace log log10 log1p log2 logaddexp logaddexp2 logit logspace logsumexp lt maximum minimum mul mvlgamma "
    "nan_to_num nanmean ne normal not_equal ones polygamma pow rad2deg rand randn reciprocal remainder rsqrt scatter "
    "sigmoid sin sinc sinh sqrt sub tan tanh where xlogy zeros".split()
)
# functions of `mindspore.ops` that lose the digits of float64, the type, or those of the gradient
_SINGLE = frozenset("cholesky_solve fftfreq hypot igamma igammac ldexp rfftfreq trapezoid trapz".split())


@rewrite("torch.set_default_dtype", "torch.set_default_tensor_type")
def default_dtype(site: Site) -> Outcome:
    """float32 where nothing else is ever set is left out; float32 and float64 are set in the runtime."""
    call = site.call
    if call is None:
        raise Refusal("T2M101", f"{site.name} is used as a value", "call it where the default is to change")
    name = dtype_name(site.facts, call.args[0]) if len(call.args) == 1 and not call.keywords else None
    if name == "mindspore.float32" and not site.facts.project.habits.sets_default_dtype:
        statement = site.parent()
        return outcome(site, Splice(statement, ()) if isinstance(statement, ast.Expr) else Replace(call, "None"))
    if name is not None and name not in _SUPPORTED:
        kind = name.removeprefix("mindspore.")
        raise Refusal("T2M101", f"{site.name} makes {kind} the type of new tensors, where float32 and float64 can be", _ADVICE)
    if site.facts.options.target == "pure":
        raise Refusal("T2M101", f"{site.name} changes the type of new tensors, which MindSpore cannot", _ADVICE)
    if name is not None:
        return outcome(site, Replace(call, f"$set_default_dtype(${name})"))
    last = site.name.rpartition(".")[2]
    given = "d" if last == "set_default_dtype" else "t"
    return by_row(site, Api(f"{site.name}({given}, /)", f"{last}({given})"))


@rewrite("torch.get_default_dtype")
def get_default_dtype(site: Site) -> Outcome:
    """float32 where nobody sets another one."""
    changed = site.facts.project.habits.sets_default_dtype and site.facts.options.target != "pure"
    return by_row(site, Api("torch.get_default_dtype()", "get_default_dtype()" if changed else "mindspore.float32"))


def check_digits(site: Site) -> None:
    """Refuses, in a program of another default, the functions that MindSpore computes in float32."""
    owner, _, last = site.name.rpartition(".")
    if last in _SINGLE and owner in ("torch", "torch.Tensor", "torch.fft") and site.facts.project.habits.sets_default_dtype:
        raise Refusal("T2M101", f"MindSpore computes {site.name} of float64 in float32", "compute it from other functions")


def looked_up(site: Site, found: Outcome) -> Outcome:
    """What was found, for a function as a value in a form that asks for the function when it is called."""
    if site.call is not None or site.receiver is not None or not site.facts.project.habits.sets_default_dtype:
        return found
    edit = found.edits[0] if len(found.edits) == 1 else None
    if not isinstance(edit, Replace) or not _is_exchanged(edit.template):
        return found
    return replace(found, edits=(replace(edit, template=f"(lambda *args, **kwargs: {edit.template}(*args, **kwargs))"),))


def _is_exchanged(template: str) -> bool:
    owner, _, last = template.rpartition(".")
    return owner in ("$mint", "$mint.nn.functional") and last in EXCHANGED or owner in ("$mint.special", "$mint.fft", "$mint.signal")
