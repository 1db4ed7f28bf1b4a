"""The places of a function where values of a tensor are written in place."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.operations import writes_first_argument, writes_receiver
from torch2ms.analysis.lattice import TENSOR_KINDS, Kind, works_in_place
from torch2ms.analysis.nodes import children
from torch2ms.analysis.torch_objects import inplace_flag

_INNER = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef})
_WRITING = frozenset({ast.AugAssign, ast.Assign, ast.AnnAssign, ast.Call})


class How(enum.Enum):
    """The form of a write."""

    METHOD = "x.add_(1)"
    FUNCTION = "nn.init.zeros_(x), torch.relu_(x)"
    AUGMENTED = "x += 1"
    ITEM = "x[i] = 1, x[i] += 1"
    OUT = "torch.add(a, b, out=x)"
    INPLACE = "F.relu(x, inplace=True), a module made with inplace=True"
    DATA = "x.data = y, x.data += y"
    GRADIENT = "x.grad = y"
    CALL = "a function of the project that writes into its argument"


@dataclass(frozen=True, slots=True)
class Write:
    """One write: the node that does it, the expression of what is written to, and whether it surely is a tensor's.

    `parameter`: for CALL the parameter of the callee that is written to.  `flag`: for INPLACE the value of `inplace`,
    where only the run tells it; the write happens if it is true.
    """

    node: ast.AST
    target: ast.expr
    how: How
    certain: bool = True
    parameter: str = ""
    flag: ast.expr | None = None


def find_writes(context: Context) -> tuple[Write, ...]:
    """All writes of the function in source order, those of inner functions apart."""
    inner = context.function.body
    body: list[ast.AST] = [*inner] if isinstance(inner, list) else [inner]
    return tuple(write for stmt in body for node in _own_nodes(stmt) for write in _writes_of(context, node))


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if type(current) not in _INNER:
            stack += children(current)[::-1]


def _writes_of(context: Context, node: ast.AST) -> Iterator[Write]:
    if type(node) not in _WRITING:
        return
    if isinstance(node, ast.AugAssign):
        yield from _augmented(context, node)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _assigned(context, node, target)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _assigned(context, node, node.target)
    elif isinstance(node, ast.Call):
        yield from _called(context, node)


def _is_tensor(context: Context, node: ast.expr) -> bool | None:
    """True, False, or None where it is not known."""
    info = context.kinds.of(node)
    if info.kind in TENSOR_KINDS:
        return True if info.certain else None
    return None if info.kind is Kind.UNKNOWN or not info.certain else False


def _write(
    context: Context, node: ast.AST, target: ast.expr, how: How, flag: ast.expr | None = None
) -> Iterator[Write]:
    tensor = _is_tensor(context, target)
    if tensor is not False:
        yield Write(node, target, how, tensor is True, flag=flag)


def _augmented(context: Context, node: ast.AugAssign) -> Iterator[Write]:
    target = node.target
    if isinstance(target, ast.Subscript):
        yield from _write(context, node, target.value, How.ITEM)
        if _is_tensor(context, target.value) is False and _is_tensor(context, target) is not False:
            yield from _write(context, node, target, How.AUGMENTED)
    elif isinstance(target, ast.Attribute) and target.attr == "data":
        yield from _write(context, node, target.value, How.DATA)
    else:
        yield from _write(context, node, target, How.AUGMENTED)


def _assigned(context: Context, node: ast.Assign | ast.AnnAssign, target: ast.expr) -> Iterator[Write]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _assigned(context, node, part)
    elif isinstance(target, ast.Starred):
        yield from _assigned(context, node, target.value)
    elif isinstance(target, ast.Subscript):
        yield from _write(context, node, target.value, How.ITEM)
    elif isinstance(target, ast.Attribute) and target.attr in ("data", "grad"):
        how = How.DATA if target.attr == "data" else How.GRADIENT
        if (
            _is_tensor(context, target.value) is True
            or how is How.GRADIENT
            and _is_tensor(context, target.value) is None
        ):
            yield from _write(context, node, target.value, how)


def _called(context: Context, node: ast.Call) -> Iterator[Write]:
    func = node.func
    name = context.names.of(func) if isinstance(func, (ast.Name, ast.Attribute)) else None
    for keyword in node.keywords:
        if keyword.arg == "out":
            targets = keyword.value.elts if isinstance(keyword.value, (ast.Tuple, ast.List)) else [keyword.value]
            for target in targets:
                yield from _write(context, node, target, How.OUT)
    if name is not None and name.startswith("torch."):
        yield from _torch_call(context, node, name)
    elif name is None and isinstance(func, ast.Attribute) and writes_receiver(func.attr):
        yield from _write(context, node, func.value, How.METHOD)
    elif name is None and (sure := _inplace_module(context, func)) is not None and node.args:
        # no expression here says whether the layer works in place: the call stands for it
        yield from _write(context, node, node.args[0], How.INPLACE, None if sure else node)
    else:
        yield from _project_call(context, node, name)


def _torch_call(context: Context, node: ast.Call, name: str) -> Iterator[Write]:
    if not node.args:
        return
    if writes_first_argument(name):
        yield from _write(context, node, node.args[0], How.FUNCTION)
    elif name.startswith("torch.Tensor.") and writes_receiver(name.rpartition(".")[2]):
        yield from _write(context, node, node.args[0], How.METHOD)
    inplace = inplace_flag(node, name)
    if inplace is not None and not (isinstance(inplace, ast.Constant) and not inplace.value):
        flag = None if isinstance(inplace, ast.Constant) else inplace
        yield from _write(context, node, node.args[0], How.INPLACE, flag)


def _inplace_module(context: Context, func: ast.expr) -> bool | None:
    """Whether the callee is a module that surely works in place, or (False) one that may, or a Sequential that starts with one."""
    keys = works_in_place(context.kinds.of(func))
    return None if keys is None else len(keys) == 1


def _project_call(context: Context, node: ast.Call, name: str | None) -> Iterator[Write]:
    for qualified, bound in context.callees(node, name):
        written = context.writes_of(qualified)
        if not written:
            continue
        parameters = context.parameters_of(qualified)
        for parameter, expr in _pairs(parameters, node, bound):
            if parameter in written and _is_tensor(context, expr) is not False | _holds_tensors(context, expr):
                yield Write(node, expr, How.CALL, _is_tensor(context, expr) is True, parameter)


def _holds_tensors(context: Context, node: ast.expr) -> bool:
    info = context.kinds.of(node)
    if info.kind is Kind.OTHER:
        # an object without a class is another library's, or what argparse read
        return bool(info.classes)
    plain = info.element is not None and info.element.certain and info.element.kind in (Kind.NUMBER, Kind.STRING)
    return info.kind in (Kind.SEQUENCE, Kind.MAPPING, Kind.MODULE) and not plain


def _pairs(parameters: list[str], node: ast.Call, bound: ast.expr | None) -> Iterator[tuple[str, ast.expr]]:
    names = list(parameters)
    if bound is not None and names:
        yield names.pop(0), bound
    for name, arg in zip(names, node.args, strict=False):
        yield name, arg.value if isinstance(arg, ast.Starred) else arg
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value
