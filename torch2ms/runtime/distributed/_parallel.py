"""Models in several processes: equal weights at the start, averaged gradients at every step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mindspore import Tensor, ops

from ..nn import Cell
from . import _group
from ._collectives import all_reduce, broadcast, write

# elements of the gradients that are sent together
_BUCKET = 1 << 22

Gradients = tuple[Tensor | None, ...]


class DataParallel(Cell):
    """A model under the name `module`. MindSpore uses one device in a process, so nothing is split."""

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model."""
        return self.module(*args, **kwargs)


class DistributedDataParallel(DataParallel):
    """A model that starts with the weights of rank 0 in every process.

    The gradients are averaged by `average_gradients`, between the differentiation and the optimizer's step.
    """

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0, **_options: Any):
        super().__init__(module)
        if not _group.alone():
            for tensor in module.state_dict().values():
                # a broadcast into a Parameter itself does not reach it on every device
                value = Tensor(tensor.asnumpy(), tensor.dtype)
                broadcast(value, 0)
                write(tensor, value)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Stand for steps whose gradients are only added up: leave out `average_gradients` for them."""
        yield


def average_gradients(grads: Gradients) -> Gradients:
    """Return the means of the gradients over all processes; what DistributedDataParallel does in PyTorch."""
    if not _group.is_initialized() or _group.alone():
        return grads
    result: list[Tensor | None] = list(grads)
    places: dict[str, list[int]] = {}
    for i, grad in enumerate(grads):
        if grad is not None:
            places.setdefault(str(grad.dtype), []).append(i)
    for same_type in places.values():
        for bucket in _buckets(same_type, grads):
            _average(bucket, result)
    return tuple(result)


def _buckets(places: list[int], grads: Gradients) -> Iterator[list[int]]:
    bucket: list[int] = []
    size = 0
    for i in places:
        bucket.append(i)
        size += grads[i].size  # type: ignore[union-attr]
        if size >= _BUCKET:
            yield bucket
            bucket, size = [], 0
    if bucket:
        yield bucket


def _average(bucket: list[int], grads: list[Any]) -> None:
    flat = ops.cat([grads[i].reshape(-1) for i in bucket])
    all_reduce(flat)
    flat = flat / _group.get_world_size()
    at = 0
    for i in bucket:
        shape, size = grads[i].shape, grads[i].size
        grads[i] = flat[at : at + size].reshape(shape)
        at += size
