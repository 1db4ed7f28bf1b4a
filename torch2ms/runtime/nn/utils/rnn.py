"""Sequences of different lengths: packing and padding.

https://docs.pytorch.org/docs/stable/nn.html#utilities
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mindspore import Tensor

from ... import mint

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence(NamedTuple):
    """The steps of several sequences one after the other, all first steps first; made by `pack_padded_sequence`."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes the given one."""
    return None if permutation is None else Tensor(np.argsort(permutation.asnumpy(), kind="stable").astype(np.int64))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch (steps, batch, ...) or, with `batch_first`, (batch, steps, ...).

    Raises:
        RuntimeError: a length is not positive, or the lengths do not decrease although `enforce_sorted` is set.
    """
    sizes = lengths.asnumpy() if isinstance(lengths, Tensor) else np.asarray(lengths)
    sizes = sizes.astype(np.int64)
    x = mint.transpose(input, 0, 1) if batch_first else input
    if len(sizes) != x.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={x.shape[1]})"
        )
    if (sizes <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    sorted_indices = unsorted_indices = None
    if not enforce_sorted:
        order = np.argsort(-sizes, kind="stable").astype(np.int64)
        sorted_indices = Tensor(order)
        unsorted_indices = invert_permutation(sorted_indices)
        x, sizes = mint.index_select(x, 1, sorted_indices), sizes[order]
    elif (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence to sidestep this requirement"
        )
    return pack_padded(x, sizes, sorted_indices, unsorted_indices)


def pack_padded(
    x: Tensor, lengths: Any, sorted_indices: Tensor | None, unsorted_indices: Tensor | None
) -> PackedSequence:
    """Pack (steps, batch, ...) whose lengths decrease."""
    lengths = np.asarray(lengths)
    batch_sizes = [int((lengths > t).sum()) for t in range(int(lengths.max()))]
    data = mint.cat([x[t, :n] for t, n in enumerate(batch_sizes)], 0)
    return PackedSequence(data, Tensor(np.asarray(batch_sizes, np.int64)), sorted_indices, unsorted_indices)


def padded(packed: PackedSequence, value: float = 0.0) -> tuple[Tensor, list[int]]:
    """Return (steps, batch, ...) in packed order, and the lengths."""
    batch_sizes = [int(n) for n in packed.batch_sizes.asnumpy()]
    width = batch_sizes[0]
    rows, start = [], 0
    for n in batch_sizes:
        row = packed.data[start : start + n]
        start += n
        if n < width:
            filler = mint.full((width - n, *packed.data.shape[1:]), value, dtype=packed.data.dtype)
            row = mint.cat([row, filler], 0)
        rows.append(row)
    lengths = [sum(n > i for n in batch_sizes) for i in range(width)]
    return mint.stack(rows, 0), lengths


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Undo `pack_padded_sequence`; return the padded batch and the lengths (int64)."""
    x, lengths = padded(sequence, padding_value)
    if total_length is not None:
        if total_length < x.shape[0]:
            raise ValueError(
                f"Expected total_length to be at least the length of the longest sequence, but got {total_length}"
            )
        filler = mint.full((total_length - x.shape[0], *x.shape[1:]), padding_value, dtype=x.dtype)
        x = mint.cat([x, filler], 0) if total_length > x.shape[0] else x
    sizes = np.asarray(lengths, np.int64)
    if sequence.unsorted_indices is not None:
        x = mint.index_select(x, 1, sequence.unsorted_indices)
        sizes = sizes[sequence.unsorted_indices.asnumpy()]
    return (mint.transpose(x, 0, 1) if batch_first else x), Tensor(sizes)


def pad_sequence(
    sequences: Sequence[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack sequences (steps, ...) of different lengths, shorter ones filled up."""
    if padding_side not in ("left", "right"):
        raise ValueError("padding_side should be left or right")
    longest = max(s.shape[0] for s in sequences)
    rows = []
    for s in sequences:
        if s.shape[0] < longest:
            filler = mint.full((longest - s.shape[0], *s.shape[1:]), padding_value, dtype=s.dtype)
            s = mint.cat([s, filler] if padding_side == "right" else [filler, s], 0)
        rows.append(s)
    return mint.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Undo `pad_sequence`."""
    x = padded_sequences if batch_first else mint.transpose(padded_sequences, 0, 1)
    return [x[i, : int(n)] for i, n in enumerate(lengths.asnumpy())]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences (steps, ...) of different lengths."""
    return pack_padded_sequence(pad_sequence(sequences), [s.shape[0] for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Undo `pack_sequence`."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)
