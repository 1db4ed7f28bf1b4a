"""Arguments that a row's right side does not take: which may go in silence, and which forbid the conversion."""
from __future__ import annotations

import ast

from torch2ms.rules.signature import Bound, Parameter
from torch2ms.rules.site import Refusal, Site
from torch2ms.rules.target import PLACEMENT, Target
from torch2ms.rules.values import in_statement_alone

# arguments that choose among equal ways of computing the same, or that the target always does
_SAME_RESULT = frozenset(
    "foreach fused capturable cudnn_enabled cudnn_enable sparse sparse_grad verbose only_inputs "
    "map_location weights_only mmap pickle_module pickle_protocol _use_new_zipfile_serialization use_reentrant "
    "pin_memory_device device_type sci_mode profile".split()
)


def check_dropped(site: Site, bound: Bound, target: Target, note: str) -> None:
    """Raises Refusal for the first argument that is passed, is not PyTorch's default, and would be lost."""
    for name, passed in bound.passed.items():
        if name in target.used or not passed.values:
            continue
        parameter = bound.signature.by_name[name]
        if name == "self" or equals_default(passed.value, parameter) or _is_harmless(site, name, passed.value):
            continue
        if name == "inplace":
            raise Refusal("T2M301", f"{site.name} is called only to change its argument", "assign the result: x = ...")
        if name == "out":
            raise Refusal("T2M301", f"`out=` of {site.name} writes into a tensor that other names may see",
                          "assign the result instead: out = ...")
        raise Refusal("T2M102", f"{site.name} is called with `{name}`, which its counterpart does not take",
                      note or f"leave out `{name}` or rewrite the call by hand")


def equals_default(node: ast.expr, parameter: Parameter) -> bool:
    """Whether the expression is a literal equal to the parameter's default."""
    if parameter.default is None:
        return False
    try:
        value, default = ast.literal_eval(node), ast.literal_eval(parameter.default)
    except (ValueError, TypeError, SyntaxError):
        return ast.dump(node) == ast.dump(parameter.default)
    return isinstance(value, bool) == isinstance(default, bool) and bool(value == default)


def _is_harmless(site: Site, name: str, value: ast.expr) -> bool:
    if name == "device":
        return not (isinstance(value, ast.Constant) and value.value == "meta")
    if name == "layout":
        return site.facts.names.of(value) == "torch.strided"
    if name == "inplace":
        # where the input is read later, the transform for in-place code has claimed the call
        return in_statement_alone(site) is None
    return name in PLACEMENT or name in _SAME_RESULT
