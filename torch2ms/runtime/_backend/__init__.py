"""MindSpore's private interfaces, in one place: version checked, each tested at its first use.

Everything else in the runtime uses documented MindSpore only. What is missing or works differently in another MindSpore
raises `BackendError`, which names the interface and the version.
"""

from .backward import function_base, run_backward
from .cells import settle, statistics_names
from .compiled import replaced, set_aside_compiled
from .names import call
from .precision import mixed_precision
from .recording import (
    call_custom_bprop,
    executor,
    grad_mode,
    is_grad_enabled,
    is_nested,
    is_recording,
    may_differentiate_twice,
    recording,
    set_grad_enabled,
    start_recording,
    stop_recording,
    tape_is_on,
)
from .tensors import (
    get_grad,
    is_differentiable,
    is_leaf,
    mark_buffer,
    ones_like,
    requires_grad,
    set_grad,
    set_requires_grad,
    zero_grad,
)
from .version import BackendError

__all__ = [
    "BackendError",
    "call",
    "call_custom_bprop",
    "executor",
    "function_base",
    "get_grad",
    "grad_mode",
    "is_differentiable",
    "is_grad_enabled",
    "is_leaf",
    "is_nested",
    "is_recording",
    "mark_buffer",
    "may_differentiate_twice",
    "mixed_precision",
    "ones_like",
    "recording",
    "replaced",
    "requires_grad",
    "run_backward",
    "set_aside_compiled",
    "set_grad",
    "set_grad_enabled",
    "set_requires_grad",
    "settle",
    "start_recording",
    "statistics_names",
    "stop_recording",
    "tape_is_on",
    "zero_grad",
]
