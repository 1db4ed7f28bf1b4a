"""What some file of a project does that decides how others are converted."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass

from torch2ms.analysis.default_dtype import DEFAULT_SETTERS, names_float32
from torch2ms.analysis.names import Names

# calls that set a hook, or make a weight anew in one
_HOOKING = frozenset(
    "register_forward_hook register_forward_pre_hook register_full_backward_hook register_backward_hook register_hook "
    "spectral_norm weight_norm register_parametrization".split()
)
_ASK_FOR_MODE = frozenset(("torch.is_grad_enabled", "torch.is_inference_mode_enabled"))


@dataclass(slots=True)
class Habits:
    """Whether any file does it."""

    differentiates_twice: bool = False  # a gradient of a gradient is asked for
    sets_default_dtype: bool = False  # the data type of new tensors changes
    reads_grad_mode: bool = False  # is_grad_enabled is asked
    hooked: bool = False  # hooks are set, or a norm that makes a weight anew in one
    leaves_behind: bool = False  # the forward of a module sets attributes of the module

    def note(self, call: ast.Call, called: str | None, keywords: Collection[str], names: Names) -> None:
        """Takes down what a call does; `called` is the full name of what it calls, where that is a library's."""
        func = call.func
        last = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        self.differentiates_twice |= "create_graph" in keywords
        self.hooked |= last in _HOOKING
        self.reads_grad_mode |= called in _ASK_FOR_MODE
        self.sets_default_dtype |= called in DEFAULT_SETTERS and not names_float32(names, call)
