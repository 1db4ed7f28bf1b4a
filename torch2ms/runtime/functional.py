"""torch.autograd.functional: derivatives of functions, with respect to all their inputs.

https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore import Tensor, ops

from . import _backend
from .train import detach, leaf

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Inputs = Any  # a tensor or a tuple of them
_STRICT = "strict=True is not supported: an independent output gets zeros"


def jacobian(
    func: Callable[..., Any],
    inputs: Inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the derivatives of every element of the outputs: shape of the output, then shape of the input.

    A tuple of inputs gives a tuple, a tuple of outputs a tuple of what each output gives.
    """
    _check(strict)
    with _backend.recording():
        given = _leaves(inputs, create_graph)
        out = func(*given)
        outputs = out if isinstance(out, tuple) else (out,)
        rows = tuple(_rows(one, given, create_graph) for one in outputs)
    single = tuple(row[0] for row in rows) if isinstance(inputs, Tensor) else rows
    result = single if isinstance(out, tuple) else single[0]
    return result if create_graph else detach(result)


def hessian(
    func: Callable[..., Any],
    inputs: Inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a function that gives one element."""
    _check(strict)
    single = isinstance(inputs, Tensor)

    def slopes(*args: Tensor) -> Any:
        out = func(*args)
        _one_element(out)
        found = pulled((out,), (_backend.ones_like(out),), args, create_graph=True)
        return found[0] if single else found

    return jacobian(slopes, inputs, create_graph)


def vjp(
    func: Callable[..., Any], inputs: Inputs, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return what `func` gives and the gradients of its inputs when those of its outputs are `v`."""
    _check(strict)
    with _backend.recording():
        given = _leaves(inputs, create_graph)
        out = func(*given)
        outputs = out if isinstance(out, tuple) else (out,)
        found = pulled(outputs, _directions(v, outputs), given, create_graph)
    return _finished(out, found, inputs, create_graph)


def jvp(
    func: Callable[..., Any], inputs: Inputs, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return what `func` gives and how its outputs change along `v`."""
    _check(strict)
    with _backend.recording():
        given = _leaves(inputs, create_graph)
        out, found = pushed(func, given, _directions(v, given), create_graph)
    result = found if isinstance(out, tuple) else found[0]
    return (out, result) if create_graph else (detach(out), detach(result))


def hvp(
    func: Callable[..., Any], inputs: Inputs, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return what `func` gives, one element, and the product of its second derivatives with `v`."""
    _check(strict)
    with _backend.recording():
        given = _leaves(inputs, create_graph)
        with _backend.recording():
            out = func(*given)
            _one_element(out)
            slopes = pulled((out,), (_backend.ones_like(out),), given, create_graph=True)
        found = pulled(slopes, _directions(v, given), given, create_graph)
    return _finished(out, found, inputs, create_graph)


# second derivatives are symmetric
vhp = hvp


def pulled(
    outputs: Sequence[Tensor], gradients: Sequence[Tensor], inputs: Sequence[Tensor], create_graph: bool
) -> tuple[Tensor, ...]:
    """Return the gradients of the inputs, zeros where the outputs do not depend on one; the graph stays."""
    live = [(o, g) for o, g in zip(outputs, gradients) if _backend.requires_grad(o)]
    found: Sequence[Tensor | None] = [None] * len(inputs)
    if live:
        found = _backend.run_backward(
            [o for o, _ in live], [g for _, g in live], inputs, retain_graph=True, create_graph=create_graph
        )
    return tuple(ops.zeros_like(t) if g is None else g for t, g in zip(inputs, found))


def pushed(
    func: Callable[..., Any], inputs: Sequence[Tensor], along: Sequence[Tensor], create_graph: bool
) -> tuple[Any, tuple[Tensor, ...]]:
    """Return what `func` gives and the change of each output along directions of the inputs.

    The gradients of the inputs are linear in those of the outputs; the derivative of that is what is wanted.
    """
    with _backend.recording():
        out = func(*inputs)
        outputs = out if isinstance(out, tuple) else (out,)
        given = [_backend.set_requires_grad(ops.zeros_like(o)) for o in outputs]
        slopes = pulled(outputs, given, inputs, create_graph=True)
    return out, pulled(slopes, along, given, create_graph)


def _rows(out: Tensor, inputs: Sequence[Tensor], create_graph: bool) -> tuple[Tensor, ...]:
    """Return the derivatives of one output, one backward for each of its elements."""
    rows = []
    for index in range(out.size):
        chosen = (ops.arange(out.size) == index).astype(out.dtype).reshape(out.shape)
        rows.append(pulled((out,), (chosen,), inputs, create_graph))
    return tuple(
        ops.stack([row[i] for row in rows]).reshape((*out.shape, *given.shape)) for i, given in enumerate(inputs)
    )


def _leaves(inputs: Inputs, keep_graph: bool) -> tuple[Tensor, ...]:
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    return tuple(leaf(t, i, keep_graph) for i, t in enumerate(given))


def _directions(v: Any, like: Sequence[Tensor]) -> tuple[Tensor, ...]:
    if v is None:
        if len(like) != 1 or like[0].size != 1:
            raise RuntimeError("The vector v can only be None if the result or input has a single element")
        return (_backend.ones_like(like[0]),)
    found = (v,) if isinstance(v, Tensor) else tuple(v)
    if [t.shape for t in found] != [t.shape for t in like]:
        raise RuntimeError(f"v has shapes {[t.shape for t in found]}, expected {[t.shape for t in like]}")
    return found


def _finished(out: Any, found: tuple[Tensor, ...], inputs: Inputs, create_graph: bool) -> tuple[Any, Any]:
    result = found[0] if isinstance(inputs, Tensor) else found
    return (out, result) if create_graph else (detach(out), detach(result))


def _one_element(out: Any) -> None:
    if not isinstance(out, Tensor) or out.size != 1:
        raise RuntimeError("The function must return a tensor with a single element")


def _check(strict: bool) -> None:
    if strict:
        raise NotImplementedError(_STRICT)
