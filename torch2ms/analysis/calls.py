"""The kinds of calls."""
from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments, bind_arguments
from torch2ms.analysis.cells import Unit
from torch2ms.analysis.containers import container, dataset, einops_result, loader, transform, transformed
from torch2ms.analysis.lattice import (
    BOTTOM,
    CALLABLE,
    MAYBE_TENSOR,
    NONE,
    NUMBER,
    OTHER,
    TENSOR,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join_all,
    sequence,
    uncertain,
)
from torch2ms.analysis.methods import method_call
from torch2ms.analysis.objects import NAMESPACE, any_of, attribute_of, value_of
from torch2ms.analysis.python_kinds import builtin_result, library_result
from torch2ms.analysis.torch_kinds import (
    INPLACE_POSITION,
    NOT_OF_TENSORS,
    SEQUENCES_OF_TENSORS,
    Result,
    function_result,
    layer_result,
)

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
    return UNKNOWN


def call_named(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """What calling the function or class of a canonical dotted name gives."""
    root = name.partition(".")[0]
    if root == "builtins":
        return _call_builtin(ev, name[9:], arguments)
    if root in ("torch", "torchvision", "torchaudio"):
        return _call_torch(ev, name, arguments)
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
        return _spawn(ev, "Process", arguments)
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
    for unit in _first_units(ev, cls, method):
        bound = [KindInfo(Kind.CALLABLE, cls=cls)] if unit.binding == "class" else []
        return call_unit(ev, unit, Arguments(arguments.node, [*bound, *arguments.args], arguments.keywords, arguments.starred))
    return NONE if method == "__init__" else UNKNOWN


def _first_units(ev: Evaluator, cls: str, method: str) -> list[Unit]:
    """The units of the method as objects of exactly this class have it."""
    return [unit for name in ev.engine.definers(cls, method)[:1] for unit in ev.engine.named(name)]


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
        return builtin_result(name, [UNKNOWN], {}) if name not in ("zip", "dict") else UNKNOWN if name == "dict" else sequence(None)
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
    prefix = key.left if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add) else key.values[0] if isinstance(key, ast.JoinedStr) else None
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
    if name == "functools.reduce" and len(arguments.args) > 1:
        element = ev.iterate(arguments.args[1])
        return call_value(ev, arguments.args[0], Arguments(None, [element, element], {}))
    return known


