"""The kinds of attributes, items and named values."""
from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torch2ms.analysis.cells import Key
from torch2ms.analysis.lattice import (
    BOTTOM,
    CALLABLE,
    DTYPE,
    MAYBE_TENSOR,
    NDARRAY,
    NUMBER,
    OTHER,
    PARAMETER,
    SIZE,
    STRING,
    TENSOR,
    TENSOR_KINDS,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join,
    join_all,
    mapping,
    record,
    required,
    sequence,
    uncertain,
)
from torch2ms.analysis.python_kinds import array_attribute, is_foreign, iterate
from torch2ms.analysis.torch_kinds import (
    BUFFERS_OF_LAYERS,
    DISTRIBUTION_TENSORS,
    DTYPES,
    MODULE_ATTRIBUTES,
    NUMBERS_OF_LAYERS,
    OPTIMIZER_STATE,
    PARAM_GROUP,
    PARAMETERS_OF_LAYERS,
    TENSOR_ATTRIBUTES,
    TENSOR_METHOD_NAMES,
)

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator

# attributes that only tensors have
_TENSOR_ONLY_ATTRIBUTES = frozenset("requires_grad grad_fn is_cuda is_leaf".split())
NAMESPACE = "argparse.Namespace"
_MODULE_OBJECT = KindInfo(Kind.MODULE_OBJECT)
_BUILTIN_VALUES = {
    **dict.fromkeys(("__name__", "__file__", "__doc__"), STRING),
    **dict.fromkeys(("Ellipsis", "NotImplemented", "__builtins__", "__spec__", "__loader__", "__package__"), OTHER),
    "__debug__": NUMBER,
}
_TORCH_CONSTANTS = frozenset("contiguous_format channels_last channels_last_3d preserve_format strided sparse_coo sparse_csr __version__".split())
_VALUE_CLASSES = {"module": Kind.MODULE_CLASS, "function": Kind.FUNCTION}
_NUMBER_CONSTANTS = frozenset("numpy.pi numpy.inf numpy.nan numpy.e math.pi math.inf math.e torch.pi torch.inf torch.nan".split())


def value_of(ev: Evaluator, name: str) -> KindInfo:
    """The kind of what a canonical dotted name refers to."""
    root = name.partition(".")[0]
    if root == "builtins":
        return _BUILTIN_VALUES.get(name[9:]) or KindInfo(Kind.CALLABLE, cls=name)
    if root in ("torch", "torchvision", "torchaudio"):
        return _torch_value(ev, name)
    project = ev.project
    if name in project.classes:
        return KindInfo(_VALUE_CLASSES.get(project.role(name) or "", Kind.CALLABLE), cls=name)
    if name in project.functions:
        return KindInfo(Kind.CALLABLE, cls=name)
    if name in project.modules:
        return _MODULE_OBJECT
    found = _project_variable(ev, name)
    if found is not None:
        return found
    if name in _NUMBER_CONSTANTS:
        return NUMBER
    if root == "numpy":
        return KindInfo(Kind.CALLABLE, cls=name) if name != "numpy" else _MODULE_OBJECT
    if name.startswith(("copy.", "functools.", "itertools.", "collections.", "argparse.", "operator.")):
        return KindInfo(Kind.CALLABLE, cls=name)
    return OTHER if is_foreign(name) else UNKNOWN


def _torch_value(ev: Evaluator, name: str) -> KindInfo:
    head, _, last = name.rpartition(".")
    if head == "torch" and last in DTYPES:
        return DTYPE
    role = ev.project.role(name)
    if role is not None:
        return KindInfo(_VALUE_CLASSES.get(role, Kind.CALLABLE), cls=name)
    if name in _NUMBER_CONSTANTS or name.startswith("torch.backends."):
        return NUMBER
    if last == "__dict__":
        return mapping(any_of(head))
    if not head:
        return _MODULE_OBJECT
    return OTHER if head == "torch" and last in _TORCH_CONSTANTS else KindInfo(Kind.CALLABLE, cls=name)


def any_of(namespace: str) -> KindInfo:
    """Some class or function of a namespace of PyTorch, picked by a computed name."""
    if namespace == "torch.optim":
        return KindInfo(Kind.CALLABLE, cls="torch.optim.Optimizer")
    if namespace == "torch.nn":
        return KindInfo(Kind.MODULE_CLASS)
    if namespace in ("torch.nn.functional", "torchvision.models"):
        return KindInfo(Kind.CALLABLE, cls=f"{namespace}.<any>")
    return UNKNOWN


