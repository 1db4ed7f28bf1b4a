"""The kinds of method calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.attributes import NAMESPACE, attribute_of, object_attribute
from torch2ms.analysis.lattice import (
    BOTTOM,
    NONE,
    NUMBER,
    NUMBERS,
    OTHER,
    STRING,
    TENSOR,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    each_class,
    grown,
    join,
    join_all,
    mapping,
    sequence,
    uncertain,
)
from torch2ms.analysis.library_kinds import is_foreign
from torch2ms.analysis.python_kinds import array_method, mapping_method, sequence_method, str_method
from torch2ms.analysis.torch_objects import (
    DISTRIBUTION_TENSORS,
    MODULE_METHODS,
    MODULE_SAME,
    OPTIMIZER_METHODS,
    TENSOR_ONLY,
    keeps_dtype,
    layer_result,
    method_result,
)

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator

_GROWING = frozenset("append appendleft add insert extend extendleft update".split())
# methods that modules and tensors share and that give the object, or one of the same kind, back
_SHARED_SAME = frozenset("to cuda cpu float half double clone copy astype".split())
_TENSOR_KEYWORDS = frozenset("dim keepdim".split())


def method_call(ev: Evaluator, func: ast.Attribute, receiver: KindInfo, arguments: Arguments) -> KindInfo:
    """What `receiver.method(...)` gives."""
    method, kind = func.attr, receiver.kind
    if is_super(func.value):
        return _super_method(ev, func, receiver, arguments)
    if method.endswith("_"):
        ev.note_write(receiver)
    if kind in TENSOR_KINDS:
        return _tensor_method(receiver, method, arguments)
    if receiver is BOTTOM:
        return BOTTOM
    if kind is Kind.UNKNOWN:
        return _unknown_method(ev, receiver, method, arguments)
    if receiver.classes:
        found = _user_method(ev, func, receiver, arguments)
        if found is not None:
            return found
    if kind is Kind.MODULE:
        return _module_method(ev, func, receiver, arguments)
    if kind is Kind.SEQUENCE or kind is Kind.MAPPING:
        return _container_method(ev, func, receiver, arguments)
    return _plain_method(ev, receiver, method, arguments)


def is_super(node: ast.expr) -> bool:
    """Whether an expression is `super()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _super_method(ev: Evaluator, func: ast.Attribute, receiver: KindInfo, arguments: Arguments) -> KindInfo:
    """`super().method(...)`: the next class that has it, without the classes below."""
    method, owner = func.attr, ev.unit.owner or ""
    for base in [*ev.project.bases(owner)][1:]:
        facts = ev.project.classes.get(base)
        if facts is not None and method in facts.methods:
            return ev.engine.call_exactly(ev, f"{base}.{method}", owner, arguments)
        if facts is None and method == "forward" and base.startswith("torch.nn.") and base != "torch.nn.Module":
            return layer_result(base)
    if method == "__init__":
        return NONE
    if receiver.kind is Kind.MODULE:
        return _module_method(ev, func, receiver, arguments) if method != "forward" else UNKNOWN
    return _plain_method(ev, receiver, method, arguments)


def _tensor_method(receiver: KindInfo, method: str, arguments: Arguments) -> KindInfo:
    result = method_result(method)
    if result is None:
        return UNKNOWN
    info = result if isinstance(result, KindInfo) else result(arguments.args, arguments.keywords)
    if receiver.dtype is not None and info is TENSOR and keeps_dtype(method):
        info = KindInfo(Kind.TENSOR, dtype=receiver.dtype)
    return info if receiver.certain else uncertain(info)


def _unknown_method(ev: Evaluator, receiver: KindInfo, method: str, arguments: Arguments) -> KindInfo:
    """A method that only tensors have shows a tensor; a class of the project with a method of that name spoils it."""
    if method not in ev.engine.method_names and shows_tensor(method, arguments):
        ev.prove(receiver)
        return uncertain(_tensor_method(TENSOR, method, arguments))
    if type(receiver) is Origin:
        if method in _SHARED_SAME:
            return receiver
        if receiver.likely:
            return uncertain(_tensor_method(TENSOR, method, arguments))
    if method == "format":
        return STRING
    return UNKNOWN


def shows_tensor(method: str, arguments: Arguments) -> bool:
    """Whether only a tensor can have this method called on it in this way."""
    if method in TENSOR_ONLY:
        return True
    if method in ("size", "dim", "stride"):  # attributes, not methods, of arrays and images
        return len(arguments.args) < 2
    if method in ("view", "reshape", "repeat") and len(arguments.args) > 1:
        return method == "view" and all(a.kind is Kind.NUMBER for a in arguments.args[:2])
    return method in ("sum", "mean", "max", "min", "argmax", "std", "var", "prod", "norm") and bool(
        _TENSOR_KEYWORDS & arguments.keywords.keys()
    )


def _user_method(ev: Evaluator, func: ast.Attribute, receiver: KindInfo, arguments: Arguments) -> KindInfo | None:
    """A method that the project defines, or a callable that it put into an attribute."""
    method = func.attr
    found = [
        ev.engine.call_method(ev, cls, method, arguments.args, arguments.keywords, arguments)
        for cls in receiver.classes
    ]
    known = [f for f in found if f is not None]
    if known and len(known) == len(found):
        if isinstance(func.value, ast.Name):
            ev.forget(func.value.id)
        return join_all(known)
    stored = ev.env.get(f"{func.value.id}.{method}") if isinstance(func.value, ast.Name) else None
    if stored is None:
        stored = object_attribute(ev, receiver, method)
    if stored is None:
        return None
    ev.found[func] = stored
    return ev.call(stored, arguments)


def _module_method(ev: Evaluator, func: ast.Attribute, receiver: KindInfo, arguments: Arguments) -> KindInfo:
    method = func.attr
    if method in MODULE_SAME:
        if method == "apply" and arguments.args and arguments.args[0].kind is Kind.CALLABLE:
            ev.call(arguments.args[0], Arguments(None, [KindInfo(Kind.MODULE)], {}))
        return receiver
    if method in ("forward", "__call__"):
        return ev.call(receiver, arguments)
    if method in ("append", "insert", "extend", "add_module") and arguments.args:
        given = arguments.args[-1]
        held = ev.iterate(given) if method == "extend" else given
        if receiver.element is not None:
            ev.replace(func.value, KindInfo(Kind.MODULE, cls=receiver.cls, element=join(receiver.element, held)))
    if receiver.element is not None and method in ("values", "items", "keys", "children", "named_children"):
        pairs = sequence(sequence(items=(STRING, receiver.element)))
        return {
            "values": sequence(receiver.element),
            "children": sequence(receiver.element),
            "keys": sequence(STRING),
        }.get(method, pairs)
    if method == "register_buffer" or method == "register_parameter":
        _register(ev, func, receiver, arguments)
    if method.startswith("register_forward"):
        return OTHER
    result = MODULE_METHODS.get(method)
    if result is not None:
        return result
    inner = attribute_of(ev, receiver, method)
    return ev.call(inner, arguments) if inner.kind is Kind.MODULE else UNKNOWN


def _register(ev: Evaluator, func: ast.Attribute, receiver: KindInfo, arguments: Arguments) -> None:
    node = arguments.node
    if node is None or not node.args or not isinstance(node.args[0], ast.Constant):
        return
    given = arguments.get(1, "tensor") or arguments.keywords.get("param") or UNKNOWN
    info = given if given.kind is not Kind.UNKNOWN else TENSOR
    for cls in receiver.classes:
        if cls in ev.project.classes:
            ev.write(("attribute", cls, str(node.args[0].value)), info)


def _container_method(ev: Evaluator, func: ast.Attribute, receiver: KindInfo, arguments: Arguments) -> KindInfo:
    method, args = func.attr, arguments.args
    if method in _GROWING and args:
        given = args[-1]
        if receiver.kind is Kind.MAPPING:
            held = given.element if given.kind is Kind.MAPPING else UNKNOWN
        else:
            held = ev.iterate(given) if method in ("extend", "extendleft", "update") else given
        if receiver.element is not None:
            element = join(receiver.element, held if held is not None else UNKNOWN)
            more = sequence(items=(given,)) if method == "append" else given
            new = grown(receiver, more, element) if receiver.kind is Kind.SEQUENCE else mapping(element)
            if new != receiver:
                ev.replace(func.value, new)
    if receiver.kind is Kind.MAPPING:
        if method == "setdefault" and len(args) > 1 and receiver.element is not None:
            ev.replace(func.value, mapping(join(receiver.element, args[1])))
            return join(receiver.element, args[1])
        return mapping_method(receiver, method, args)
    return sequence_method(receiver, method, args)


def _plain_method(ev: Evaluator, receiver: KindInfo, method: str, arguments: Arguments) -> KindInfo:
    kind, cls = receiver.kind, receiver.cls or ""
    if kind is Kind.OPTIMIZER:
        if method == "step" and arguments.args:
            ev.call(arguments.args[0], Arguments(None, [], {}))
        return OPTIMIZER_METHODS.get(method, UNKNOWN)
    if kind is Kind.SCALER:
        return _scaler_method(method, arguments)
    if kind is Kind.STRING:
        return str_method(method)
    if kind is Kind.NDARRAY:
        return array_method(method, arguments.keywords)
    if kind is Kind.SIZE:
        return NUMBER
    if kind is Kind.SCHEDULER:
        return {"get_last_lr": NUMBERS, "get_lr": NUMBERS, "state_dict": mapping(OTHER)}.get(method, NONE)
    if kind is Kind.FUNCTION and method == "apply":
        return ev.apply(cls, arguments)
    if kind is Kind.GENERATOR:
        return receiver if method == "manual_seed" else NUMBER
    if kind is Kind.NUMBER:
        return NUMBER
    if kind is Kind.OTHER:
        return join_all(_other_method(one, one.cls or "", method) for one in each_class(receiver))
    return OTHER if kind in (Kind.DEVICE, Kind.DTYPE, Kind.NONE, Kind.STORAGE) else UNKNOWN


def _scaler_method(method: str, arguments: Arguments) -> KindInfo:
    if method == "scale":
        return arguments.args[0] if arguments.args else TENSOR
    return {"get_scale": NUMBER, "state_dict": mapping(OTHER)}.get(method, NONE)


def _other_method(receiver: KindInfo, cls: str, method: str) -> KindInfo:
    if cls == "argparse.ArgumentParser":
        if method == "parse_known_args":
            return sequence(items=(KindInfo(Kind.OTHER, cls=NAMESPACE), OTHER))
        return KindInfo(Kind.OTHER, cls=NAMESPACE if method == "parse_args" else cls)
    if cls.startswith("torch.distributions."):
        return TENSOR if method in DISTRIBUTION_TENSORS else receiver if method == "expand" else UNKNOWN
    if cls.endswith("PackedSequence"):
        return receiver
    if cls.endswith(".<ctx>"):
        return NONE
    return OTHER if not cls or cls == NAMESPACE or is_foreign(cls) else UNKNOWN
