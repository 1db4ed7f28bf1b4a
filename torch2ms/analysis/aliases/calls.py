"""The storages that the result of a call can share, and what the call does with those of its arguments."""

from __future__ import annotations

import ast

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.operations import (
    ARRAY_VIEWS,
    NUMPY_VIEWS,
    PERHAPS_VIEWS,
    SHARING_MODULES,
    VIEWS,
    returns_itself,
    writes_first_argument,
)
from torch2ms.analysis.aliases.project_calls import Given, apply_effects, call_unknown
from torch2ms.analysis.aliases.storage import NOTHING, OUTSIDE, Sort, State, Value, union
from torch2ms.analysis.effects import dotted
from torch2ms.analysis.lattice import TENSOR_KINDS, Kind, KindInfo
from torch2ms.analysis.project import CallEffects
from torch2ms.analysis.torch_objects import inplace_flag

_HARMLESS = frozenset(
    "len print isinstance issubclass float int bool str repr range type id hasattr format abs round divmod any all callable hash ord chr "
    "input open super complex".split()
)
_ITERATING = frozenset("list tuple set frozenset sorted reversed enumerate zip iter filter dict".split())
_ADDING = frozenset(
    "append appendleft insert extend extendleft add update setdefault register_buffer register_parameter add_module __setitem__".split()
)
_GIVING_BACK = frozenset(
    "to cuda cpu train eval float half double apply requires_grad_ share_memory to_empty type bfloat16 xpu".split()
)
_HOLDERS = (Kind.OPTIMIZER, Kind.SCHEDULER, Kind.LOADER, Kind.DATASET, Kind.SCALER)


def call(ev: Context, node: ast.Call, state: State) -> Value:
    """What the result of a call can share."""
    func = node.func
    dotted_name = ev.names.of(func) if isinstance(func, (ast.Name, ast.Attribute)) else None
    receiver = ev.eval(func.value, state) if dotted_name is None and isinstance(func, ast.Attribute) else None
    given = Given(node, [], {})
    for arg in node.args:
        value = ev.eval(arg, state)
        given.args.append(ev.items(value, arg.value, state) if isinstance(arg, ast.Starred) else value)
    for keyword in node.keywords:
        given.keywords[keyword.arg or "**"] = ev.eval(keyword.value, state)
    if dotted_name is not None:
        return _named(ev, dotted_name, given, state)
    if receiver is not None and isinstance(func, ast.Attribute):
        return _method(ev, func, receiver, given, state)
    return _value(ev, ev.kinds.of(func), ev.eval(func, state), given, state)


def _named(ev: Context, name: str, given: Given, state: State) -> Value:
    root, _, rest = name.partition(".")
    last = name.rpartition(".")[2]
    if root in ("torch", "torchvision", "einops", "torchaudio"):
        return _torch(ev, name, given, state)
    if root == "builtins":
        return _builtin(ev, rest, given, state)
    if root == "numpy":
        return given.first.loosely if last in NUMPY_VIEWS else state.allocate(given.node)
    if name in ("copy.deepcopy", "copy.copy"):
        return state.contain(given.node, [] if name == "copy.deepcopy" else [state.contents(given.first)])
    if name in ev.project.classes:
        return _construct(ev, name, given, state)
    effects = ev.effects_of(name)
    if effects is not None:
        bound = NOTHING if ev.project.functions[name].binding == "class" else None
        return apply_effects(ev, effects, ev.parameters_of(name), given, bound, state)
    if root == "tqdm" or root == "itertools":
        return state.contain(given.node, [Value(state.reach(given.all))])
    return call_unknown(ev, given, given.all, state)


def _torch(ev: Context, name: str, given: Given, state: State) -> Value:
    head, _, last = name.rpartition(".")
    if "out" in given.keywords:
        return given.keywords["out"]
    if ev.project.role(name) in ("module", "optimizer", "scheduler", "dataset", "loader", "sampler") or name.startswith(
        "torch.distributions."
    ):
        return state.contain(given.node, list(given.args) + list(given.keywords.values()))
    if writes_first_argument(name):
        return given.first
    inplace = inplace_flag(given.node, name)
    if inplace is not None and not (isinstance(inplace, ast.Constant) and not inplace.value):
        return given.first if isinstance(inplace, ast.Constant) else given.first.loosely
    if head == "torch.Tensor" and given.args:
        return _tensor_method(ev, last, given.first, given, state)
    if last in VIEWS and head in ("torch", "torch.nn", "torch.autograd"):
        return _parts(ev, given.node, given.first, state)
    if last in PERHAPS_VIEWS or head == "torch.utils.checkpoint":
        held = Value(state.reach(given.all))
        return Value(held.roots | state.allocate(given.node).roots)
    if name in ("torch.compile", "torch.jit.script", "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm"):
        return given.first
    return _made(ev, given.node, state)


def _made(ev: Context, node: ast.Call, state: State) -> Value:
    """New storage; several of them where the result is a sequence."""
    info = ev.kinds.of(node)
    if info.kind is Kind.SEQUENCE or info.kind is Kind.MAPPING:
        return state.contain(node, [state.allocate(node.func)])
    return state.allocate(node)


def _parts(ev: Context, node: ast.Call, base: Value, state: State) -> Value:
    """A view, or a sequence of views."""
    return state.contain(node, [base]) if ev.kinds.of(node).kind is Kind.SEQUENCE else base