def _project_variable(ev: Evaluator, name: str) -> KindInfo | None:
    """A global variable of a module of the project, or an attribute path on one."""
    parts = name.split(".")
    for length in range(len(parts) - 1, -1, -1):
        module = ".".join(parts[:length])
        facts = ev.project.modules.get(module)
        if facts is None or parts[length] not in facts.defines:
            continue
        base = f"{module}.{parts[length]}" if module else parts[length]
        if base in ev.project.classes or base in ev.project.functions:
            info = value_of(ev, base)
        elif ev.engine.has_module(module):
            info = ev.read(("variable", module, parts[length]))
        else:
            info = facts.variables.get(parts[length], UNKNOWN)
        for attr in parts[length + 1 :]:
            info = attribute_of(ev, info, attr)
        return info
    return None


def attribute(ev: Evaluator, node: ast.Attribute) -> KindInfo:
    """The kind of `value.attr`."""
    dotted = ev.names.of(node)
    if dotted is not None:
        return value_of(ev, dotted)
    base = node.value
    receiver = ev.eval(base)
    if type(base) is ast.Name:
        info = ev.env.get(f"{base.id}.{node.attr}")
        if info is not None:
            return info
    return attribute_of(ev, receiver, node.attr)


def attribute_of(ev: Evaluator, info: KindInfo, attr: str) -> KindInfo:
    """The kind of an attribute of such a value."""
    kind = info.kind
    if kind in TENSOR_KINDS:
        return _tensor_attribute(info, attr)
    if info is BOTTOM:
        return BOTTOM
    if kind is Kind.UNKNOWN:
        if attr in _TENSOR_ONLY_ATTRIBUTES:
            ev.prove(info)
        likely = type(info) is Origin and info.likely
        return uncertain(_tensor_attribute(info, attr)) if likely or attr in ("grad", "requires_grad", "grad_fn") else UNKNOWN
    found = object_attribute(ev, info, attr)
    if found is not None:
        return found
    if kind is Kind.MODULE:
        return _module_attribute(ev, info, attr)
    return _plain_attribute(ev, info, attr)


def _layer(ev: Evaluator, info: KindInfo) -> bool:
    """Whether the module is a layer of PyTorch or a subclass of one."""
    bases = [base for cls in info.classes for base in ev.project.bases(cls)]
    return any(b.startswith("torch.nn.") and b != "torch.nn.Module" for b in bases)


def _tensor_attribute(info: KindInfo, attr: str) -> KindInfo:
    found = TENSOR_ATTRIBUTES.get(attr)
    if found is None:
        found = KindInfo(Kind.CALLABLE, cls=f"torch.Tensor.{attr}") if attr in TENSOR_METHOD_NAMES else UNKNOWN
    elif info.dtype is not None and found.kind is Kind.TENSOR:
        found = KindInfo(Kind.TENSOR, dtype=info.dtype, optional=found.optional)
    return found if info.certain else uncertain(found)


def object_attribute(ev: Evaluator, info: KindInfo, attr: str) -> KindInfo | None:
    """What the project assigns to the attribute, or its method or property; None where it does neither."""
    found = []
    for cls in info.classes:
        one = _class_attribute(ev, cls, attr)
        if one is None:
            return None
        found.append(one)
    return join_all(found) if found else None


def _class_attribute(ev: Evaluator, cls: str, attr: str) -> KindInfo | None:
    engine = ev.engine
    bases = [*ev.project.bases(cls)]
    if any(base.startswith("enum.") for base in bases):
        return OTHER
    owners = [*bases, *ev.project.subclasses(cls)] if cls in ev.project.classes or cls == NAMESPACE else bases
    found = [info for info in (_stored(ev, owner, attr) for owner in owners) if info is not None]
    if found:
        return join_all(found)
    for owner in owners:
        facts = ev.project.classes.get(owner)
        if facts is not None and attr in facts.methods:
            if attr in facts.properties:
                return engine.call_method(ev, cls, attr, [])
            return KindInfo(Kind.CALLABLE, cls=f"{owner}.{attr}", items=(engine.instance(cls),))
    return None


