"""PyTorch signatures: parsing a row's left side and binding the arguments of a call to it."""
from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple

# PyTorch's parser takes NumPy's spellings of these parameters for every built-in function
_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "axis": ("dim", "dims"),
    "axes": ("dims", "dim"),
    "dim": ("axis",),
    "dims": ("dim",),
    "keepdims": ("keepdim",),
    "x": ("input", "self"),
    "a": ("input", "self"),
    "x1": ("input", "self"),
    "x2": ("other",),
    "input": ("self", "A"),
    "other": ("B", "y"),
    "async": ("non_blocking",),
    "range": ("value_range",),
}

# positional orders of PyTorch 0.x and 1.x, tried when a call has more positional arguments than the signature
_OLD_ORDERS: Mapping[str, tuple[str, ...]] = {
    "torch.add": ("input alpha other",),
    "torch.sub": ("input alpha other",),
    "torch.addcmul": ("input value tensor1 tensor2",),
    "torch.addcdiv": ("input value tensor1 tensor2",),
    "torch.addmm": ("beta input mat1 mat2", "beta input alpha mat1 mat2"),
    "torch.sspaddmm": ("beta input mat1 mat2", "beta input alpha mat1 mat2"),
    "torch.addmv": ("beta input mat vec", "beta input alpha mat vec"),
    "torch.addr": ("beta input vec1 vec2", "beta input alpha vec1 vec2"),
    "torch.addbmm": ("beta input batch1 batch2", "beta input alpha batch1 batch2"),
    "torch.baddbmm": ("beta input batch1 batch2", "beta input alpha batch1 batch2"),
    "torch.Tensor.add": ("self alpha other",),
    "torch.Tensor.sub": ("self alpha other",),
    "torch.Tensor.addcmul": ("self value tensor1 tensor2",),
    "torch.Tensor.addcdiv": ("self value tensor1 tensor2",),
    "torch.Tensor.addmm": ("self beta mat1 mat2", "self beta alpha mat1 mat2"),
    "torch.Tensor.addmv": ("self beta mat vec", "self beta alpha mat vec"),
    "torch.Tensor.addr": ("self beta vec1 vec2", "self beta alpha vec1 vec2"),
    "torch.Tensor.addbmm": ("self beta batch1 batch2", "self beta alpha batch1 batch2"),
    "torch.Tensor.baddbmm": ("self beta batch1 batch2", "self beta alpha batch1 batch2"),
}


class Unbindable(Exception):
    """The arguments of a call do not fit the signature; `str()` says which and why."""


class Parameter(NamedTuple):
    """One parameter of a signature; `default` is None where the parameter is required."""

    name: str
    default: ast.expr | None = None
    keyword_only: bool = False
    variadic: bool = False


class Signature(NamedTuple):
    """The left side of a row."""

    name: str
    parameters: tuple[Parameter, ...]
    takes_keywords: bool
    by_name: Mapping[str, Parameter]

    @property
    def positional(self) -> tuple[Parameter, ...]:
        """The parameters that may be passed by position, a variadic one included."""
        return tuple(p for p in self.parameters if not p.keyword_only)


class Passed(NamedTuple):
    """What a call passes for one parameter; several values for a variadic one. `place` is None for a keyword."""

    values: tuple[ast.expr, ...]
    place: int | None
    keyword: ast.keyword | None = None

    @property
    def value(self) -> ast.expr:
        """The single value."""
        return self.values[0]


