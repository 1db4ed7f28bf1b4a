"""Collective operations on tensors. With one process they copy or do nothing; results are written in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mindspore
import numpy as np
from mindspore import Tensor, ops

from .. import _device_target
from . import _group


class ReduceOp:
    """How values are combined."""

    SUM, PRODUCT, MIN, MAX, AVG = "sum", "prod", "min", "max", "avg"
    BAND, BOR, BXOR = "band", "bor", "bxor"


class Work(NamedTuple):
    """A finished operation."""

    def wait(self, timeout: Any = None) -> bool:
        """Return at once."""
        return True

    def is_completed(self) -> bool:
        """Return True."""
        return True


class Group(NamedTuple):
    """Some of the processes."""

    name: str
    ranks: tuple[int, ...]


def _mint() -> Any:
    return mindspore.mint.distributed


def _name(group: Any) -> str | None:
    return group.name if isinstance(group, Group) else group


def write(target: Tensor, value: Tensor) -> None:
    """Put a value into a tensor that others hold, too."""
    if target.ndim:
        target[:] = value
    else:
        ops.assign(target, value)


def _done(async_op: bool) -> Work | None:
    return Work() if async_op else None


def new_group(ranks: Sequence[int] | None = None, *_args: Any, **_options: Any) -> Group:
    """Make a group of some of the processes."""
    chosen = tuple(ranks) if ranks is not None else tuple(range(_group.get_world_size()))
    name = _mint().new_group(list(chosen)) if not _group.alone() else "all"
    return Group(name, chosen)


def all_reduce(tensor: Tensor, op: str = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Combine the tensors of all processes; each gets the result."""
    if not _group.alone():
        if op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR):
            raise NotImplementedError(f"all_reduce with the bitwise operation {op!r}")
        if tensor.dtype == mindspore.float64 and _device_target.IS_CPU:
            _reduce_on_host(tensor, op, group)
        else:
            _mint().all_reduce(tensor, ReduceOp.SUM if op == ReduceOp.AVG else op, _name(group))
            if op == ReduceOp.AVG:
                write(tensor, tensor / _group.get_world_size(group))
    return _done(async_op)


def _reduce_on_host(tensor: Tensor, op: str, group: Any) -> None:
    """Combine values for which the device has no communication."""
    from ._objects import all_gather_object

    parts: list[Any] = [None] * _group.get_world_size(group)
    all_gather_object(parts, tensor.asnumpy(), group)
    functions: dict[str, Any] = {"sum": np.sum, "avg": np.mean, "prod": np.prod, "min": np.min, "max": np.max}
    combine = functions[op]
    write(tensor, Tensor(combine(np.stack(parts), axis=0)))


def reduce(tensor: Tensor, dst: int = 0, op: str = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
    """Combine the tensors of all processes for one of them."""
    return all_reduce(tensor, op, group, async_op)


def broadcast(tensor: Tensor, src: int = 0, group: Any = None, async_op: bool = False) -> Work | None:
    """Give the tensor of one process to all."""
    if not _group.alone():
        _mint().broadcast(tensor, src, _name(group))
    return _done(async_op)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Collect the tensors of all processes in each one's list."""
    if _group.alone():
        write(tensor_list[0], tensor)
    else:
        _mint().all_gather(tensor_list, tensor, _name(group))
    return _done(async_op)


def all_gather_into_tensor(output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False) -> Any:
    """Collect the tensors of all processes, one after the other, in one."""
    parts = [ops.zeros_like(input_tensor) for _ in range(_group.get_world_size(group))]
    all_gather(parts, input_tensor, group)
    write(output_tensor, ops.cat(parts).reshape(output_tensor.shape))
    return _done(async_op)


def gather(
    tensor: Tensor, gather_list: list[Tensor] | None = None, dst: int = 0, group: Any = None, async_op: bool = False
) -> Work | None:
    """Collect the tensors of all processes in the list of one."""
    parts = [ops.zeros_like(tensor) for _ in range(_group.get_world_size(group))]
    all_gather(parts, tensor, group)
    if _group.get_rank() == dst:
        for target, part in zip(gather_list or [], parts):
            write(target, part)
    return _done(async_op)


def scatter(
    tensor: Tensor, scatter_list: list[Tensor] | None = None, src: int = 0, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give each process one of the tensors in the list of one."""
    size = _group.get_world_size(group)
    parts = list(scatter_list) if _group.get_rank() == src and scatter_list else [ops.zeros_like(tensor)] * size
    whole = ops.stack(parts)
    broadcast(whole, src, group)
    write(tensor, whole[_group.get_rank()])
    return _done(async_op)


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: str = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine lists of tensors; each process gets the result at its place."""
    whole = ops.stack(list(input_list))
    all_reduce(whole, op, group)
    write(output, whole[_group.get_rank()])
    return _done(async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Combine tensors; each process gets its part of the result."""
    return reduce_scatter(output, ops.chunk(input, _group.get_world_size(group)), op, group, async_op)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """Send each process one of the tensors, and collect what the others send."""
    size = _group.get_world_size(group)
    whole = ops.stack(list(input_tensor_list))
    parts = [ops.zeros_like(whole) for _ in range(size)]
    all_gather(parts, whole, group)
    for target, part in zip(output_tensor_list, parts):
        write(target, part[_group.get_rank()])
    return _done(async_op)


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: Any = None, input_split_sizes: Any = None,
    group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Send each process one part of a tensor, and collect what the others send."""
    if output_split_sizes is not None or input_split_sizes is not None:
        raise NotImplementedError("all_to_all_single with parts of different lengths")
    size = _group.get_world_size(group)
    received = [ops.zeros_like(part) for part in ops.chunk(output, size)]
    all_to_all(received, ops.chunk(input, size), group)
    write(output, ops.cat(received))
    return _done(async_op)


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Wait for all processes."""
    if not _group.alone():
        _mint().barrier(_name(group))
    return _done(async_op)


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Wait for all processes."""
    barrier(group)


def send(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> None:
    """Send a tensor to one process."""
    if _group.alone():
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of this process")
    _mint().send(tensor, dst, _name(group), tag)


def recv(tensor: Tensor, src: int = 0, group: Any = None, tag: int = 0) -> int:
    """Receive a tensor from one process."""
    if _group.alone():
        raise ValueError("Invalid source rank: source rank should not be the same as the rank of this process")
    _mint().recv(tensor, src, _name(group), tag)
    return src


def isend(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> Work:
    """Send a tensor to one process."""
    send(tensor, dst, group, tag)
    return Work()


def irecv(tensor: Tensor, src: int = 0, group: Any = None, tag: int = 0) -> Work:
    """Receive a tensor from one process."""
    recv(tensor, src, group, tag)
    return Work()


class P2POp(NamedTuple):
    """A transfer to or from one process: `isend` or `irecv`, the tensor and the other process."""

    op: Callable[..., Work]
    tensor: Tensor
    peer: int
    group: Any = None
    tag: int = 0


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Run several transfers, those that send first."""
    order = sorted(p2p_op_list, key=lambda transfer: transfer.op is not isend)
    return [transfer.op(transfer.tensor, transfer.peer, transfer.group, transfer.tag) for transfer in order]
