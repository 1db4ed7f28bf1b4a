"""Runs a sample of PyTorch's OpInfo database through torch and through the runtime's mint, and compares."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from typing import Any

import mindspore
import numpy as np
import torch
from mindspore import Tensor

from torch2ms.runtime import grad, mint
from torch2ms.runtime.mint import linalg, special
from torch2ms.runtime.mint.nn import functional as F

DTYPES = {
    torch.float32: mindspore.float32,
    torch.float64: mindspore.float64,
    torch.float16: mindspore.float16,
    torch.bfloat16: mindspore.bfloat16,
    torch.int8: mindspore.int8,
    torch.int16: mindspore.int16,
    torch.int32: mindspore.int32,
    torch.int64: mindspore.int64,
    torch.uint8: mindspore.uint8,
    torch.bool: mindspore.bool_,
    torch.complex64: mindspore.complex64,
    torch.complex128: mindspore.complex128,
}
NAMES = {str(theirs): str(ours).removeprefix("torch.") for ours, theirs in DTYPES.items()}
# arguments that have no counterpart on one device and carry no meaning for values
DROPPED = {"device", "layout", "requires_grad", "pin_memory", "memory_format", "non_blocking", "copy"}


class NotInSignature(Exception):
    """The sample passes an argument that mint's function does not have."""


@dataclass
class Outcome:
    """What happened to the samples of one function."""

    agreed: int = 0
    gradients: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)


def to_mindspore(value: Any) -> Any:
    """Return torch values as MindSpore ones, nested."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            raise NotInSignature("layout")
        t = value.detach().resolve_conj().resolve_neg()
        if t.dtype == torch.bfloat16:
            return Tensor(t.float().numpy(), mindspore.bfloat16)
        return Tensor(np.array(t.numpy(), order="C").reshape(tuple(t.shape)), DTYPES[t.dtype])
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, torch.dtype):
        return DTYPES[value]
    if isinstance(value, (list, tuple)):
        return type(value)(to_mindspore(v) for v in value)
    if isinstance(value, dict):
        return {k: to_mindspore(v) for k, v in value.items()}
    return value


def clone(value: Any) -> Any:
    """Return copies of the tensors in `value`."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(clone(v) for v in value)
    if isinstance(value, dict):
        return {k: clone(v) for k, v in value.items()}
    return value


def leaves(value: Any) -> list[Any]:
    """Return the values of nested containers in order."""
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def array(tensor: Any) -> np.ndarray:
    """Return the values of a tensor of either library."""
    if isinstance(tensor, torch.Tensor):
        t = tensor.detach().resolve_conj().resolve_neg()
        return (t.float() if t.dtype == torch.bfloat16 else t).numpy()
    return (tensor.astype(mindspore.float32) if tensor.dtype == mindspore.bfloat16 else tensor).asnumpy()


def difference(theirs: Any, ours: Any, rtol: float, atol: float, values: bool = True, dtypes: bool = True) -> str:
    """Return how MindSpore's results differ from torch's, "" if they agree."""
    a, b = leaves(theirs), leaves(ours)
    if len(a) != len(b):
        return f"{len(a)} results, got {len(b)}"
    for i, (t, m) in enumerate(zip(a, b)):
        text = _difference(t, m, rtol, atol, values, dtypes)
        if text:
            return f"result {i}: {text}" if len(a) > 1 else text
    return ""


