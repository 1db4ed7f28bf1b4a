"""The loader beside PyTorch's, over its arguments: the same batches in the same order, whatever reads them."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
import torch.utils.data as theirs
from mindspore import Tensor

from tests.ids import stable
from tests.runtime.data.samples import KINDS, Samples, common
from torch2ms.runtime import data as ours
from torch2ms.runtime import manual_seed
from torch2ms.runtime.random import Generator

WORKERS = [0, 2]


@pytest.fixture(autouse=True)
def an_operation_was_run() -> None:
    # forked workers are only in danger after the first operation
    (Tensor([1.0]) + 1).asnumpy()


def passes(dataset: Any, **options: Any) -> tuple[list[Any], list[Any]]:
    """Two passes of both loaders, from the same seed."""
    torch.manual_seed(7)
    manual_seed(7)
    expected = theirs.DataLoader(dataset, **options)
    found = ours.DataLoader(dataset, **options)
    assert len(expected) == len(found)
    return [[common(b) for b in expected] for _ in range(2)], [[common(b) for b in found] for _ in range(2)]


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_samples(kind: str, workers: int) -> None:
    expected, found = passes(Samples(kind), batch_size=4, num_workers=workers)
    assert found == expected


OPTIONS: list[dict[str, Any]] = [
    {},
    {"batch_size": 3, "drop_last": True},
    {"batch_size": 3, "shuffle": True},
    {"batch_size": 3, "shuffle": True, "drop_last": True},
    {"batch_size": None},
    {"batch_size": None, "shuffle": True},
    {"batch_size": 20},
    {"batch_size": 20, "drop_last": True},
    {"batch_sampler": [[0, 1], [5], [2, 3, 4]]},
    {"batch_size": 2, "sampler": [4, 0, 10]},
    {"batch_size": 2, "collate_fn": list},
    {"batch_size": 2, "collate_fn": lambda batch: {"n": len(batch), "ids": [b[1] for b in batch]}},
    {"batch_size": 2, "pin_memory": False, "in_order": True},
]


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("options", OPTIONS, ids=stable)
def test_arguments(options: dict[str, Any], workers: int) -> None:
    expected, found = passes(Samples("tuple"), num_workers=workers, **options)
    assert found == expected


@pytest.mark.parametrize("options", [{"prefetch_factor": 1}, {"prefetch_factor": 5}, {"persistent_workers": True}], ids=str)
@pytest.mark.parametrize("shuffle", [False, True])
def test_arguments_of_workers(options: dict[str, Any], shuffle: bool) -> None:
    expected, found = passes(Samples("dict"), num_workers=2, batch_size=2, shuffle=shuffle, **options)
    assert found == expected


@pytest.mark.parametrize("workers", WORKERS)
def test_generator_gives_pytorchs_order(workers: int) -> None:
    expected = theirs.DataLoader(
        Samples("int", 50), 7, shuffle=True, num_workers=workers, generator=torch.Generator().manual_seed(5)
    )
    found = ours.DataLoader(Samples("int", 50), 7, shuffle=True, num_workers=workers, generator=Generator().manual_seed(5))
    for _ in range(3):
        assert [common(b) for b in found] == [common(b) for b in expected]


def test_out_of_order_gives_every_batch_once() -> None:
    found = ours.DataLoader(Samples("int", 20), 3, num_workers=2, in_order=False)
    assert sorted(n for batch in found for n in batch.asnumpy().tolist()) == list(range(20))


@pytest.mark.parametrize("workers", WORKERS)
def test_tensor_dataset(workers: int) -> None:
    x, y = np.arange(40, dtype=np.float32).reshape(20, 2), np.arange(20)
    for options in ({"batch_size": 3}, {"batch_size": 4, "shuffle": True}, {"batch_size": None}):
        torch.manual_seed(1)
        manual_seed(1)
        expected = theirs.DataLoader(
            theirs.TensorDataset(torch.tensor(x), torch.tensor(y)), num_workers=workers, **options
        )
        found = ours.DataLoader(ours.TensorDataset(Tensor(x), Tensor(y)), num_workers=workers, **options)
        assert [common(b) for b in found] == [common(b) for b in expected]


def test_subset_of_tensor_dataset_and_subclass() -> None:
    class Doubled(ours.TensorDataset):
        def __getitem__(self, index: Any) -> Any:
            return tuple(Tensor(t.asnumpy() * 2) for t in super().__getitem__(index))

    x = Tensor(np.arange(6.0, dtype=np.float32))
    subset = ours.Subset(ours.Subset(ours.TensorDataset(x), [5, 3, 1]), [2, 0])
    assert [b[0].asnumpy().tolist() for b in ours.DataLoader(subset, 2)] == [[1, 5]]
    assert [b[0].asnumpy().tolist() for b in ours.DataLoader(Doubled(x), 3)] == [[0, 2, 4], [6, 8, 10]]


class Stream:
    """The numbers 0 ... n - 1, shared among the workers."""

    def __init__(self, library: Any, n: int = 10) -> None:
        self.library, self.n = library, n

    def __iter__(self) -> Any:
        info = self.library.get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for i in range(first, self.n, step):
            yield np.full(2, i), {"worker": -1 if info is None else info.id}


def _stream(library: Any, n: int = 10) -> Any:
    return type("Numbers", (Stream, library.IterableDataset), {})(library, n)


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
@pytest.mark.parametrize("options", [{"batch_size": 3}, {"batch_size": 3, "drop_last": True}, {"batch_size": None}], ids=str)
def test_streams(options: dict[str, Any], workers: int) -> None:
    expected = theirs.DataLoader(_stream(theirs), num_workers=workers, **options)
    found = ours.DataLoader(_stream(ours), num_workers=workers, **options)
    for _ in range(2):
        assert [common(b) for b in found] == [common(b) for b in expected]


def test_streams_with_persistent_workers() -> None:
    options = {"num_workers": 2, "batch_size": 4, "persistent_workers": True}
    expected, found = theirs.DataLoader(_stream(theirs), **options), ours.DataLoader(_stream(ours), **options)
    for _ in range(3):
        assert [common(b) for b in found] == [common(b) for b in expected]


def test_chained_streams_and_length() -> None:
    chain = ours.ChainDataset([_stream(ours, 3), _stream(ours, 2)])
    assert [b[0].asnumpy()[:, 0].tolist() for b in ours.DataLoader(chain, 2)] == [[0, 1], [2, 0], [1]]

    class Sized(ours.IterableDataset):
        def __iter__(self) -> Any:
            return iter(range(7))

        def __len__(self) -> int:
            return 7

    assert len(ours.DataLoader(Sized(), 3)) == 3
    assert len(ours.DataLoader(Sized(), 3, drop_last=True)) == 2
    with pytest.raises(TypeError):
        len(ours.DataLoader(_stream(ours), 3))


class Ragged(Samples):
    def __getitem__(self, i: int) -> Any:
        return np.arange(i + 1)


@pytest.mark.parametrize("workers", WORKERS)
def test_ragged_batches(workers: int) -> None:
    loader = ours.DataLoader(Ragged("array", 4), 2, num_workers=workers, collate_fn=lambda batch: batch)
    assert [[len(x) for x in batch] for batch in loader] == [[1, 2], [3, 4]]
    with pytest.raises(RuntimeError, match="equal size"):
        list(ours.DataLoader(Ragged("array", 4), 2, num_workers=workers))


@pytest.mark.parametrize("workers", WORKERS)
def test_none_samples_need_a_collate_fn(workers: int) -> None:
    class Missing(Samples):
        def __getitem__(self, i: int) -> Any:
            return None if i == 1 else i

    kept = ours.DataLoader(
        Missing("int", 4), 2, num_workers=workers, collate_fn=lambda batch: [b for b in batch if b is not None]
    )
    assert list(kept) == [[0], [2, 3]]

    class Nothing(Samples):
        def __getitem__(self, i: int) -> Any:
            return None

    with pytest.raises(TypeError, match="NoneType"):
        list(ours.DataLoader(Nothing("int", 4), 2, num_workers=workers))


def test_tensors_of_every_type_come_back_from_workers() -> None:
    values = {
        str(kind): Tensor(np.array([0, 1]), kind)
        for kind in (mindspore.bfloat16, mindspore.float16, mindspore.int8, mindspore.bool_, mindspore.complex64)
    }

    class Typed(Samples):
        def __getitem__(self, i: int) -> Any:
            return values, mindspore.Parameter(Tensor([1.5]), name="w", requires_grad=False)

    ((batch, parameter),) = ours.DataLoader(Typed("int", 1), None, num_workers=1)
    assert {name: str(t.dtype) for name, t in batch.items()} == {name: name for name in values}
    assert batch["BFloat16"].asnumpy().astype(np.float32).tolist() == [0, 1]
    assert isinstance(parameter, mindspore.Parameter) and parameter.name == "w" and not parameter.requires_grad


def test_arrays_of_user_collation_stay_arrays_and_can_be_written() -> None:
    loader = ours.DataLoader(Samples("large", 2), 2, num_workers=1, collate_fn=np.stack)
    (batch,) = loader
    assert type(batch) is np.ndarray and batch.shape == (2, 100, 100)
    batch[:] = 3
    (tensor,) = ours.DataLoader(Samples("large", 2), 2, num_workers=1)
    tensor[0] = 5
    assert float(tensor.sum()) == 5 * 10000 + 10000


def test_other_samplers_and_datasets_of_the_user() -> None:
    class EvenFirst(ours.Sampler):
        def __init__(self, source: Any) -> None:
            self.source = source

        def __iter__(self) -> Any:
            yield from range(0, len(self.source), 2)
            yield from range(1, len(self.source), 2)

        def __len__(self) -> int:
            return len(self.source)

    data = Samples("int", 5)
    loader = ours.DataLoader(data, 2, sampler=EvenFirst(data))
    assert [b.asnumpy().tolist() for b in loader] == [[0, 2], [4, 1], [3]]
    assert len(loader) == 3


BAD: list[dict[str, Any]] = [
    {"num_workers": -1},
    {"timeout": -1},
    {"prefetch_factor": 2},
    {"persistent_workers": True},
    {"num_workers": 2, "prefetch_factor": -1},
    {"sampler": [0], "shuffle": True},
    {"batch_sampler": [[0]], "batch_size": 2},
    {"batch_sampler": [[0]], "shuffle": True},
    {"batch_sampler": [[0]], "drop_last": True},
    {"batch_size": None, "drop_last": True},
    {"batch_size": 0},
    {"batch_size": 1.5},
    {"multiprocessing_context": "fork"},
    {"num_workers": 1, "multiprocessing_context": "no such"},
]


@pytest.mark.parametrize("options", BAD, ids=stable)
def test_wrong_arguments_raise_as_in_pytorch(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        theirs.DataLoader(Samples("int"), **options)
    with pytest.raises(ValueError):
        ours.DataLoader(Samples("int"), **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}], ids=str)
def test_wrong_arguments_for_streams(options: dict[str, Any]) -> None:
    for library in (theirs, ours):
        with pytest.raises(ValueError):
            library.DataLoader(_stream(library), **options)


def test_seeds_of_workers_are_pytorchs() -> None:
    import random

    class Draws(Samples):
        def __getitem__(self, i: int) -> Any:
            return random.random(), np.random.rand(), np.random.randint(1000)

    torch.manual_seed(3)
    manual_seed(3)
    for workers in (2, 3):
        expected = theirs.DataLoader(Draws("int", 6), 2, num_workers=workers)
        found = ours.DataLoader(Draws("int", 6), 2, num_workers=workers)
        assert [common(b) for b in found] == [common(b) for b in expected]


def test_draws_of_the_runtime_differ_between_workers_and_passes() -> None:
    from torch2ms.runtime import _rng

    class Noise(Samples):
        def __getitem__(self, i: int) -> Any:
            return _rng.uniform(1)

    manual_seed(0)
    loader = ours.DataLoader(Noise("int", 8), 2, num_workers=2)
    drawn = [batch.asnumpy().ravel().tolist() for _ in range(2) for batch in loader]
    assert len({n for batch in drawn for n in batch}) == 16
    manual_seed(0)
    assert [batch.asnumpy().ravel().tolist() for batch in ours.DataLoader(Noise("int", 8), 2, num_workers=2)] == drawn[:4]
