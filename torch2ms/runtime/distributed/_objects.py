"""Collective operations on Python objects, which are copied by pickling."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from . import _group
from ._collectives import _name, recv, send


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Collect the objects of all processes in each one's list."""
    if _group.alone():
        object_list[0] = copy.deepcopy(obj)
    else:
        mindspore.mint.distributed.all_gather_object(object_list, obj, _name(group))


def broadcast_object_list(object_list: list[Any], src: int = 0, group: Any = None, device: Any = None) -> None:
    """Give the objects of one process to all."""
    if _group.alone():
        return
    parts: list[Any] = [None] * _group.get_world_size(group)
    all_gather_object(parts, object_list if _group.get_rank() == src else None, group)
    object_list[:] = parts[src]


def gather_object(obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: Any = None) -> None:
    """Collect the objects of all processes in the list of one."""
    parts: list[Any] = [None] * _group.get_world_size(group)
    all_gather_object(parts, obj, group)
    if _group.get_rank() == dst and object_gather_list is not None:
        object_gather_list[:] = parts


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None, src: int = 0,
    group: Any = None,
) -> None:  # fmt: skip
    """Give each process one of the objects of one."""
    parts: list[Any] = [None] * _group.get_world_size(group)
    all_gather_object(parts, scatter_object_input_list if _group.get_rank() == src else None, group)
    scatter_object_output_list[0] = parts[src][_group.get_rank()]


def send_object_list(object_list: list[Any], dst: int, group: Any = None, device: Any = None) -> None:
    """Send objects to one process."""
    content = np.frombuffer(pickle.dumps(object_list), np.uint8)
    send(Tensor([len(content)], mindspore.int64), dst, group)
    send(Tensor(content), dst, group)


def recv_object_list(object_list: list[Any], src: int = 0, group: Any = None, device: Any = None) -> int:
    """Receive objects from one process of the same program."""
    size = Tensor([0], mindspore.int64)
    recv(size, src, group)
    content = Tensor(np.zeros(int(size[0]), np.uint8))
    recv(content, src, group)
    object_list[:] = pickle.loads(content.asnumpy().tobytes())
    return src