def _difference(t: Any, m: Any, rtol: float, atol: float, values: bool, dtypes: bool) -> str:
    if not isinstance(t, torch.Tensor):
        if isinstance(t, float):
            return "" if math.isclose(t, m, rel_tol=rtol, abs_tol=atol) else f"{t} != {m}"
        return "" if t == m or not values else f"{t} != {m}"
    if not isinstance(m, Tensor):
        return f"tensor, got {type(m).__name__}"
    if tuple(t.shape) != tuple(m.shape):
        return f"shape {tuple(t.shape)}, got {tuple(m.shape)}"
    wanted, found = str(t.dtype).removeprefix("torch."), NAMES[str(m.dtype)]
    if dtypes and wanted != found:
        return f"dtype {wanted}, got {found}"
    if not values or t.numel() == 0:
        return ""
    x, y = array(t), array(m)
    kind = np.complex128 if x.dtype.kind == "c" or y.dtype.kind == "c" else np.float64
    close = np.isclose(x.astype(kind), y.astype(kind), rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return ""
    place = np.unravel_index(int(np.argmin(close)), close.shape) if close.shape else ()
    return f"{x[place]} at {tuple(map(int, place))}, got {y[place]} ({int((~close).sum())} of {close.size} differ)"


def find(name: str) -> Any:
    """Return the runtime's function for an OpInfo name, None if there is none."""
    for prefix, module in (("nn.functional.", F), ("linalg.", linalg), ("special.", special)):
        if name.startswith(prefix):
            return getattr(module, name.removeprefix(prefix), None)
    return getattr(mint, name, None)


def bind(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments to pass; raise NotInSignature where mint's function has no such argument."""
    kept = {k: v for k, v in kwargs.items() if k not in DROPPED}
    try:
        inspect.signature(function).bind(*args, **kept)
    except TypeError as error:
        raise NotInSignature(str(error)) from error
    except ValueError:
        pass
    return kept


def ramp(shape: tuple[int, ...]) -> np.ndarray:
    """Return fixed weights: a plain sum of the results would hide errors of functions that normalize."""
    n = math.prod(shape)
    return (np.cos(np.arange(n) * 1.7 + 0.3) + 1.5).astype(np.float32).reshape(shape)


def float_places(args: Any, place: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Return where the float tensors are in nested arguments."""
    found = []
    for i, value in enumerate(args):
        if isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float64) and value.numel():
            found.append((*place, i))
        elif isinstance(value, (list, tuple)):
            found += float_places(value, (*place, i))
    return found


def get(args: Any, place: tuple[int, ...]) -> Any:
    for i in place:
        args = args[i]
    return args


def put(args: Any, place: tuple[int, ...], value: Any) -> Any:
    copy = list(args)
    copy[place[0]] = value if len(place) == 1 else put(copy[place[0]], place[1:], value)
    return type(args)(copy)


def differentiable(results: Any) -> list[bool]:
    return [isinstance(r, torch.Tensor) and r.dtype in (torch.float32, torch.float64) and r.requires_grad for r in leaves(results)]


def torch_gradients(function: Any, args: Any, kwargs: Any, places: list[tuple[int, ...]]) -> Any:
    """Return (gradients of a weighted sum of the results, which results counted), None if nothing is differentiable."""
    args, kwargs = clone(args), clone(kwargs)
    inputs = []
    for place in places:
        leaf = get(args, place).requires_grad_()
        inputs.append(leaf)
        args = put(args, place, leaf)
    results = function(*args, **kwargs)
    counted = differentiable(results)
    if not any(counted):
        return None
    total = sum(
        (r * torch.from_numpy(ramp(tuple(r.shape))).to(r.dtype)).sum() for r, use in zip(leaves(results), counted) if use
    )
    return torch.autograd.grad(total, inputs, allow_unused=True), counted


def mindspore_gradients(function: Any, args: Any, kwargs: Any, places: list[tuple[int, ...]], counted: list[bool]) -> Any:
    """Return the gradients that `torch_gradients` returns, from MindSpore."""

    def total(*inputs: Any) -> Any:
        given = args
        for place, value in zip(places, inputs):
            given = put(given, place, value)
        result = None
        for r, use in zip(leaves(function(*given, **kwargs)), counted):
            if use:
                term = mint.sum(r * Tensor(ramp(tuple(r.shape)), r.dtype))
                result = term if result is None else result + term
        return result

    inputs = [get(args, place) for place in places]
    return grad(total, tuple(range(len(inputs))))(*inputs)