class Bound:
    """The arguments of one call, by parameter. `literals` are folded values that stand nowhere in the source."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.passed: dict[str, Passed] = {}
        self.starred: ast.Starred | None = None
        self.starred_at = 0
        self.after_star: tuple[ast.expr, ...] = ()
        self.keywords: tuple[ast.keyword, ...] = ()
        self.literals: dict[str, str] = {}
        self.is_number: Callable[[ast.expr], bool] = is_int

    def value(self, name: str) -> ast.expr | None:
        """The expression passed for a parameter, or None."""
        passed = self.passed.get(name)
        return passed.value if passed and passed.values else None


def is_int(node: ast.expr) -> bool:
    """Whether the expression is an integer literal, a sign before it included."""
    match node:
        case ast.Constant(value=value) | ast.UnaryOp(operand=ast.Constant(value=value)):
            return isinstance(value, int) and not isinstance(value, bool)
    return False


def parse_signature(text: str) -> Signature | None:
    """The signature in `torch.softmax(input, dim=None)`; None where the text is a bare name (an attribute or a constant)."""
    name, paren, rest = text.partition("(")
    if not paren:
        return None
    arguments = ast.parse(f"lambda {rest.rpartition(')')[0]}: 0", mode="eval").body
    assert isinstance(arguments, ast.Lambda)
    args = arguments.args
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    parameters = [Parameter(a.arg, d) for a, d in zip(plain, defaults)]
    if args.vararg:
        parameters.append(Parameter(args.vararg.arg, variadic=True))
    parameters += [Parameter(a.arg, d, keyword_only=True) for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    return Signature(name, tuple(parameters), args.kwarg is not None, {p.name: p for p in parameters})


def bind(signature: Signature, call: ast.Call, receiver: ast.expr | None) -> Bound:
    """Binds a call's arguments; raises Unbindable. The receiver of a method call counts as the first argument."""
    positional = ([receiver] if receiver is not None else []) + call.args
    names = _positional_names(signature, positional)
    bound = Bound(signature)
    for index, value in enumerate(positional):
        if isinstance(value, ast.Starred) and not (index < len(names) and signature.by_name[names[index]].variadic):
            bound.starred, bound.starred_at = value, index
            bound.after_star = tuple(positional[index + 1:])
            break
        if index >= len(names):
            raise Unbindable(f"takes {len(names)} positional arguments, not {len(positional)}")
        if signature.by_name[names[index]].variadic:
            bound.passed[names[index]] = Passed(tuple(positional[index:]), index)
            break
        bound.passed[names[index]] = Passed((value,), index)
    _bind_keywords(signature, call, bound)
    _fold_reduction(bound)
    return bound


def _positional_names(signature: Signature, values: list[ast.expr]) -> list[str]:
    names = [p.name for p in signature.positional]
    if len(values) > len(names) and not any(isinstance(v, ast.Starred) for v in values):
        for order in _OLD_ORDERS.get(signature.name, ()):
            if len(old := order.split()) == len(values):
                return old
    return names


def _bind_keywords(signature: Signature, call: ast.Call, bound: Bound) -> None:
    rest = []
    for keyword in call.keywords:
        if keyword.arg is None:
            rest.append(keyword)
            continue
        name = _spelled(signature, keyword.arg)
        if name is None:
            if not signature.takes_keywords:
                raise Unbindable(f"has no argument `{keyword.arg}`")
            rest.append(keyword)
        elif name in bound.passed:
            raise Unbindable(f"gets two values for `{name}`")
        else:
            bound.passed[name] = Passed((keyword.value,), None, keyword)
    bound.keywords = tuple(rest)


def _spelled(signature: Signature, keyword: str) -> str | None:
    if keyword in signature.by_name:
        return keyword
    return next((name for name in _SPELLINGS.get(keyword, ()) if name in signature.by_name), None)


def _fold_reduction(bound: Bound) -> None:
    """Turns the losses' deprecated `size_average` and `reduce` into `reduction`, as PyTorch does."""
    if not {"size_average", "reduce", "reduction"} <= bound.signature.by_name.keys():
        return
    flags = {}
    for name in ("size_average", "reduce"):
        value = bound.passed.pop(name, None)
        if value is None:
            continue
        if not isinstance(value.value, ast.Constant) or value.value.value not in (True, False, None):
            raise Unbindable(f"needs a literal for the deprecated `{name}`")
        if value.value.value is not None:
            flags[name] = bool(value.value.value)
    if flags:
        bound.passed.pop("reduction", None)
        kind = "none" if not flags.get("reduce", True) else "mean" if flags.get("size_average", True) else "sum"
        bound.literals["reduction"] = f'"{kind}"'
