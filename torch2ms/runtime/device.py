"""Devices: one accelerator or the CPU per process, under the names that device code of PyTorch scripts uses.

MindSpore places tensors by itself: a process computes on one target, chosen with `mindspore.set_device`.
https://www.mindspore.cn/docs/en/master/api_python/mindspore/mindspore.set_device.html
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import mindspore
from mindspore import runtime

from ._device_name import Device as Device
from ._device_name import canonical

_ACCELERATORS = ("Ascend", "GPU")


def target() -> str:
    """Return MindSpore's device target: `"Ascend"`, `"GPU"` or `"CPU"`."""
    return str(mindspore.get_context("device_target"))


def default_device(device: Any = None, index: int | None = None) -> Device:
    """Return the device that MindSpore computes on.

    `device` is what the PyTorch program asked for (`"cuda:1"`, an index, a Device). `"cpu"` stays the CPU, so that
    it can be told apart; every accelerator is the target of this process, and its index is kept.
    """
    if isinstance(device, bool):
        raise TypeError("a device is text, an index or a Device, not a bool")
    kind = target()
    if kind == "CPU" or (isinstance(device, str) and canonical(device)[0] == "cpu"):
        return Device("CPU")
    if index is None:
        index = _index_of(device)
    return Device(kind) if index is None else Device(kind, index)


def _index_of(device: Any) -> int | None:
    match device:
        case None:
            return None
        case int():
            return device
        case _:
            number = str(device).partition(":")[2]
            return int(number) if number else None


def is_available() -> bool:
    """Tell whether MindSpore computes on an accelerator; what `torch.cuda.is_available()` asks."""
    return target() in _ACCELERATORS


def device_count() -> int:
    """Return the number of accelerators, 0 on the CPU."""
    return int(mindspore.hal.device_count()) if is_available() else 0


def current_device() -> int:
    """Return the index of the device of this process."""
    return int(mindspore.get_context("device_id"))


def set_device(device: Any) -> None:
    """Choose the accelerator of this process before its first operation; nothing to choose on the CPU."""
    index = _index_of(device)
    if index is not None and index >= 0 and is_available():
        mindspore.set_device(target(), index)


def get_device_name(device: Any = None) -> str:
    """Return the product name of the accelerator, `"CPU"` without one."""
    if not is_available():
        return "CPU"
    return str(mindspore.hal.get_device_name(_index_or_current(device)))


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Return the compute capability; an Ascend or CPU device has none, so that it is (0, 0)."""
    if target() != "GPU":
        return 0, 0
    return tuple(mindspore.hal.get_device_capability(_index_or_current(device)))


def get_device_properties(device: Any = None) -> Any:
    """Return an object with `name` and `total_memory` (bytes)."""
    if not is_available():
        return _Properties("CPU", 0)
    return mindspore.hal.get_device_properties(_index_or_current(device))


def _index_or_current(device: Any) -> int:
    index = _index_of(device)
    return current_device() if index is None else index


class _Properties(NamedTuple):
    name: str
    total_memory: int
    major: int = 0
    minor: int = 0
    multi_processor_count: int = 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Tell whether the accelerator computes in bfloat16."""
    return target() == "Ascend"


def synchronize(device: Any = None) -> None:
    """Wait for all work of the device."""
    if is_available():
        runtime.synchronize()


def _memory(name: str) -> Callable[..., Any]:
    ask = getattr(runtime, name)

    def query(device: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not is_available():
            return {} if name == "memory_stats" else "" if name == "memory_summary" else 0
        return ask(*args, **kwargs)

    query.__name__ = name
    query.__doc__ = f"Return `mindspore.runtime.{name}()`, bytes; nothing on the CPU, which MindSpore does not count."
    return query


memory_allocated = _memory("memory_allocated")
max_memory_allocated = _memory("max_memory_allocated")
memory_reserved = _memory("memory_reserved")
max_memory_reserved = _memory("max_memory_reserved")
memory_summary = _memory("memory_summary")
memory_stats = _memory("memory_stats")


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Return (free, total) bytes of the device."""
    total = int(getattr(get_device_properties(device), "total_memory", 0))
    return max(0, total - int(memory_reserved(device))), total


def empty_cache() -> None:
    """Give unused cached memory back to the device."""
    if is_available():
        runtime.empty_cache()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Start the peak counters anew."""
    if is_available():
        runtime.reset_peak_memory_stats()


class Event:
    """A point in time on the device, for measuring: `start.record(); ...; end.record(); start.elapsed_time(end)`."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self.enable_timing = enable_timing
        self._event = runtime.Event(enable_timing=enable_timing) if is_available() else None
        self._seconds: float | None = None

    def record(self, stream: Any = None) -> None:
        """Mark the present point of the stream."""
        if self._event is not None:
            self._event.record(stream)
        else:
            self._seconds = time.perf_counter()

    def query(self) -> bool:
        """Tell whether the work before the point is done."""
        return True if self._event is None else bool(self._event.query())

    def wait(self, stream: Any = None) -> None:
        """Let the stream wait for the point."""
        if self._event is not None:
            self._event.wait(stream)

    def synchronize(self) -> None:
        """Wait for the point."""
        if self._event is not None:
            self._event.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds between two recorded events."""
        if not (self.enable_timing and end_event.enable_timing):
            raise RuntimeError("both events need enable_timing=True")
        if self._event is not None:
            return float(self._event.elapsed_time(end_event._event))
        if self._seconds is None or end_event._seconds is None:
            raise RuntimeError("both events must be recorded before the time between them is asked")
        return (end_event._seconds - self._seconds) * 1000.0


class Stream:
    """A queue of work on an accelerator; on the CPU, which runs in order, it has no effect."""

    def __init__(self, device: Any = None, priority: int = 0, **_kwargs: Any) -> None:
        self.stream = runtime.Stream(priority=priority) if is_available() else None

    def synchronize(self) -> None:
        """Wait for the work of the stream."""
        if self.stream is not None:
            self.stream.synchronize()

    def wait_stream(self, stream: Any) -> None:
        """Let this stream wait for another one."""
        if self.stream is not None:
            self.stream.wait_stream(getattr(stream, "stream", stream))

    def wait_event(self, event: Event) -> None:
        """Let this stream wait for an event."""
        event.wait(self.stream)

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event on this stream and return it."""
        event = event or Event()
        event.record(self.stream)
        return event


def current_stream(device: Any = None) -> Stream:
    """Return the stream that work goes to."""
    wrapped = Stream.__new__(Stream)
    wrapped.stream = runtime.current_stream() if is_available() else None
    return wrapped


@contextmanager
def stream(queue: Stream | None) -> Iterator[None]:
    """Send the work of the block to a stream."""
    inner = getattr(queue, "stream", None)
    if inner is None:
        yield
        return
    with runtime.StreamCtx(inner):
        yield


_is_deterministic = False


def set_deterministic(deterministic: bool) -> None:
    """Compute the same in every run. MindSpore takes the switch once: what is said again, or taken back later, changes nothing.

    https://www.mindspore.cn/docs/en/master/api_python/mindspore/mindspore.set_deterministic.html
    """
    global _is_deterministic
    if deterministic and not _is_deterministic:
        mindspore.set_deterministic(True)
        _is_deterministic = True
