"""One function under PyTorch and, converted, under MindSpore, in numbers of 16 bits: values, types, gradients.

The measure is PyTorch itself: beside the function in float64 of the same numbers, ours may stand off by twice what
PyTorch's stands off, or by `UNITS` units in the last place of the elements, a tenth of the largest one for small ones.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import torch
from mindspore import Tensor

from torch2ms.runtime import value_and_grad

TYPES = {"bfloat16": 2.0**-7, "float16": 2.0**-10}  # the spacing of numbers above 1
UNITS = 1.0
_RNG = np.random.default_rng(0)
RAW: dict[str, Any] = {
    name: _RNG.standard_normal(shape).astype(np.float32)
    for name, shape in {"x": (2, 4, 6), "m": (4, 6), "n": (4, 6), "im": (2, 4, 6, 6), "v": (2, 2, 4, 4, 4)}.items()
}
RAW |= {"l": np.array([0, 1, 2, 5]), "s": np.array([1.0, -1.0, 1.0, -1.0], np.float32)}


def type_name(x: Any) -> str:
    """Return the name of a dtype that both frameworks share."""
    return str(x.dtype).rpartition(".")[2].lower()


def torch_inputs(names: list[str], dtype: Any) -> list[Any]:
    """Return PyTorch's tensors of a type, leaves where they are floats of a function's own."""
    made = [torch.tensor(RAW[name]) for name in names]
    return [x.to(dtype).requires_grad_() if name not in "ls" else x for name, x in zip(names, made)]


def inputs(names: list[str], dtype: Any) -> list[Tensor]:
    """Return MindSpore's tensors of the same numbers."""
    return [Tensor(RAW[name]).astype(dtype) if name not in "ls" else Tensor(RAW[name]) for name in names]


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def _weights(shape: tuple[int, ...]) -> Any:
    size = int(np.prod(shape))
    return np.linspace(-1, 1, size, dtype=np.float32).reshape(shape) if size > 1 else np.ones(shape, np.float32)


def of_torch(function: Callable[..., Any], given: list[Any]) -> tuple[Any, Any]:
    """Return a function's result and the gradient of its first argument (of a fixed sum of the result)."""
    out = _first(function(*given))
    if not out.requires_grad:
        return out, None
    wide = out if out.dtype == torch.float64 else out.float()
    (wide * torch.tensor(_weights(tuple(out.shape)))).sum().backward()
    return out.detach(), given[0].grad


def of_ours(function: Callable[..., Any], given: list[Tensor]) -> tuple[Any, Any]:
    """Return the same of a converted function."""
    kept: list[Any] = []

    def loss(*args: Tensor) -> Tensor:
        out = _first(function(*args))
        kept.append(out)
        return (out.float() * Tensor(_weights(out.shape))).sum()

    gradient = value_and_grad(loss, 0)(*given)[1]
    return kept[0], gradient


def assert_as_exact(ours: Any, theirs: Any, exact: Any, spacing: float, what: str) -> None:
    """Fail where ours stands further off the exact values than the measure allows."""
    a, b, c = ours.float().asnumpy().astype(np.float64), theirs.double().numpy(), exact.double().numpy()
    assert a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}"
    np.testing.assert_array_equal(np.isfinite(a), np.isfinite(b), err_msg=what)
    finite = np.isfinite(b) & np.isfinite(c)
    if not finite.any():
        return
    a, b, c = a[finite], b[finite], c[finite]
    room = UNITS * spacing * np.maximum(np.abs(c), 0.1 * np.abs(c).max()) + 2 * np.abs(b - c).max()
    worst = np.argmax(np.abs(a - c) - room)
    assert (np.abs(a - c) <= room).all(), f"{what}: {a[worst]} where {c[worst]} is exact and PyTorch gives {b[worst]}"


def compare(theirs: Callable[..., Any], ours: Callable[..., Any], exact: Callable[..., Any], names: list[str], name: str,
            dtypes: tuple[Any, Any]) -> None:  # fmt: skip
    """Run a function on inputs of a type (PyTorch's and MindSpore's) and compare all of it."""
    spacing = TYPES.get(str(dtypes[0]).rpartition(".")[2], TYPES["bfloat16"])
    given = torch_inputs(names, dtypes[0])
    out, gradient = of_torch(theirs, given)
    wide = [x.detach().double().requires_grad_() if x.is_floating_point() else x for x in given]
    exact_out, exact_gradient = of_torch(exact, wide)
    own_out, own_gradient = of_ours(ours, inputs(names, dtypes[1]))
    assert type_name(own_out) == type_name(out)
    assert_as_exact(own_out, out, exact_out, spacing, name)
    if gradient is not None:
        assert type_name(own_gradient) == type_name(gradient)
        assert_as_exact(own_gradient, gradient, exact_gradient, spacing, f"gradient of {name}")


def same_layers(make_theirs: Callable[[], Any], make_ours: Callable[[], Any]) -> tuple[Any, Any, Any]:
    """Return a PyTorch layer, ours with its weights, and PyTorch's in float64."""
    torch.manual_seed(0)
    theirs, ours = make_theirs(), make_ours()
    ours.load_state_dict({name: Tensor(value.numpy()) for name, value in theirs.state_dict().items()})
    return theirs, ours, copy.deepcopy(theirs).double()


TORCH_AND_OURS = [(getattr(torch, name), getattr(mindspore, name)) for name in TYPES]
