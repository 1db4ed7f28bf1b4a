"""Messages between a loader and its workers: pickles over a socket, large arrays in anonymous shared memory.

Tensors travel as numpy arrays. The receiver maps the memory that the sender filled, so a batch is not copied again.
"""

from __future__ import annotations

import io
import mmap
import os
import pickle
import select
import socket
import struct
import tempfile
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.common import np_dtype

# small enough that the jobs and results in flight always fit the buffers of a socket, so that no side blocks the other
_INLINE = 8 * 1024
_ALIGN = 64
# length of the pickle, number of out-of-band buffers, 1 if the pickle itself lies in shared memory
_HEADER = struct.Struct("<QIB")
_SIZE = struct.Struct("<Q")


class Channel:
    """One end of a connection that carries Python objects."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end

    def fileno(self) -> int:
        """Return the descriptor, for `multiprocessing.connection.wait`."""
        return self.socket.fileno()

    def close(self) -> None:
        """Close this end."""
        self.socket.close()

    def ready(self, timeout: float) -> bool:
        """Wait until a message can be read, at most `timeout` seconds."""
        poller = select.poll()
        poller.register(self.socket, select.POLLIN)
        return bool(poller.poll(timeout * 1000))

    def send(self, message: Any) -> None:
        """Send an object; tensors and arrays keep their type."""
        buffers: list[memoryview] = []
        stream = io.BytesIO()
        _Pickler(stream, buffers).dump(message)
        body = stream.getbuffer()
        sizes = b"".join(_SIZE.pack(buffer.nbytes) for buffer in buffers)
        shared = body.nbytes + len(sizes) > _INLINE
        parts = ([memoryview(sizes), body] if shared else []) + buffers
        header = _HEADER.pack(body.nbytes, len(buffers), shared)
        descriptor = _fill(parts) if parts else None
        try:
            _send(self.socket, header + (b"" if shared else sizes + bytes(body)), descriptor)
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def receive(self) -> Any:
        """Return the next object; raises EOFError when the other end is closed."""
        header, descriptors = _receive_header(self.socket)
        try:
            return self._receive_body(header, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _receive_body(self, header: bytes, descriptors: list[int]) -> Any:
        length, count, shared = _HEADER.unpack(header)
        size_bytes = count * _SIZE.size
        memory = memoryview(mmap.mmap(descriptors[0], 0)) if descriptors else memoryview(b"")
        if shared:
            sizes, body = memory[:size_bytes], memory[_up(size_bytes) : _up(size_bytes) + length]
            position = _up(size_bytes) + _up(length)
        else:
            inline = memoryview(_read(self.socket, size_bytes + length))
            sizes, body, position = inline[:size_bytes], inline[size_bytes:], 0
        buffers = []
        for (size,) in _SIZE.iter_unpack(sizes):
            buffers.append(memory[position : position + size])
            position += _up(size)
        return pickle.loads(body, buffers=buffers)


def channel_pair() -> tuple[Channel, Channel]:
    """Return the two ends of a new connection."""
    first, second = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return Channel(first), Channel(second)


class _Pickler(pickle.Pickler):
    """Pickles for this machine: the contents of arrays and tensors go to `buffers`."""

    def __init__(self, stream: io.BytesIO, buffers: list[memoryview]) -> None:
        super().__init__(stream, protocol=5, buffer_callback=lambda buffer: self._put(buffer))
        self._buffers = buffers

    def _put(self, buffer: pickle.PickleBuffer) -> bool:
        self._buffers.append(buffer.raw())
        return False

    def reducer_override(self, value: Any) -> Any:
        """Reduce tensors to arrays."""
        if type(value) is Tensor:
            return _pack(value)
        if type(value) is Parameter:
            bits = value.dtype == mindspore.bfloat16
            return _rebuild_parameter, (value.name, value.requires_grad, bits, *_pack(value)[1])
        return NotImplemented


def _pack(tensor: Tensor) -> tuple[Any, tuple[Any, ...]]:
    array = np.ascontiguousarray(tensor.asnumpy()).reshape(tensor.shape)
    if tensor.dtype == mindspore.bfloat16:
        return _rebuild_bfloat16, (array.view(np.uint16),)
    return _rebuild, (array,)


def _rebuild(array: np.ndarray) -> Tensor:
    return Tensor.from_numpy(array)


def _rebuild_bfloat16(bits: np.ndarray) -> Tensor:
    return Tensor.from_numpy(bits.view(np_dtype.bfloat16))


def _rebuild_parameter(name: str, requires_grad: bool, bits: bool, array: np.ndarray) -> Parameter:
    tensor = _rebuild_bfloat16(array) if bits else _rebuild(array)
    return Parameter(tensor, name=name, requires_grad=requires_grad)


def _up(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("loader")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _fill(parts: list[memoryview]) -> int:
    """Return the descriptor of shared memory that holds the parts, each aligned."""
    descriptor = _anonymous_file()
    try:
        os.ftruncate(descriptor, max(1, sum(_up(part.nbytes) for part in parts)))
        position = 0
        for part in parts:
            done = 0
            while done < part.nbytes:
                done += os.pwrite(descriptor, part[done:], position + done)
            position += _up(part.nbytes)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _send(end: socket.socket, data: bytes, descriptor: int | None) -> None:
    if descriptor is None:
        end.sendall(data)
        return
    sent = socket.send_fds(end, [data], [descriptor])
    end.sendall(memoryview(data)[sent:])


def _receive_header(end: socket.socket) -> tuple[bytes, list[int]]:
    data, descriptors, _, _ = socket.recv_fds(end, _HEADER.size, 1)
    if not data:
        raise EOFError("the other end of the connection is closed")
    return data + _read(end, _HEADER.size - len(data)), list(descriptors)


def _read(end: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = end.recv(size - len(data))
        if not chunk:
            raise EOFError("the other end of the connection is closed")
        data += chunk
    return bytes(data)
