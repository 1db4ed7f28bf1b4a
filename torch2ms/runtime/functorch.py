"""torch.func: functions that give derivatives of functions, run them over a batch, or run a module with other weights.

https://docs.pytorch.org/docs/stable/func.api.html
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mindspore
from mindspore import Tensor, ops

from . import _backend, _tree
from .functional import _rows, pulled, pushed
from .train import detach, leaf

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]


def grad(func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that gives the gradients of the arguments at `argnums`, in their structure."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def slopes(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return slopes


def grad_and_value(
    func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that gives the gradients and the value, with `has_aux` a pair of value and aux."""

    @functools.wraps(func)
    def slopes(*args: Any, **kwargs: Any) -> Any:
        outer = _backend.is_recording()
        with _backend.recording():
            wanted, given, rest = _opened(args, argnums, outer)
            value = func(*rest, **kwargs)
            out, aux = value if has_aux else (value, None)
            if not isinstance(out, Tensor) or out.size != 1:
                raise RuntimeError("Expected f(*args) to return a scalar tensor")
            found = _closed(pulled((out,), (_backend.ones_like(out),), given, outer), wanted, argnums)
        value = (out, aux) if has_aux else out
        return (found, value) if outer else (detach(found), detach(value))

    return slopes


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return what `func` gives, a function from gradients of that to gradients of `primals`, and aux."""
    outer = _backend.is_recording()
    with _backend.recording():
        wanted, given, rest = _opened(primals, tuple(range(len(primals))), outer)
        value = func(*rest)
    out, aux = value if has_aux else (value, None)
    outputs = _tree.leaves(out)

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> tuple[Any, ...]:
        again = _backend.is_recording() if create_graph is None else create_graph
        with _backend.recording():
            found = pulled(outputs, _tree.leaves(cotangents), given, again)
        result: tuple[Any, ...] = _closed(found, wanted, tuple(range(len(primals))))
        return result if again else detach(result)

    out, aux = (out, aux) if outer else (detach(out), detach(aux))
    return (out, pull, aux) if has_aux else (out, pull)


def jvp(
    func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], *, has_aux: bool = False
) -> tuple[Any, ...]:
    """Return what `func` gives at `primals` and how it changes along `tangents`."""
    if has_aux:
        raise NotImplementedError("jvp with has_aux: return the rest from a function of its own")
    outer = _backend.is_recording()
    with _backend.recording():
        given = [leaf(t, i, outer) for i, t in enumerate(primals)]
        out, found = pushed(func, given, tangents, outer)
    result = found if isinstance(out, tuple) else found[0]
    return (out, result) if outer else (detach(out), detach(result))


def jacrev(func: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that gives the derivatives of each element of what `func` gives."""

    @functools.wraps(func)
    def rows(*args: Any, **kwargs: Any) -> Any:
        outer = _backend.is_recording()
        with _backend.recording():
            wanted, given, rest = _opened(args, argnums, outer)
            value = func(*rest, **kwargs)
            out, aux = value if has_aux else (value, None)
            found = _tree.mapped(lambda one: _closed(_rows(one, given, outer), wanted, argnums), out)
        found, aux = (found, aux) if outer else (detach(found), detach(aux))
        return (found, aux) if has_aux else found

    return rows


# the same numbers, from the other side
jacfwd = jacrev


