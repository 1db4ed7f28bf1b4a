"""What some file of a project does that decides how others are converted."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch2ms.analysis.lattice import TENSOR_KINDS, Kind
from torch2ms.analysis.names import Names

if TYPE_CHECKING:
    from torch2ms.analysis.arguments import Arguments
    from torch2ms.analysis.evaluate import Evaluator

# calls that set a hook, or make a weight anew in one
_HOOKING = frozenset(
    "register_forward_hook register_forward_pre_hook register_full_backward_hook register_backward_hook register_hook "
    "spectral_norm weight_norm register_parametrization".split()
)
_DEFAULT_SETTERS = frozenset(("torch.set_default_dtype", "torch.set_default_tensor_type"))
_FLOAT32 = frozenset(("torch.float32", "torch.float", "torch.FloatTensor", "torch.cuda.FloatTensor"))
_ASK_FOR_MODE = frozenset(("torch.is_grad_enabled", "torch.is_inference_mode_enabled"))


@dataclass(slots=True)
class Habits:
    """Whether any file does it."""

    differentiates_twice: bool = False  # a gradient of a gradient is asked for
    sets_default_dtype: bool = False  # the data type of new tensors changes
    reads_grad_mode: bool = False  # is_grad_enabled is asked
    hooked: bool = False  # hooks are set, or a norm that makes a weight anew in one
    leaves_behind: bool = False  # the forward of a module sets attributes
    takes_models: bool = False  # models of torchvision, whose activations work in place
    walks_layers: bool = False  # the layers of a model are run one by one
    wraps_tensors: bool = False  # objects that hold tensors are made where a forward may be

    def note(self, call: ast.Call, names: Names) -> None:
        """Takes down what a call does, by what it names."""
        func, called = call.func, names.of(call.func) or ""
        last = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        self.differentiates_twice |= any(keyword.arg == "create_graph" for keyword in call.keywords)
        self.hooked |= last in _HOOKING
        self.reads_grad_mode |= called in _ASK_FOR_MODE
        self.takes_models |= called.startswith("torchvision.models.")
        self.walks_layers |= last in ("children", "named_children")
        self.wraps_tensors |= called.startswith("torch.distributions.")
        self.sets_default_dtype |= called in _DEFAULT_SETTERS and not _names_float32(names, call)


def note_object(ev: Evaluator, arguments: Arguments) -> None:
    """Takes down that an object of no class of layers is made: of tensors, or of who knows what in a layer's forward."""
    owner, _, method = ev.unit.qualified.rpartition(".")
    in_forward = method != "__init__" and ev.project.is_module(owner)
    given = (*arguments.args, *arguments.keywords.values())
    if any(i.kind in TENSOR_KINDS or in_forward and i.kind is Kind.UNKNOWN for i in given):
        ev.project.habits.wraps_tensors = True


def _names_float32(names: Names, call: ast.Call) -> bool:
    """Whether a call of a setter surely leaves the data type at PyTorch's own."""
    if len(call.args) != 1 or call.keywords:
        return False
    (argument,) = call.args
    name = argument.value if isinstance(argument, ast.Constant) else names.of(argument)
    return name in _FLOAT32
