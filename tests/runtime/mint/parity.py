"""Runs samples of PyTorch's OpInfo and ModuleInfo databases through torch and through the runtime, and compares."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mindspore
import numpy as np
import torch
from mindspore import Tensor

from torch2ms.runtime import mint
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
# arguments that carry no meaning for values on one device
DROPPED = {"device", "layout", "requires_grad", "pin_memory", "memory_format", "non_blocking", "copy"}
FLOATS = (torch.float32, torch.float64)
RANDOM_STARTS = ("dropout", "rand", "bernoulli", "multinomial", "normal", "uniform", "empty", "rrelu", "gumbel")
NOT_RANDOM = ("normalize",)

REFUSALS = (RuntimeError, ValueError, IndexError, TypeError, NotImplementedError)
# where a value is in nested arguments
Place = tuple[int, ...]


class NotInSignature(Exception):
    """The sample passes an argument that mint's function does not have."""


@dataclass
class Call:
    """One sample as a call: the same arguments for both libraries."""

    torch_function: Callable[..., Any]
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        shown = [describe(a) for a in self.args] + [f"{k}={describe(v)}" for k, v in self.kwargs.items()]
        return f"({', '.join(shown)})"


def describe(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(describe(v) for v in value)}]"
    return repr(value)


# -- conversion -------------------------------------------------------------------------------------------------------


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
    if callable(value):
        raise NotInSignature("callable argument")
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


# -- comparison -------------------------------------------------------------------------------------------------------


def array(tensor: Any) -> np.ndarray:
    """Return the values of a tensor of either library."""
    if isinstance(tensor, torch.Tensor):
        t = tensor.detach().resolve_conj().resolve_neg()
        return (t.float() if t.dtype == torch.bfloat16 else t).numpy()
    return (tensor.astype(mindspore.float32) if tensor.dtype == mindspore.bfloat16 else tensor).asnumpy()


def difference(theirs: Any, ours: Any, rtol: float = 1e-4, atol: float = 1e-5, values: bool = True) -> str:
    """Return how MindSpore's results differ from torch's, "" if they agree in number, shape, dtype and values."""
    a, b = leaves(theirs), leaves(ours)
    if len(a) != len(b):
        return f"{len(a)} results, got {len(b)}"
    for i, (t, m) in enumerate(zip(a, b)):
        text = result_difference(t, m, rtol, atol, values)
        if text:
            return f"result {i}: {text}" if len(a) > 1 else text
    return ""


def result_difference(t: Any, m: Any, rtol: float, atol: float, values: bool) -> str:
    if not isinstance(t, torch.Tensor):
        same = math.isclose(t, m, rel_tol=rtol, abs_tol=atol) if isinstance(t, float) else t == m
        return "" if same or not values else f"{t} != {m}"
    if not isinstance(m, Tensor):
        return f"tensor, got {type(m).__name__}"
    if tuple(t.shape) != tuple(m.shape):
        return f"shape {tuple(t.shape)}, got {tuple(m.shape)}"
    wanted, found = str(t.dtype).removeprefix("torch."), NAMES[str(m.dtype)]
    if wanted != found:
        return f"dtype {wanted}, got {found}"
    if not values or t.numel() == 0:
        return ""
    x, y = array(t), array(m)
    kind = np.complex128 if x.dtype.kind == "c" else np.float64
    x, y = x.astype(kind), y.astype(kind)
    finite = np.abs(x[np.isfinite(x)])
    # sums of large terms round in proportion to them
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    close = np.isclose(x, y, rtol=rtol, atol=atol * scale, equal_nan=True)
    if close.all():
        return ""
    place = np.unravel_index(int(np.argmin(close)), close.shape) if close.shape else ()
    return f"{x[place]} at {tuple(map(int, place))}, got {y[place]} ({int((~close).sum())} of {close.size} differ)"


# -- samples ----------------------------------------------------------------------------------------------------------


def find(name: str) -> Any:
    """Return the runtime's function for an OpInfo name, None if there is none."""
    for prefix, module in (("nn.functional.", F), ("linalg.", linalg), ("special.", special)):
        if name.startswith(prefix):
            return getattr(module, name.removeprefix(prefix), None)
    return getattr(mint, name, None)


def is_random(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last not in NOT_RANDOM and (last.startswith(RANDOM_STARTS) or last.endswith("dropout"))


def calls(op: Any, name: str, dtype: torch.dtype, count: int) -> Iterator[Call]:
    """Yield `count` of the samples of an OpInfo, evenly spread, that torch accepts."""
    torch.manual_seed(0)
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    chosen = sorted({round(j * (len(samples) - 1) / max(1, count - 1)) for j in range(min(count, len(samples)))})
    for i in chosen:
        sample = samples[i]
        args, function = (sample.input, *sample.args), op.op
        # OpInfo wraps a few functions in another order of arguments
        if name == "einsum":
            args, function = (args[1], *args[0]), torch.einsum
        elif name == "where":
            args, function = (args[1], args[0], args[2]), torch.where
        elif name == "nn.functional.embedding":
            args, function = (args[1], args[0], *args[2:]), torch.nn.functional.embedding
        elif name == "nn.functional.embedding_bag":
            args, function = (args[1], args[0], *args[2:]), torch.nn.functional.embedding_bag
        elif name.endswith("polygamma"):
            args, function = (args[1], args[0]), torch.polygamma
        if name in ("std", "var", "std_mean", "var_mean") and len(args) > 1 and isinstance(args[1], bool):
            continue  # the boolean `unbiased`, which mint does not have
        if name == "normal" and op.variant_test_name == "in_place":
            continue
        yield Call(function, find(name), args, {k: v for k, v in sample.kwargs.items() if k not in DROPPED})


def bind(call: Call) -> None:
    """Raise NotInSignature where mint's function does not take the arguments."""
    try:
        inspect.signature(call.function).bind(*call.args, **call.kwargs)
    except TypeError as error:
        raise NotInSignature(str(error)) from error
    except ValueError:
        pass