def _stored(ev: Evaluator, owner: str, attr: str) -> KindInfo | None:
    """What units assign to the attribute of one class; None where none does."""
    facts = ev.project.classes.get(owner)
    if facts is None:
        if owner != NAMESPACE and not owner.endswith(".<ctx>"):
            return None
    elif attr in facts.methods and attr not in facts.assigned:
        return None
    key = ("attribute", owner, attr)
    value = ev.read(key)
    if value is not BOTTOM:
        return value if value.kind is not Kind.NONE else UNKNOWN  # something must fill it in, somehow
    if facts is not None and attr in facts.attributes:
        return facts.attributes[attr]
    return BOTTOM if ev.engine.expects(owner, attr) else None


def _module_attribute(ev: Evaluator, info: KindInfo, attr: str) -> KindInfo:
    found = MODULE_ATTRIBUTES.get(attr)
    if found is not None:
        return found
    cls = info.cls or ""
    layer = _layer(ev, info)
    if info.keys is not None and attr in info.keys:
        return TENSOR  # what a norm computes anew
    if attr in PARAMETERS_OF_LAYERS or attr.startswith(("weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l", "weight_ih", "weight_hh")):
        return PARAMETER if layer else KindInfo(Kind.PARAMETER, certain=False)
    if attr in BUFFERS_OF_LAYERS:
        return TENSOR if layer else KindInfo(Kind.TENSOR, certain=False)
    if attr in NUMBERS_OF_LAYERS:
        return NUMBER if layer else uncertain(NUMBER)
    if attr == "module":
        return info
    if cls.startswith("torchvision.models."):
        return KindInfo(Kind.MODULE)
    return UNKNOWN


def _plain_attribute(ev: Evaluator, info: KindInfo, attr: str) -> KindInfo:
    kind, cls = info.kind, info.cls or ""
    if kind is Kind.OPTIMIZER or kind is Kind.SCHEDULER:
        if attr == "optimizer":
            return KindInfo(Kind.OPTIMIZER)
        return {"param_groups": sequence(PARAM_GROUP), "state": mapping(OPTIMIZER_STATE), "defaults": mapping(OTHER)}.get(attr, UNKNOWN)
    if kind is Kind.LOADER:
        return info.items[0] if attr == "dataset" and info.items else NUMBER if attr == "batch_size" else UNKNOWN
    if kind is Kind.NDARRAY:
        return array_attribute(attr)
    if kind is Kind.DEVICE:
        return STRING if attr == "type" else NUMBER
    if kind is Kind.OTHER:
        if cls.startswith("torch.distributions."):
            return TENSOR if attr in DISTRIBUTION_TENSORS else UNKNOWN
        if cls.endswith("PackedSequence"):
            return TENSOR
        if cls.endswith(".<ctx>"):
            return {"saved_tensors": TENSORS, "saved_variables": TENSORS, "needs_input_grad": sequence(NUMBER)}.get(attr, UNKNOWN)
        return OTHER if not cls or cls == NAMESPACE or is_foreign(cls) else UNKNOWN
    if kind is Kind.FUNCTION and attr == "apply":
        return KindInfo(Kind.CALLABLE, cls=f"{cls}.apply")
    if kind in (Kind.MODULE_CLASS, Kind.CALLABLE) and cls in ev.project.classes and attr == "__name__":
        return STRING
    if kind is Kind.NUMBER:
        return NUMBER
    if kind in (Kind.STRING, Kind.SEQUENCE, Kind.MAPPING):
        return CALLABLE if info.cls is None else UNKNOWN
    return UNKNOWN


def store_attribute(ev: Evaluator, target: ast.Attribute, info: KindInfo) -> None:
    """Assigns to `value.attr`."""
    base = target.value
    receiver = ev.eval(base)
    ev.found[target] = info
    if target.attr in ("data", "grad"):
        ev.note_write(receiver)
    if isinstance(base, ast.Name):
        ev.env[f"{base.id}.{target.attr}"] = info
    if receiver.kind is Kind.MODULE_OBJECT:
        dotted = ev.names.of(base)
        if dotted in ev.project.modules:
            ev.write(("variable", dotted, target.attr), info)
        return
    for cls in receiver.classes:
        if cls in ev.project.classes or cls == NAMESPACE or cls.endswith(".<ctx>"):
            ev.write(("attribute", cls, target.attr), info)


def subscript(ev: Evaluator, node: ast.Subscript) -> KindInfo:
    """The kind of `value[slice]`."""
    container = ev.eval(node.value)
    index = ev.eval(node.slice)
    return item_of(ev, container, node.slice, index)


