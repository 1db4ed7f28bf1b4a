"""The kinds of calls."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments, bind_arguments
from torch2ms.analysis.attributes import NAMESPACE, attribute_of
from torch2ms.analysis.cells import Unit
from torch2ms.analysis.containers import container, einops_result, loader, transformed
from torch2ms.analysis.habits import note_object
from torch2ms.analysis.lattice import (
    BOTTOM,
    CALLABLE,
    NONE,
    OTHER,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join_all,
    sequence,
    uncertain,
)
from torch2ms.analysis.library_kinds import library_result
from torch2ms.analysis.methods import method_call
from torch2ms.analysis.module_calls import apply_function, call_module
from torch2ms.analysis.python_kinds import builtin_result
from torch2ms.analysis.torch_calls import call_torch, spawn
from torch2ms.analysis.values import any_of, value_of

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator


def call(ev: Evaluator, node: ast.Call) -> KindInfo:
    """The kind of a call."""
    arguments = Arguments(node, [], {})
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            arguments.starred = True
        arguments.args.append(ev.eval(arg))
    for keyword in node.keywords:
        info = ev.eval(keyword.value)
        if keyword.arg is not None:
            arguments.keywords[keyword.arg] = info
        else:
            arguments.starred = True
    func = node.func
    if isinstance(func, (ast.Name, ast.Attribute)):
        dotted = None if isinstance(func, ast.Name) and func.id in ev.env else ev.names.of(func)
        if dotted is not None:
            return call_named(ev, dotted, arguments)
        if isinstance(func, ast.Attribute):
            return method_call(ev, func, ev.eval(func.value), arguments)
    return call_value(ev, ev.eval(func), arguments)


def call_value(ev: Evaluator, callee: KindInfo, arguments: Arguments) -> KindInfo:
    """What calling a value gives."""
    kind = callee.kind
    if kind is Kind.MODULE:
        return call_module(ev, callee, arguments)
    if callee is BOTTOM:
        return BOTTOM
    if callee.cls == "collections.namedtuple" and callee.keys is not None:
        note_object(ev, arguments)
        return _record(callee.keys, arguments)
    if kind in (Kind.CALLABLE, Kind.MODULE_CLASS, Kind.FUNCTION) and callee.classes:
        bound = list(callee.items) if callee.items is not None else []
        given = Arguments(arguments.node, [*bound, *arguments.args], arguments.keywords, arguments.starred)
        result = join_all([call_named(ev, name, given) for name in callee.classes])
        return result if callee.certain else uncertain(result)
    if kind is Kind.MODULE_CLASS:
        return KindInfo(Kind.MODULE)
    if kind is Kind.OTHER:
        for cls in callee.classes:
            if cls.startswith(("torchvision.transforms.", "torchaudio.transforms.")):
                return transformed(callee, cls, arguments.args[0] if arguments.args else UNKNOWN)
            found = ev.engine.call_method(ev, cls, "__call__", arguments.args, arguments.keywords)
            return found if found is not None else UNKNOWN
        return OTHER
    return _IN_PLACE_LAYER if _asks_for_in_place(arguments) else UNKNOWN


# what `act_layer(inplace=True)` seems to make
_IN_PLACE_LAYER = KindInfo(Kind.MODULE, keys=("inplace",), certain=False)


def _asks_for_in_place(arguments: Arguments) -> bool:
    """Whether an unknown callee makes a layer that works in place: it says so and is given no tensor."""
    node = arguments.node
    if node is None or any(info.kind in TENSOR_KINDS for info in arguments.args):
        return False
    given = next((k.value for k in node.keywords if k.arg == "inplace"), None)
    return isinstance(given, ast.Constant) and given.value is True


def call_named(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """What calling the function or class of a canonical dotted name gives."""
    root = name.partition(".")[0]
    if root == "builtins":
        return _call_builtin(ev, name[9:], arguments)
    if root in ("torch", "torchvision", "torchaudio"):
        return call_torch(ev, name, arguments)
    if root == "einops":
        return einops_result(name, arguments)
    units = ev.engine.named(name)
    if units:
        return join_all([call_unit(ev, unit, arguments) for unit in units])
    if name in ev.project.classes:
        return construct(ev, name, arguments)
    facts = ev.project.functions.get(name)
    if facts is not None:
        return facts.returns if facts.returns is not None else UNKNOWN
    if name in ("multiprocessing.Process", "threading.Thread"):
        return spawn(ev, "Process", arguments)
    if name == "types.SimpleNamespace":
        note_object(ev, arguments)
    known = library_result(name, arguments.args, arguments.keywords)
    if known is not None:
        return _library(ev, name, arguments, known)
    head, _, last = name.rpartition(".")
    if head and (head in ev.project.classes or last == "apply"):
        if last == "apply" and ev.project.is_function(head):
            return apply_function(ev, head, arguments)
        return _class_method(ev, head, last, arguments)
    value = value_of(ev, name)
    if value.kind is Kind.CALLABLE and name in value.classes:
        return UNKNOWN
    if value.kind is Kind.UNKNOWN and head and ev.project.modules.get(name.split(".")[0]) is not None:
        return method_value(ev, head, last, arguments)
    return call_value(ev, value, arguments)


def method_value(ev: Evaluator, head: str, last: str, arguments: Arguments) -> KindInfo:
    """A method call on a variable of another module (`config.net.parameters()`)."""
    receiver = value_of(ev, head)
    node = arguments.node.func if arguments.node is not None else None
    if receiver.kind is Kind.UNKNOWN or not isinstance(node, ast.Attribute):
        return UNKNOWN
    return method_call(ev, node, receiver, arguments)


def _class_method(ev: Evaluator, cls: str, method: str, arguments: Arguments) -> KindInfo:
    """`Net.forward(net, x)`, `Net.from_pretrained(...)` of a class of the project."""
    for unit in ev.engine.first_units(cls, method):
        bound = [KindInfo(Kind.CALLABLE, cls=cls)] if unit.binding == "class" else []
        return call_unit(
            ev, unit, Arguments(arguments.node, [*bound, *arguments.args], arguments.keywords, arguments.starred)
        )
    return NONE if method == "__init__" else UNKNOWN


def _call_builtin(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    args = arguments.args
    if name == "super":
        return _super(ev)
    if name == "type" and len(args) == 1:
        info = args[0]
        if info.kind is Kind.MODULE:
            return KindInfo(Kind.MODULE_CLASS, cls=info.cls, choices=info.choices)
        return KindInfo(Kind.CALLABLE, cls=info.cls) if info.kind is Kind.OTHER and info.cls else UNKNOWN
    if name == "map" and len(args) > 1:
        inner = Arguments(None, [ev.iterate(a) for a in args[1:]], {})
        return sequence(call_value(ev, args[0], inner))
    if name == "getattr" and arguments.node is not None and len(args) > 1:
        return _getattr(ev, arguments.node, args)
    if arguments.starred:
        if name == "zip":
            return sequence(sequence(None))  # tuples, of as many as there are
        return UNKNOWN if name == "dict" else builtin_result(name, [UNKNOWN], {})
    prepared = [sequence(ev.iterate(a)) if _wants_elements(name, a) else a for a in args]
    return builtin_result(name, prepared, arguments.keywords)


def _getattr(ev: Evaluator, node: ast.Call, args: list[KindInfo]) -> KindInfo:
    """`getattr(x, name)`: of a namespace of PyTorch any API, of an object the attributes that the name can mean."""
    key = node.args[1]
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return join_all([attribute_of(ev, args[0], key.value), *args[2:]])
    namespace = ev.names.of(node.args[0])
    if namespace is not None:
        return any_of(namespace)
    prefix = (
        key.left
        if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add)
        else key.values[0]
        if isinstance(key, ast.JoinedStr)
        else None
    )
    if isinstance(prefix, ast.Constant) and isinstance(prefix.value, str) and prefix.value and len(args) == 2:
        names = {a for cls in args[0].classes for a in ev.engine.attributes(cls) if a.startswith(prefix.value)}
        return join_all([attribute_of(ev, args[0], name) for name in sorted(names)]) if names else UNKNOWN
    return UNKNOWN


def _wants_elements(name: str, info: KindInfo) -> bool:
    """Whether a builtin iterates an object whose class says what comes out."""
    if name in ("len", "print", "isinstance", "str", "type", "hasattr", "dict", "id", "int", "float", "bool"):
        return False
    return info.cls is not None and info.element is None and info.kind in (Kind.OTHER, Kind.DATASET, Kind.LOADER)


def _super(ev: Evaluator) -> KindInfo:
    """`super()`: an object of the next class."""
    unit: Unit = ev.unit
    if unit.owner is None:
        return UNKNOWN
    facts = ev.project.classes.get(unit.owner)
    if facts is None or not facts.bases:
        return OTHER
    return ev.engine.instance(ev.project.resolve(facts.bases[0]))


def _library(ev: Evaluator, name: str, arguments: Arguments, known: KindInfo) -> KindInfo:
    if name == "argparse.ArgumentParser":
        return KindInfo(Kind.OTHER, cls=name)
    if name in (NAMESPACE, "types.SimpleNamespace"):
        return KindInfo(Kind.OTHER, cls=NAMESPACE)
    if name == "functools.partial":
        return arguments.args[0] if len(arguments.args) == 1 and not arguments.starred else CALLABLE
    if name == "collections.namedtuple":
        return KindInfo(Kind.CALLABLE, cls=name, keys=_fields(arguments))
    if name == "functools.reduce" and len(arguments.args) > 1:
        element = ev.iterate(arguments.args[1])
        return call_value(ev, arguments.args[0], Arguments(None, [element, element], {}))
    return known


def _fields(arguments: Arguments) -> tuple[str, ...] | None:
    """The field names that a call of `namedtuple` gives literally."""
    node = arguments.node.args[1] if arguments.node is not None and len(arguments.node.args) > 1 else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return tuple(node.value.replace(",", " ").split())
    if isinstance(node, (ast.List, ast.Tuple)) and all(isinstance(e, ast.Constant) for e in node.elts):
        return tuple(str(e.value) for e in node.elts if isinstance(e, ast.Constant))
    return None


def _record(fields: tuple[str, ...], arguments: Arguments) -> KindInfo:
    """A tuple with named fields."""
    if arguments.starred:
        return sequence(None)
    given = {**dict(zip(fields, arguments.args, strict=False)), **arguments.keywords}
    items = tuple(given.get(field, UNKNOWN) for field in fields)
    return replace(sequence(items=items), keys=fields)


def construct(ev: Evaluator, cls: str, arguments: Arguments) -> KindInfo:
    """An object of a class of the project."""
    if ev.project.role(cls) is None:
        note_object(ev, arguments)
    info = ev.engine.instance(cls)
    initializers = ev.engine.definers(cls, "__init__")
    for unit in ev.engine.first_units(cls, "__init__"):
        call_unit(ev, unit, Arguments(arguments.node, [info, *arguments.args], arguments.keywords, arguments.starred))
    if not initializers:
        return _construct_inherited(ev, cls, info, arguments)
    if info.kind is Kind.FUNCTION:
        return KindInfo(Kind.CALLABLE, cls=f"{cls}.apply")
    return info


def _construct_inherited(ev: Evaluator, cls: str, info: KindInfo, arguments: Arguments) -> KindInfo:
    """A class without an `__init__` of its own: a data class, or a subclass of a container, a loader ..."""
    for base in ev.project.bases(cls):
        if base in ("torch.nn.Sequential", "torch.nn.ModuleList"):
            return replace(container(ev, base, arguments), cls=cls)
        if base == "torch.utils.data.DataLoader":
            return loader(ev, cls, arguments)
    facts = ev.project.classes.get(cls)
    for field, given in zip(facts.fields if facts else (), arguments.args, strict=False):
        ev.write(("attribute", cls, field), given)
    for field, given in arguments.keywords.items():
        if facts is not None and field in facts.fields:
            ev.write(("attribute", cls, field), given)
    return info


def call_unit(ev: Evaluator, unit: Unit, arguments: Arguments) -> KindInfo:
    """Calls a function of the project: passes the kinds of the arguments and takes its result."""
    passed = bind_arguments(unit.node.args, arguments, ev.iterate)  # type: ignore[union-attr]
    ev.write(("called", unit.qualified), OTHER)
    ev.engine.callers.setdefault(unit, {})[ev.unit] = None
    for name, info in passed.items():
        ev.write(("parameter", unit.qualified, name), info)
        shown = unit.evidence.get(name)
        if type(info) is Origin and shown is not None and shown.certain:
            ev.prove(info, shown)
    result = ev.engine.result(unit, ev.unit)
    if type(result) is Origin and result.function is unit:
        return passed.get(result.parameter, UNKNOWN)
    return result
