"""Functions of floats of 16 bits: widened to float32, computed, rounded once to the type that PyTorch gives."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import mindspore
from mindspore import Tensor, ops

from .._device_target import IS_CPU
from . import policies
from .assignment import assign
from .state import FLOAT32, LOW, STATE, call_plain, is_low

Treatment = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]

# of the functions that are lifted
NAMES: set[str] = set()


def mapped(value: Any, change: Callable[[Tensor], Any]) -> Any:
    """Return an argument or a result with its tensors changed, also those in lists and tuples."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and value:
        parts = [mapped(part, change) for part in value]
        if all(new is old for new, old in zip(parts, value)):
            return value
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def tensors(value: Any) -> Iterator[Tensor]:
    """Yield the tensors of an argument."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors(part)


def widened(x: Tensor) -> Tensor:
    """Return floats of 16 bits as float32, anything else as it is."""
    return ops.cast(x, FLOAT32) if is_low(x) else x


def rounded(x: Any, dtype: Any) -> Any:
    """Return float32 in another float type, anything else as it is."""
    return ops.cast(x, dtype) if x.dtype == FLOAT32 else x


def through(x: Tensor, dtype: Any) -> Tensor:
    """Return floats of up to 32 bits as float32 that `dtype` can hold."""
    found = x.dtype
    if found == dtype:
        return ops.cast(x, FLOAT32)
    if found != FLOAT32 and found not in LOW:
        return x
    return ops.cast(ops.cast(x, dtype), FLOAT32)


def common_type(given: list[Tensor]) -> Any:
    """Return the type of 16 bits to which PyTorch promotes, None for another: scalars count where there is nothing else."""
    floats = [x for x in given if x.is_floating_point() or x.is_complex()]
    found = {x.dtype for x in floats if x.ndim} or {x.dtype for x in floats}
    return found.pop() if len(found) == 1 and found <= LOW else None


def _asks_for_type(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return kwargs.get("dtype") is not None or any(isinstance(arg, mindspore.Type) for arg in args)


def _changed(args: Any, kwargs: Any, change: Callable[[Tensor], Any]) -> tuple[list[Any], dict[str, Any]]:
    return [mapped(arg, change) for arg in args], {key: mapped(arg, change) for key, arg in kwargs.items()}


def _plain(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = list(tensors((args, tuple(kwargs.values())) if kwargs else args))
    if not any(is_low(x) for x in given):
        return function(*args, **kwargs)
    target = None if _asks_for_type(args, kwargs) else common_type(given)
    wide_args, wide_kwargs = _changed(args, kwargs, widened)
    result = call_plain(function, wide_args, wide_kwargs)
    return result if target is None else mapped(result, lambda x: rounded(x, target))


def _of_first(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    wide_args, wide_kwargs = _changed(args, kwargs, widened)
    result = call_plain(function, wide_args, wide_kwargs)
    first = args[0] if args else kwargs["input"]
    return mapped(result, lambda x: rounded(x, first.dtype)) if is_low(first) else result


def _with_statistics(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A normalization by statistics that it moves: its second and third argument."""
    kwargs = {**kwargs, **dict(zip(("running_mean", "running_var"), args[1:3]))}
    own: list[tuple[Tensor, Tensor]] = []
    for name in ("running_mean", "running_var"):
        held = kwargs.get(name)
        if held is not None and is_low(held):
            kwargs[name] = Tensor(held.astype(FLOAT32).asnumpy())
            own.append((held, kwargs[name]))
    positional = (args[0], kwargs.pop("running_mean", None), kwargs.pop("running_var", None), *args[3:])
    result = _of_first(function, positional, kwargs)
    for held, moved in own:
        assign(held, ops.cast(moved, held.dtype))
    return result


def _in_region(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    dtype = STATE.region
    if dtype is None:
        return _plain(function, args, kwargs)
    lower_args, lower_kwargs = _changed(args, kwargs, lambda x: through(x, dtype))
    return mapped(call_plain(function, lower_args, lower_kwargs), lambda x: rounded(x, dtype))


def _full(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if STATE.region is None:
        return _plain(function, args, kwargs)
    return call_plain(function, *_changed(args, kwargs, widened))


def _full_of_first(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return (_of_first if STATE.region is None else _full)(function, args, kwargs)


def _einsum(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Sums of products are products of matrices, the rest is multiplication."""
    treatment = _in_region if isinstance(args[0], str) and _contracts(args[0]) else _plain
    return treatment(function, args, kwargs)


def _contracts(equation: str) -> bool:
    left, _, right = equation.replace(" ", "").partition("->")
    if "," not in left:
        return False
    letters = set(left) - set(",.")
    return bool(letters - set(right)) if "->" in equation else any(left.count(letter) > 1 for letter in letters)


def _pad(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Borders that repeat the image are on PyTorch's list of float32, constant ones are not."""
    mode = kwargs.get("mode", args[2] if len(args) > 2 else "constant")
    return (_full if mode in ("reflect", "replicate") else _plain)(function, args, kwargs)


def _table(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs.get("max_norm", args[3] if len(args) > 3 else None) is not None and is_low(args[1]):
        raise NotImplementedError("embedding: max_norm with a table of 16 bits writes to the table; use float32")
    return _plain(function, args, kwargs)


_OWN: dict[str, Treatment] = {"einsum": _einsum, "pad": _pad, "embedding": _table}


def treatment_of(name: str) -> Treatment:
    """Return how the function or method `name` treats its types."""
    if name in policies.LOWER:
        return _in_region
    if name in policies.FULL:
        return _full_of_first if name in policies.OF_FIRST else _full
    if name in policies.WITH_STATISTICS:
        return _with_statistics
    return _of_first if name in policies.OF_FIRST else _OWN.get(name, _plain)


def _template(function: Any, state: Any, treatment: Any) -> Any:
    def call(*args, **kwargs):  # type: ignore[no-untyped-def]
        if state.awake:
            return treatment(function, args, kwargs)
        return function(*args, **kwargs)

    return call


def lifted(name: str, function: Any) -> Any:
    """Return the function for every float type. It has the globals of `function`, whose text a compiled graph reads."""
    made = _template(function, STATE, treatment_of(name))
    if isinstance(function, types.FunctionType) and not function.__closure__:
        made = types.FunctionType(made.__code__, function.__globals__, function.__name__, None, made.__closure__)
    return functools.wraps(function)(made)


def on_cpu(function: Any) -> Any:
    """Decorate a function of tensors whose operations have no kernels for 16 bits on the CPU."""
    return lifted(function.__name__, function) if IS_CPU else function


def lift_functions(namespace: dict[str, Any]) -> dict[str, Any]:
    """Return the functions of a module of mint that must be lifted on this device, lifted."""
    if not IS_CPU:
        return {}
    found = {
        name: lifted(name, value)
        for name, value in namespace.items()
        if isinstance(value, types.FunctionType)
        and not name.startswith("_")
        and name not in policies.NATIVE
        and not (value.__closure__ or name.endswith("_"))
    }
    NAMES.update(found)
    return found
