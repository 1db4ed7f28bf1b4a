"""The kinds of attributes: of PyTorch's objects, and those that the project assigns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch2ms.analysis.lattice import (
    BOTTOM,
    CALLABLE,
    NUMBER,
    OTHER,
    PARAMETER,
    STRING,
    STRINGS,
    TENSOR,
    TENSOR_KINDS,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    each_class,
    join_all,
    mapping,
    sequence,
    uncertain,
)
from torch2ms.analysis.library_kinds import is_foreign
from torch2ms.analysis.python_kinds import array_attribute
from torch2ms.analysis.torch_functions import TENSOR_METHOD_NAMES
from torch2ms.analysis.torch_objects import (
    BUFFERS_OF_LAYERS,
    DATASET_ATTRIBUTES,
    DISTRIBUTION_TENSORS,
    MODULE_ATTRIBUTES,
    NUMBERS_OF_LAYERS,
    OPTIMIZER_STATE,
    PARAM_GROUP,
    PARAMETERS_OF_LAYERS,
    PARTS_OF_LAYERS,
    TENSOR_ATTRIBUTES,
)
from torch2ms.analysis.values import value_of

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator

_CONTAINER_METHODS = frozenset(name for cls in (str, list, tuple, set, dict) for name in dir(cls))
NAMESPACE = "argparse.Namespace"
# attributes that only tensors have
_TENSOR_ONLY_ATTRIBUTES = frozenset("requires_grad grad_fn is_cuda is_leaf".split())


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
        return (
            uncertain(_tensor_attribute(info, attr))
            if likely or attr in ("grad", "requires_grad", "grad_fn")
            else UNKNOWN
        )
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
    if attr == "_modules" and info.element is not None:
        return mapping(info.element)
    found = MODULE_ATTRIBUTES.get(attr)
    if found is not None:
        return found
    cls = info.cls or ""
    layer = _layer(ev, info)
    if info.keys is not None and attr in info.keys and attr != "inplace":
        return TENSOR  # what a norm computes anew
    if attr in PARAMETERS_OF_LAYERS or attr.startswith(
        ("weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l", "weight_ih", "weight_hh")
    ):
        return PARAMETER if layer else KindInfo(Kind.PARAMETER, certain=False)
    if attr in BUFFERS_OF_LAYERS:
        return TENSOR if layer else KindInfo(Kind.TENSOR, certain=False)
    if attr in NUMBERS_OF_LAYERS:
        return NUMBER if layer else uncertain(NUMBER)
    if attr == "module":
        return info
    if cls.startswith("torchvision.models."):
        ev.project.habits.walks_layers |= attr not in ("fc", "classifier", "heads")
        # the runtime's models write into the input of an activation themselves
        return KindInfo(Kind.MODULE, element=KindInfo(Kind.MODULE))
    part = PARTS_OF_LAYERS.get(cls, {}).get(attr)
    return KindInfo(Kind.MODULE, cls=part) if part is not None else UNKNOWN


def _plain_attribute(ev: Evaluator, info: KindInfo, attr: str) -> KindInfo:
    if info.kind is Kind.OTHER and info.choices:
        return join_all(_plain_attribute(ev, one, attr) for one in each_class(info))
    kind, cls = info.kind, info.cls or ""
    if kind is Kind.OPTIMIZER or kind is Kind.SCHEDULER:
        if attr == "optimizer":
            return KindInfo(Kind.OPTIMIZER)
        return {
            "param_groups": sequence(PARAM_GROUP),
            "state": mapping(OPTIMIZER_STATE),
            "defaults": mapping(OTHER),
        }.get(attr, UNKNOWN)
    if kind is Kind.LOADER:
        return info.items[0] if attr == "dataset" and info.items else NUMBER if attr == "batch_size" else UNKNOWN
    if kind is Kind.DATASET:
        return DATASET_ATTRIBUTES.get(cls, {}).get(attr, STRINGS if attr == "classes" else UNKNOWN)
    if kind is Kind.SEQUENCE and info.keys is not None and info.items is not None:
        return info.items[info.keys.index(attr)] if attr in info.keys else CALLABLE
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
            return {"saved_tensors": TENSORS, "saved_variables": TENSORS, "needs_input_grad": sequence(NUMBER)}.get(
                attr, UNKNOWN
            )
        return OTHER if not cls or cls == NAMESPACE or is_foreign(cls) else UNKNOWN
    if kind is Kind.FUNCTION and attr == "apply":
        return KindInfo(Kind.CALLABLE, cls=f"{cls}.apply")
    if kind in (Kind.MODULE_CLASS, Kind.CALLABLE) and cls in ev.project.classes and attr == "__name__":
        return STRING
    if kind is Kind.NUMBER:
        return NUMBER
    if kind in (Kind.STRING, Kind.SEQUENCE, Kind.MAPPING):
        return CALLABLE if info.cls is None and attr in _CONTAINER_METHODS else UNKNOWN
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