def item_of(ev: Evaluator, info: KindInfo, key: ast.expr, index: KindInfo) -> KindInfo:
    """What indexing gives."""
    kind = info.kind
    if kind in TENSOR_KINDS:
        result = TENSOR if info.dtype is None else KindInfo(Kind.TENSOR, dtype=info.dtype)
        return result if info.certain else uncertain(result)
    if kind is Kind.SEQUENCE:
        return _sequence_item(info, key)
    if kind is Kind.SIZE:
        return SIZE if isinstance(key, ast.Slice) else NUMBER
    if kind is Kind.MAPPING:
        if info.keys is not None and info.items is not None and isinstance(key, ast.Constant) and key.value in info.keys:
            return info.items[info.keys.index(key.value)]
        if info.cls == OPTIMIZER_STATE.cls:
            return ev.read(state_key(key)) if isinstance(key, ast.Constant) else UNKNOWN
        if info.cls == PARAM_GROUP.cls:
            return sequence(PARAMETER) if isinstance(key, ast.Constant) and key.value == "params" else NUMBER
        return info.element if info.element is not None else UNKNOWN
    if kind is Kind.NDARRAY:
        return NDARRAY
    if kind is Kind.STRING:
        return STRING
    if kind is Kind.MODULE:
        if info.items is not None and info.element is not None:
            item = _sequence_item(info, key)
            return item if not isinstance(key, ast.Slice) else replace(info, element=item.element, items=item.items)
        if isinstance(key, ast.Slice):
            return info
        return required(info.element) if info.element not in (None, BOTTOM) else _user_item(ev, info, index) or KindInfo(Kind.MODULE)
    if kind in (Kind.DATASET, Kind.OTHER):
        return _user_item(ev, info, index) or (info if kind is Kind.OTHER and not info.cls else UNKNOWN)
    if type(info) is Origin and info.likely:
        return MAYBE_TENSOR
    return BOTTOM if info is BOTTOM else UNKNOWN


def state_key(key: ast.Constant) -> Key:
    """The fact that holds an entry of the state of optimizers."""
    return ("attribute", OPTIMIZER_STATE.cls, str(key.value))


def with_item(info: KindInfo, key: ast.expr, value: KindInfo) -> KindInfo:
    """A dict after `d[key] = value`."""
    element = join(info.element, value) if info.element is not None else None
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        if info.keys is not None and info.items is not None:
            return record({**dict(zip(info.keys, info.items, strict=True)), key.value: value})
        if info.element is BOTTOM:
            return record({key.value: value})
    return mapping(element)


def _sequence_item(info: KindInfo, key: ast.expr) -> KindInfo:
    items = info.items
    if isinstance(key, ast.Slice):
        if items is not None and key.step is None:
            low, high = _integer(key.lower, 0), _integer(key.upper, len(items))
            if low is not None and high is not None:
                return sequence(element=info.element, items=items[low:high])
        return sequence(info.element)
    at = _integer(key, None)
    if items is not None and at is not None and -len(items) <= at < len(items):
        return items[at]
    return info.element if info.element is not None else UNKNOWN


def _integer(node: ast.expr | None, default: int | None) -> int | None:
    match node:
        case None:
            return default
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
    return None


def _user_item(ev: Evaluator, info: KindInfo, index: KindInfo) -> KindInfo | None:
    if info.element is not None:
        return info.element
    found = [ev.engine.call_method(ev, cls, "__getitem__", [index]) for cls in info.classes]
    known = [f for f in found if f is not None]
    return join_all(known) if known and len(known) == len(found) else None


def iterate_object(ev: Evaluator, info: KindInfo) -> KindInfo:
    """What iterating an object of a class gives, by its `__iter__` or `__getitem__`."""
    results = []
    for cls in info.classes:
        iterator = ev.engine.call_method(ev, cls, "__iter__", [])
        if iterator is not None:
            results.append(ev.iterate(iterator) if iterator.cls != cls else ev.engine.call_method(ev, cls, "__next__", []) or UNKNOWN)
            continue
        item = ev.engine.call_method(ev, cls, "__getitem__", [NUMBER])
        results.append(iterate(KindInfo(info.kind, element=item)) if item is not None else iterate(info))
    return join_all(results) if results else UNKNOWN