def _builtin(ev: Context, name: str, given: Given, state: State) -> Value:
    if name in _HARMLESS:
        return NOTHING if name != "super" else state.at(Sort.PARAMETER, "self")
    if name in _ITERATING:
        held = [ev.items(v, _bare(n), state) for v, n in zip(given.args, given.node.args, strict=True)]
        return state.contain(given.node, [*held, *given.keywords.values()])
    if name == "next":
        return ev.items(given.first, given.node.args[0] if given.node.args else None, state)
    if name in ("max", "min", "sum"):
        held = [ev.items(v, _bare(n), state) | v for v, n in zip(given.args, given.node.args, strict=True)]
        return Value(union([NOTHING, *held]).roots | state.allocate(given.node).roots)
    if name == "getattr":
        return Value(given.first.roots | state.contents(given.first).roots | OUTSIDE.roots)
    if name == "setattr" and len(given.args) > 2:
        state.put(given.first, given.args[2])
        return NOTHING
    return call_unknown(ev, given, given.all, state)


def _bare(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def _method(ev: Context, func: ast.Attribute, receiver: Value, given: Given, state: State) -> Value:
    info, method = ev.kinds.of(func.value), func.attr
    if info.kind in TENSOR_KINDS and info.certain:
        return _tensor_method(ev, method, receiver, given, state)
    if info.kind is Kind.NDARRAY and info.certain:
        return receiver.loosely if method in ARRAY_VIEWS else state.allocate(given.node)
    if info.certain and info.kind in (Kind.SEQUENCE, Kind.MAPPING, Kind.STRING):
        return _container_method(ev, func, receiver, given, state)
    if info.certain and info.classes:
        found = _run(ev, ev.method_definers(func), receiver, given, state)
        if found is not None:
            return found
    called = ev.kinds.of(func)
    if called.certain and called.kind in (Kind.CALLABLE, Kind.MODULE):
        return _value(ev, called, receiver, given, state)
    if info.certain and info.kind is Kind.MODULE:
        return _module_method(ev, func, info, receiver, given, state)
    if info.certain and info.kind in _HOLDERS:
        state.put(receiver, given.all)
        return Value(receiver.roots | state.contents(receiver).roots)
    if info.certain and info.kind is Kind.OTHER and info.cls is None:
        state.escape(given.all)
        return NOTHING
    return call_unknown(ev, given, union([receiver, given.all]), state)


def _tensor_method(ev: Context, method: str, receiver: Value, given: Given, state: State) -> Value:
    if method in VIEWS:
        return _parts(ev, given.node, receiver, state)
    if returns_itself(method):
        return receiver
    if method in PERHAPS_VIEWS:
        return Value(receiver.roots | state.allocate(given.node).roots)
    return _made(ev, given.node, state)


def _container_method(ev: Context, func: ast.Attribute, receiver: Value, given: Given, state: State) -> Value:
    method = func.attr
    if method in _ADDING:
        held = given.all
        if method in ("extend", "extendleft", "update"):
            held = Value(held.roots | state.contents(held).roots)
        state.put(receiver, held)
        return Value(state.contents(receiver).roots) if method == "setdefault" else NOTHING
    if method in ("pop", "popleft", "get", "__getitem__", "popitem"):
        return Value(state.contents(receiver).roots | given.all.roots)
    if method in ("items", "values", "copy", "__iter__"):
        return state.contain(given.node, [state.contents(receiver)])
    return NOTHING


def _module_method(
    ev: Context, func: ast.Attribute, info: KindInfo, receiver: Value, given: Given, state: State
) -> Value:
    method = func.attr
    if method in _GIVING_BACK:
        return receiver
    if method in ("forward", "__call__"):
        return _value(ev, info, receiver, given, state)
    if method in _ADDING:
        state.put(receiver, given.all)
        name = given.node.args[0] if given.node.args else None
        path = dotted(func.value)
        if method == "register_buffer" and isinstance(name, ast.Constant) and path is not None and len(given.args) > 1:
            state.env[f"{path}.{name.value!s}"] = given.args[1]
        return receiver
    return state.contain(given.node, [Value(receiver.roots | state.contents(receiver).roots)])


def _run(ev: Context, functions: list[str], receiver: Value, given: Given, state: State) -> Value | None:
    """Calls methods that the project defines; any of them can be the one that runs."""
    results = []
    for name in functions:
        effects = ev.effects_of(name) or CallEffects.anything(["self", *ev.parameters_of(name)])
        static = name in ev.project.functions and ev.project.functions[name].binding == "static"
        results.append(apply_effects(ev, effects, ev.parameters_of(name), given, None if static else receiver, state))
    return union(results) if results else None


def _value(ev: Context, callee: KindInfo, held: Value, given: Given, state: State) -> Value:
    """Calls a value: a module, a function of the project, anything."""
    if callee.certain and callee.kind is Kind.MODULE and callee.classes:
        found = _run(ev, ev.definers(callee, "forward"), held, given, state)
        if found is not None:
            return found
        classes = {base for cls in callee.classes for base in ev.project.bases(cls)}
        if classes and all(c.startswith("torch.nn.") and c.rpartition(".")[2] not in SHARING_MODULES for c in classes):
            return given.first if callee.keys and callee.keys[0] == "inplace" else _made(ev, given.node, state)
    if callee.kind is Kind.MODULE and callee.certain:
        return Value(state.reach(given.all) | state.allocate(given.node).roots)
    if callee.certain and callee.kind is Kind.CALLABLE and callee.cls is not None and callee.items is None:
        return _named(ev, callee.cls, given, state)
    return call_unknown(ev, given, union([held, given.all]), state)


def _construct(ev: Context, name: str, given: Given, state: State) -> Value:
    effects = next(
        (e for e in (ev.effects_of(f"{base}.__init__") for base in ev.project.bases(name)) if e is not None), None
    )
    made = state.contain(given.node, [given.all])
    if effects is None or effects.outside or effects.keeps - {"self"}:
        state.escape(given.all)
    return made