def _call_torch(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    role = ev.project.role(name)
    args = arguments.args
    if role is not None:
        return _torch_object(ev, name, role, arguments)
    result: Result = function_result(name)
    info = result if isinstance(result, KindInfo) else result(args, arguments.keywords)
    head, _, last = name.rpartition(".")
    if last.endswith("_") or "out" in arguments.keywords or "inplace" in arguments.keywords:
        ev.unit.writes = True
    if head in ("torch", "torch.nn.functional", "torch.linalg", "torch.fft"):
        first = args[0] if args else arguments.keywords.get("input")
        if first is not None and not arguments.starred:
            if last in SEQUENCES_OF_TENSORS:
                ev.prove(first, TENSORS)
            elif last not in NOT_OF_TENSORS:
                ev.prove(first)
        if last == "cross_entropy" or last.endswith("_loss"):
            ev.prove(args[1] if len(args) > 1 else None)
    elif head == "torch.Tensor" and args:
        return method_call(ev, ast.Attribute(ast.Constant(None), last, ast.Load()), TENSOR, Arguments(None, args[1:], arguments.keywords))
    if name.startswith("torch.distributed.") or "checkpoint" in last:
        return _checkpoint(ev, name, arguments, info)
    if name == "torch.utils.data.random_split":
        return sequence(args[0]) if args else UNKNOWN
    if name == "torch.nn.parallel.data_parallel" and args:
        return call_value(ev, args[0], Arguments(None, args[1:2], {}))
    if last in ("Process", "spawn", "start_processes"):
        return _spawn(ev, last, arguments)
    if head == "torch" and "dtype" in arguments.keywords and info.kind is Kind.TENSOR:
        return _with_dtype(ev, info, arguments)
    if name.startswith("torchvision.models."):
        return KindInfo(Kind.MODULE, cls=name)
    if name.startswith("torchvision.transforms.") and not name.startswith("torchvision.transforms.functional."):
        return transform(ev, name, arguments)
    return info


def _spawn(ev: Evaluator, last: str, arguments: Arguments) -> KindInfo:
    """A function run in another process gets the arguments that were given for it."""
    target = arguments.keywords.get("target") if last == "Process" else arguments.get(0, "fn")
    given = arguments.keywords.get("args") or (arguments.get(1, "args") if last != "Process" else None)
    if target is not None and target.kind is Kind.CALLABLE:
        rank = [] if last == "Process" else [NUMBER]
        items = list(given.items) if given is not None and given.items is not None else []
        call_value(ev, target, Arguments(None, [*rank, *items], {}))
    return OTHER


def _with_dtype(ev: Evaluator, info: KindInfo, arguments: Arguments) -> KindInfo:
    node = arguments.node
    for keyword in node.keywords if node is not None else ():
        if keyword.arg == "dtype":
            name = ev.names.of(keyword.value) or ""
            dtype = name.removeprefix("torch.")
            dtype = {"float": "float32", "long": "int64", "int": "int32", "double": "float64", "half": "float16"}.get(dtype, dtype)
            return KindInfo(Kind.TENSOR, dtype=dtype if name.startswith("torch.") else None)
    return info


def _checkpoint(ev: Evaluator, name: str, arguments: Arguments, info: KindInfo) -> KindInfo:
    if name != "torch.utils.checkpoint.checkpoint" or not arguments.args:
        return info
    return call_value(ev, arguments.args[0], Arguments(None, arguments.args[1:], {}, arguments.starred))


def _torch_object(ev: Evaluator, name: str, role: str, arguments: Arguments) -> KindInfo:
    if role == "tensor":
        return function_result(name) if name == "torch.nn.Parameter" else TENSOR  # type: ignore[return-value]
    if role == "module":
        return _torch_module(ev, name, arguments)
    if role == "loader":
        return loader(ev, name, arguments)
    if role == "dataset":
        return dataset(ev, name, arguments)
    if role == "scheduler" and arguments.node is not None:
        _call_with(ev, arguments.get(1, "lr_lambda"), [NUMBER])
    return ev.engine.instance(name)


def _torch_module(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    result = function_result(name)
    if not isinstance(result, KindInfo):  # DataParallel and its like
        return result(arguments.args, arguments.keywords)
    if name in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList", "torch.nn.ParameterDict"):
        return container(ev, name, arguments)
    info = ev.engine.instance(name)
    return replace(info, keys=("inplace",)) if _works_in_place(name, arguments) else info


def _works_in_place(name: str, arguments: Arguments) -> bool:
    """Whether a module is made with `inplace=True`, by keyword or by position."""
    node = arguments.node
    if node is None:
        return False
    given = next((k.value for k in node.keywords if k.arg == "inplace"), None)
    position = INPLACE_POSITION.get(name.rpartition(".")[2])
    if given is None and position is not None and position < len(node.args):
        given = node.args[position]
    return given is not None and not (isinstance(given, ast.Constant) and not given.value)


def construct(ev: Evaluator, cls: str, arguments: Arguments) -> KindInfo:
    """An object of a class of the project."""
    info = ev.engine.instance(cls)
    initializers = ev.engine.definers(cls, "__init__")
    for unit in _first_units(ev, cls, "__init__"):
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


def _call_with(ev: Evaluator, function: KindInfo | None, args: list[KindInfo]) -> None:
    if function is not None and function.kind is Kind.CALLABLE:
        call_value(ev, function, Arguments(None, args, {}))


def call_module(ev: Evaluator, info: KindInfo, arguments: Arguments) -> KindInfo:
    """What calling a module gives."""
    if info.keys is not None or info.items and info.items[0].keys is not None:
        ev.unit.writes = True
    if not info.classes:
        return MAYBE_TENSOR
    result = join_all([_call_one_module(ev, info, cls, arguments) for cls in info.classes])
    return result if info.certain else uncertain(result)


def _call_one_module(ev: Evaluator, info: KindInfo, cls: str, arguments: Arguments) -> KindInfo:
    found = ev.engine.call_method(ev, cls, "forward", arguments.args, arguments.keywords, arguments)
    if found is not None:
        return found
    for base in ev.project.bases(cls):
        if base == "torch.nn.Sequential":
            return _call_sequential(ev, info, arguments)
        if base.startswith(("torch.nn.", "torchvision.models.", "einops.")) and base not in ("torch.nn.Module", "torch.nn.ModuleList", "torch.nn.ModuleDict"):
            if not arguments.starred:
                for arg in arguments.args[:2] if base.endswith("Loss") else arguments.args[:1]:
                    ev.prove(arg)
            return layer_result(base)
    return UNKNOWN


def _call_sequential(ev: Evaluator, info: KindInfo, arguments: Arguments) -> KindInfo:
    result = Arguments(None, arguments.args, {}, False)
    if info.items is not None:
        for step in info.items:
            result = Arguments(None, [call_value(ev, step, result)], {})
        return result.args[0] if result.args else UNKNOWN
    if info.element is None or info.element is BOTTOM:
        return MAYBE_TENSOR if info.element is None else BOTTOM
    once = call_value(ev, info.element, result)
    return join_all([once, call_value(ev, info.element, Arguments(None, [once], {}))])


def apply_function(ev: Evaluator, cls: str, arguments: Arguments) -> KindInfo:
    """`F.apply(...)` of an autograd.Function."""
    context = KindInfo(Kind.OTHER, cls=f"{cls}.<ctx>")
    for unit in _first_units(ev, cls, "forward"):
        bound = [] if ev.engine.definers(cls, "setup_context") else [context]
        return call_unit(ev, unit, Arguments(arguments.node, [*bound, *arguments.args], arguments.keywords, arguments.starred))
    return MAYBE_TENSOR
