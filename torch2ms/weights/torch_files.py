"""Files of `torch.save`: which tensors they hold, and new ones that `torch.load(weights_only=True)` reads."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from torch2ms.project.errors import UsageProblem
from torch2ms.weights.formats import dtypes, errors, pickler, reader, source
from torch2ms.weights.stored import Place, StoredTensor

# what reading an entry costs in memory, bytes
_OVERHEAD = 512


class _Places:
    """Stands for the tensors of a file: where they lie."""

    def storage(self, file: source.Source, start: int, size: int) -> Place:
        file.check(start, size)
        return Place(file.path, start, size) if file.path else Place(file.array(start, size), 0, size)

    def tensor(
        self, storage: Any, offset: Any, size: Any, stride: Any, *_rest: Any, budget: Any, dtype: str | None = None
    ) -> StoredTensor:
        kind = dtype or storage.dtype or ""
        item, place = dtypes.SIZES[kind], storage.raw
        dtypes.check_bounds(offset, size, stride, None if place is None else place.size // item)
        budget.charge(_OVERHEAD)
        shape = tuple(size)
        if place is None or not all(shape):
            return StoredTensor(kind, shape, ())
        if dtypes.contiguous(size, stride):
            tensor = StoredTensor(kind, shape, ())
            return StoredTensor(kind, shape, (Place(place.holder, place.start + offset * item, tensor.size),))
        return StoredTensor(kind, shape, (place,), offset, tuple(stride))

    def parameter(self, data: StoredTensor, *_rest: Any) -> StoredTensor:
        return data

    def device(self, kind: str = "cpu", index: int | None = None) -> str:
        return str(kind)

    def dtype(self, name: str) -> str:
        return name

    def dtype_name(self, dtype: Any) -> str:
        if dtype not in dtypes.SIZES:
            raise errors.DamagedCheckpoint("a tensor of the checkpoint has no type")
        return str(dtype)


def open_torch(path: Path, key: str | None) -> tuple[dict[str, StoredTensor], list[str]]:
    """Return the tensors of a state dict, and the names of what lies beside it. `key` says which one, if several."""
    held = reader.load(path, _Places())
    left_out: list[str] = []
    for part in key.split(".") if key else ():
        if not isinstance(held, dict) or part not in held:
            raise UsageProblem(f"{path}: there is no {key!r}")
        left_out += [str(other) for other in held if other != part]
        held = held[part]
    if isinstance(held, StoredTensor) or not isinstance(held, dict):
        raise UsageProblem(f"{path}: holds a {_what(held)}, not tensors by name")
    if not _named_tensors(held):
        inner = [name for name, value in held.items() if isinstance(value, dict) and _named_tensors(value)]
        if len(inner) != 1:
            several = f"several state dicts: {', '.join(map(str, inner))}" if inner else "no tensors by name"
            raise UsageProblem(f"{path}: holds {several}", "name one with --key NAME" if inner else "")
        left_out += [str(other) for other in held if other != inner[0]]
        held = held[inner[0]]
    tensors = _named_tensors(held)
    return tensors, left_out + [str(name) for name in held if name not in tensors]


def _named_tensors(held: dict[Any, Any]) -> dict[str, StoredTensor]:
    return {name: value for name, value in held.items() if isinstance(name, str) and isinstance(value, StoredTensor)}


def _what(held: Any) -> str:
    return "single tensor" if isinstance(held, StoredTensor) else type(held).__name__


class _Pickler(pickler.TensorPickler):
    """Numbers the storages; tensors on the same bytes share one, as they did."""

    def __init__(self, stream: IO[bytes], types: Mapping[str, str]) -> None:
        super().__init__(stream)
        self._types = types
        self._keys: dict[Any, str] = {}
        self.storages: list[str] = []

    def write_entries(self, tensors: Mapping[str, StoredTensor]) -> None:
        """Write a whole pickle: the dict of the tensors."""
        self._names = {id(tensor): name for name, tensor in tensors.items()}
        self.dump({name: (name, tensor) for name, tensor in tensors.items()})

    def save(self, value: Any, save_persistent_id: bool = True) -> None:
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], StoredTensor):
            name, tensor = value
            dtype = self._types[name]
            self.write_tensor(dtype, self._key(name, tensor, dtype), tensor.shape)
        else:
            super().save(value, save_persistent_id)

    def _key(self, name: str, tensor: StoredTensor, dtype: str) -> str:
        held = tuple((str(p.holder) if isinstance(p.holder, str) else id(p.holder), *p[1:]) for p in tensor.places)
        same = (held, dtype, tensor.offset, tensor.strides, tensor.shape if tensor.strides else None)
        if not held or same not in self._keys:
            self._keys[same] = str(len(self.storages))
            self.storages.append(name)
        return self._keys[same]


def write_torch(
    file: IO[bytes], tensors: Mapping[str, StoredTensor], types: Mapping[str, str], pieces: Any, metadata: Mapping[str, str]
) -> None:
    """Write a file; `pieces(name)` gives the bytes of a tensor in its new type."""
    stream = io.BytesIO()
    writer = _Pickler(stream, types)
    writer.write_entries(tensors)

    def storages() -> Iterable[tuple[int, Iterable[Any]]]:
        for name in writer.storages:
            tensor = tensors[name]
            yield tensor.size // dtypes.SIZES[tensor.dtype] * dtypes.SIZES[types[name]], pieces(name)

    pickler.write_archive(file, stream.getbuffer(), storages())