def hessian(func: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that gives the second derivatives."""
    return jacrev(jacrev(func, argnums), argnums)


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that runs `func` on each item along `in_dims` and stacks what it gives along `out_dims`.

    One call of `func` for each item: the values of a batched run, not its speed.
    """

    @functools.wraps(func)
    def batched(*args: Any, **kwargs: Any) -> Any:
        axes = in_dims if isinstance(in_dims, (tuple, list)) else (in_dims,) * len(args)
        pairs = [_aligned(arg, axis) for arg, axis in zip(args, axes, strict=True)]
        sizes = {t.shape[axis] for flat in pairs for t, axis in flat if axis is not None}
        sizes |= {value.shape[0] for value in _tree.leaves(kwargs) if isinstance(value, Tensor)}
        if len(sizes) != 1:
            raise ValueError(f"vmap: expected all tensors to have the same size in the mapped dimension, got {sizes}")
        results = []
        for index in range(sizes.pop()):
            items = [[t if a is None else t.select(a, index) for t, a in flat] for flat in pairs]
            named = _tree.mapped(functools.partial(_item, index), kwargs)
            results.append(func(*(_tree.rebuilt(arg, item) for arg, item in zip(args, items, strict=True)), **named))
        columns = list(zip(*(_tree.leaves(result) for result in results), strict=True))
        placed = out_dims if isinstance(out_dims, (tuple, list)) else (out_dims,) * len(columns)
        stacked = [c[0] if a is None else ops.stack(c, a) for c, a in zip(columns, placed, strict=True)]
        return _tree.rebuilt(results[0], stacked)

    return batched


def functional_call(
    module: mindspore.nn.Cell,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Run a module with other tensors in the place of its parameters and buffers."""
    dicts = parameter_and_buffer_dicts
    given = dict(dicts) if isinstance(dicts, dict) else {k: v for one in dicts for k, v in one.items()}
    inputs = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, given, tie_weights, strict):
        return module(*inputs, **(kwargs or {}))


@contextmanager
def _replaced(module: mindspore.nn.Cell, given: dict[str, Tensor], tie_weights: bool, strict: bool) -> Iterator[None]:
    places: dict[str, tuple[dict[str, Any], str]] = {}
    for prefix, cell in module.cells_and_names():
        _backend.settle(cell)
        for registry in (cell._params, cell._buffers):
            places |= {f"{prefix}.{name}" if prefix else name: (registry, name) for name in registry}
    unknown, missing = sorted(set(given) - set(places)), sorted(set(places) - set(given))
    if unknown or strict and missing:
        raise RuntimeError(f"functional_call: unknown names {unknown}, missing names {missing if strict else []}")
    new = {id(places[name][0][places[name][1]]): value for name, value in given.items()}
    before = []
    for name, (registry, key) in places.items():
        old = registry[key]
        if name in given or tie_weights and old is not None and id(old) in new:
            before.append((registry, key, old))
            registry[key] = given[name] if name in given else new[id(old)]
    try:
        yield
    finally:
        for registry, key, old in before:
            registry[key] = old


def _opened(args: tuple[Any, ...], argnums: Any, keep_graph: bool) -> tuple[list[Any], list[Tensor], list[Any]]:
    """Return the wanted arguments, their tensors as fresh leaves, and all arguments with those in place."""
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    rest, given = list(args), []
    for number in numbers:
        opened = [leaf(t, number, keep_graph) for t in _tree.leaves(args[number])]
        given += opened
        rest[number] = _tree.rebuilt(args[number], opened)
    return [args[number] for number in numbers], given, rest


def _closed(found: Sequence[Tensor], wanted: list[Any], argnums: Any) -> Any:
    """Return gradients in the structure of the arguments that they belong to."""
    rest = list(found)
    result = []
    for arg in wanted:
        count = len(_tree.leaves(arg))
        result.append(_tree.rebuilt(arg, rest[:count]))
        rest = rest[count:]
    return result[0] if isinstance(argnums, int) else tuple(result)


def _item(index: int, value: Any) -> Any:
    return value[index] if isinstance(value, Tensor) else value


def _aligned(arg: Any, axis: Any) -> list[tuple[Any, int | None]]:
    """Return the leaves of an argument with the dimension to map of each."""
    flat = _tree.leaves(arg)
    axes = [axis] * len(flat) if axis is None or isinstance(axis, int) else _tree.leaves(axis)
    return [(t, a if isinstance(t, Tensor) else None) for t, a in zip(flat, axes, strict=True)]
