"""The kinds of calls of PyTorch's functions and classes."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.containers import container, dataset, loader, transform
from torch2ms.analysis.lattice import (
    NUMBER,
    OTHER,
    TENSOR,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    sequence,
)
from torch2ms.analysis.methods import method_call
from torch2ms.analysis.torch_functions import NOT_OF_TENSORS, SEQUENCES_OF_TENSORS, Result, function_result
from torch2ms.analysis.torch_objects import INPLACE_POSITION, inplace_flag

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator


def call_torch(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """What calling a function or class of PyTorch or torchvision gives."""
    role = ev.project.role(name)
    if role is not None:
        return _torch_object(ev, name, role, arguments)
    head, _, last = name.rpartition(".")
    flagged = arguments.node is not None and inplace_flag(arguments.node, name) is not None
    if last.endswith("_") or "out" in arguments.keywords or flagged:
        ev.unit.writes = True
    if head == "torch.Tensor" and arguments.args:
        func = ast.Attribute(ast.Constant(None), last, ast.Load())
        return method_call(ev, func, TENSOR, Arguments(None, arguments.args[1:], arguments.keywords))
    _prove_operands(ev, head, last, arguments)
    result: Result = function_result(name)
    info = result if isinstance(result, KindInfo) else result(arguments.args, arguments.keywords)
    if head == "torch" and "dtype" in arguments.keywords and info.kind is Kind.TENSOR:
        return _with_dtype(ev, info, arguments)
    if head == "torch" and last in _FLOATS and info is TENSOR and not ev.project.habits.sets_default_dtype:
        return _FLOAT
    return _by_argument(ev, name, arguments) or info


# what these make is float32 where no dtype is given
_FLOATS = frozenset("zeros ones empty eye rand randn linspace logspace".split())
_FLOAT = KindInfo(Kind.TENSOR, dtype="float32")


def _prove_operands(ev: Evaluator, head: str, last: str, arguments: Arguments) -> None:
    """A function that works on tensors shows what its arguments are."""
    if head not in ("torch", "torch.nn.functional", "torch.linalg", "torch.fft"):
        return
    first = arguments.get(0, "input")
    if first is not None and not arguments.starred:
        if last in SEQUENCES_OF_TENSORS:
            ev.prove(first, TENSORS)
        elif last not in NOT_OF_TENSORS:
            ev.prove(first)
    if (last == "cross_entropy" or last.endswith("_loss")) and len(arguments.args) > 1:
        ev.prove(arguments.args[1])


def _by_argument(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo | None:
    """Functions whose result depends on what they are given."""
    args, last = arguments.args, name.rpartition(".")[2]
    if name == "torch.utils.checkpoint.checkpoint" and args:
        return ev.call(args[0], Arguments(None, args[1:], {}, arguments.starred))
    if name == "torch.utils.data.random_split":
        return sequence(args[0]) if args else UNKNOWN
    if name == "torch.nn.parallel.data_parallel" and args:
        return ev.call(args[0], Arguments(None, args[1:2], {}))
    if last in ("Process", "spawn", "start_processes"):
        return spawn(ev, last, arguments)
    if name.startswith("torchvision.models."):
        return KindInfo(Kind.MODULE, cls=name)
    if name.startswith("torchvision.transforms.") and not name.startswith("torchvision.transforms.functional."):
        return transform(ev, name, arguments)
    return None


def spawn(ev: Evaluator, last: str, arguments: Arguments) -> KindInfo:
    """A function run in another process gets the arguments that were given for it."""
    target = arguments.keywords.get("target") if last == "Process" else arguments.get(0, "fn")
    given = arguments.keywords.get("args") or (arguments.get(1, "args") if last != "Process" else None)
    if target is not None and target.kind is Kind.CALLABLE:
        rank = [] if last == "Process" else [NUMBER]
        items = list(given.items) if given is not None and given.items is not None else []
        ev.call(target, Arguments(None, [*rank, *items], {}))
    return OTHER


def _with_dtype(ev: Evaluator, info: KindInfo, arguments: Arguments) -> KindInfo:
    node = arguments.node
    for keyword in node.keywords if node is not None else ():
        if keyword.arg == "dtype":
            name = ev.names.of(keyword.value) or ""
            dtype = name.removeprefix("torch.")
            dtype = {"float": "float32", "long": "int64", "int": "int32", "double": "float64", "half": "float16"}.get(
                dtype, dtype
            )
            return KindInfo(Kind.TENSOR, dtype=dtype if name.startswith("torch.") else None)
    return info


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
    if name in (
        "torch.nn.Sequential",
        "torch.nn.ModuleList",
        "torch.nn.ModuleDict",
        "torch.nn.ParameterList",
        "torch.nn.ParameterDict",
    ):
        return container(ev, name, arguments)
    info = ev.engine.instance(name)
    return replace(info, keys=_works_in_place(name, arguments))


def _works_in_place(name: str, arguments: Arguments) -> tuple[str, ...] | None:
    """Whether a module is made with `inplace=True`, by keyword or by position: surely, perhaps (`inplace=flag`), or not."""
    node = arguments.node
    if node is None:
        return None
    given = next((k.value for k in node.keywords if k.arg == "inplace"), None)
    position = INPLACE_POSITION.get(name.rpartition(".")[2])
    if given is None and position is not None and position < len(node.args):
        given = node.args[position]
    if isinstance(given, ast.Constant):
        return ("inplace",) if given.value else None
    return ("inplace", "perhaps") if given is not None else None


def _call_with(ev: Evaluator, function: KindInfo | None, args: list[KindInfo]) -> None:
    if function is not None and function.kind is Kind.CALLABLE:
        ev.call(function, Arguments(None, args, {}))
