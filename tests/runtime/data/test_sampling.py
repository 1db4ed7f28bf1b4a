"""Samplers, splits and collation beside PyTorch's."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.data as theirs
from mindspore import Tensor

from tests.ids import stable
from tests.runtime.data.samples import KINDS, Point, Samples, common
from torch2ms.runtime import data as ours
from torch2ms.runtime import manual_seed
from torch2ms.runtime.random import Generator


def generators(seed: int) -> tuple[torch.Generator, Generator]:
    return torch.Generator().manual_seed(seed), Generator().manual_seed(seed)


@pytest.mark.parametrize("lengths", [[7, 3], [10], [3, 3, 4], [0.5, 0.5], [0.3, 0.3, 0.4], [0.33, 0.33, 0.34]], ids=str)
@pytest.mark.parametrize("seed", [0, 42])
def test_random_split(lengths: list[Any], seed: int) -> None:
    first, second = generators(seed)
    expected = theirs.random_split(range(10), lengths, generator=first)
    found = ours.random_split(range(10), lengths, generator=second)
    assert [list(part) for part in found] == [list(part) for part in expected]


def test_random_split_after_manual_seed() -> None:
    torch.manual_seed(9)
    manual_seed(9)
    assert [p.indices for p in ours.random_split(range(9), [4, 5])] == [
        p.indices for p in theirs.random_split(range(9), [4, 5])
    ]


@pytest.mark.parametrize("lengths", [[1, 2], [0.5, 0.6], [1.5, -0.5]], ids=str)
def test_impossible_splits(lengths: list[Any]) -> None:
    for library in (theirs, ours):
        with pytest.raises(ValueError):
            library.random_split(range(10), lengths)


def test_an_empty_split_warns() -> None:
    with pytest.warns(UserWarning, match="index 1"):
        assert len(ours.random_split(range(2), [0.999, 0.001])[1]) == 0


SAMPLERS: list[tuple[str, dict[str, Any]]] = [
    ("SequentialSampler", {}),
    ("RandomSampler", {}),
    ("RandomSampler", {"num_samples": 4}),
    ("RandomSampler", {"num_samples": 30}),
    ("RandomSampler", {"replacement": True}),
    ("RandomSampler", {"replacement": True, "num_samples": 70}),
]


@pytest.mark.parametrize(("name", "options"), SAMPLERS, ids=stable)
@pytest.mark.parametrize("own_generator", [False, True])
def test_orders(name: str, options: dict[str, Any], own_generator: bool) -> None:
    torch.manual_seed(2)
    manual_seed(2)
    first, second = ({}, {})
    if own_generator and name == "RandomSampler":
        first["generator"], second["generator"] = generators(4)
    expected = getattr(theirs, name)(range(13), **options, **first)
    found = getattr(ours, name)(range(13), **options, **second)
    assert len(found) == len(expected)
    for _ in range(3):
        assert list(found) == list(expected)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_weighted_sampler(replacement: bool, count: int) -> None:
    weights = [0.1, 0.9, 0.4, 0.7, 3.0, 0.6]
    first, second = generators(8)
    expected = theirs.WeightedRandomSampler(weights, count, replacement, first)
    found = ours.WeightedRandomSampler(weights, count, replacement, second)
    for _ in range(3):
        assert list(found) == list(expected)


def test_weighted_sampler_takes_tensors_and_avoids_zero_weights() -> None:
    sampler = ours.WeightedRandomSampler(Tensor([0.0, 1.0, 0.0]), 40)
    assert set(sampler) == {1} and len(sampler) == 40


def test_subset_random_sampler() -> None:
    first, second = generators(3)
    expected = theirs.SubsetRandomSampler([5, 6, 7, 8], first)
    assert list(ours.SubsetRandomSampler([5, 6, 7, 8], second)) == list(expected)


@pytest.mark.parametrize("n", [1, 7, 8, 23])
@pytest.mark.parametrize("replicas", [1, 2, 3, 8])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_distributed_sampler(n: int, replicas: int, drop_last: bool, shuffle: bool) -> None:
    for rank in range(replicas):
        options = {"num_replicas": replicas, "rank": rank, "shuffle": shuffle, "drop_last": drop_last, "seed": 5}
        expected = theirs.DistributedSampler(range(n), **options)
        found = ours.DistributedSampler(range(n), **options)
        for epoch in range(2):
            expected.set_epoch(epoch)
            found.set_epoch(epoch)
            assert list(found) == list(expected)
        assert len(found) == len(expected)


def test_distributed_sampler_checks_its_rank() -> None:
    with pytest.raises(ValueError, match="rank"):
        ours.DistributedSampler(range(3), 2, 2)


@pytest.mark.parametrize("drop_last", [False, True])
def test_batch_sampler(drop_last: bool) -> None:
    expected = theirs.BatchSampler(range(10), 3, drop_last)
    found = ours.BatchSampler(range(10), 3, drop_last)
    assert list(found) == list(expected) and len(found) == len(expected)


BAD: list[tuple[str, tuple[Any, ...]]] = [
    ("BatchSampler", (range(3), 0, False)),
    ("BatchSampler", (range(3), True, False)),
    ("BatchSampler", (range(3), 2, 1)),
    ("RandomSampler", (range(3), False, 0)),
    ("RandomSampler", ([],)),
    ("WeightedRandomSampler", ([1.0], 0)),
    ("WeightedRandomSampler", ([1.0], 1, "yes")),
    ("WeightedRandomSampler", ([[1.0]], 1)),
]


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=stable)
def test_wrong_arguments(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError):
        getattr(theirs, name)(*arguments)
    with pytest.raises(ValueError):
        getattr(ours, name)(*arguments)


@pytest.mark.parametrize("kind", KINDS)
def test_collate_and_convert(kind: str) -> None:
    samples = [Samples(kind)[i] for i in range(3)]
    assert common(ours.default_collate(samples)) == common(theirs.default_collate(samples))
    assert common(ours.default_convert(samples[1])) == common(theirs.default_convert(samples[1]))


def test_collate_tensors_and_mixed_numbers() -> None:
    tensors = [np.arange(3.0, dtype=np.float32) + i for i in range(2)]
    assert common(ours.default_collate([Tensor(t) for t in tensors])) == common(
        theirs.default_collate([torch.tensor(t) for t in tensors])
    )
    for batch in ([1, 2.5], [True, 2], [1.5, 2], [2**40, 1]):
        assert common(ours.default_collate(batch)) == common(theirs.default_collate(batch))
    assert common(ours.default_collate([Tensor(1), Tensor(2)])) == common(
        theirs.default_collate([torch.tensor(1), torch.tensor(2)])
    )


@pytest.mark.parametrize("batch", [[None, None], [{1}, {2}], [object()], [np.array(["a"])], [(1, 2), (1,)]], ids=stable)
def test_what_is_not_collated(batch: list[Any]) -> None:
    with pytest.raises((TypeError, RuntimeError)) as expected:
        theirs.default_collate(batch)
    with pytest.raises(expected.type):
        ours.default_collate(batch)


def test_tensors_of_different_shape_are_not_collated() -> None:
    with pytest.raises(RuntimeError, match=r"\[2\] at entry 0 and \[3\] at entry 1"):
        ours.default_collate([Tensor(np.zeros(2)), Tensor(np.zeros(3))])


def test_own_functions_for_collation() -> None:
    def keep(batch: Any, *, collate_fn_map: Any = None) -> Any:
        return ("points", len(batch))

    assert ours.collate([Point(1, "a"), Point(2, "b")], collate_fn_map={Point: keep}) == ("points", 2)


def test_containers_keep_their_types() -> None:
    class Settings(dict):
        pass

    batch = [Settings(a=1), Settings(a=2)]
    assert type(ours.default_collate(batch)) is Settings
    assert list(ours.default_collate([OrderedDict(b=1, a=2)] * 2)) == ["b", "a"]


def test_datasets() -> None:
    x = Tensor(np.arange(12.0).reshape(6, 2))
    dataset = ours.TensorDataset(x, Tensor(np.arange(6)))
    assert [t.asnumpy().tolist() for t in dataset[2]] == [[4.0, 5.0], 2]
    assert dataset[2][1].shape == ()
    assert dataset[1:3][1].asnumpy().tolist() == [1, 2]
    assert dataset[[4, 0]][1].asnumpy().tolist() == [4, 0]
    assert dataset[Tensor([4, 0])][1].asnumpy().tolist() == [4, 0]
    joined = dataset + ours.Subset(dataset, [5, 4])
    assert len(joined) == 8 and int(joined[7][1]) == 4 and int(joined[-1][1]) == 4
    with pytest.raises(ValueError):
        joined[-9]
    with pytest.raises(AssertionError):
        ours.TensorDataset(x, Tensor(np.arange(5)))
    with pytest.raises(AssertionError):
        ours.ConcatDataset([])
    stacked = ours.StackDataset(a=Samples("int", 3), b=Samples("str", 3))
    assert stacked[1] == {"a": 1, "b": "n1"} and len(stacked) == 3
    assert ours.StackDataset(Samples("int", 3), Samples("str", 3))[2] == (2, "n2")
    with pytest.raises(ValueError):
        ours.StackDataset(Samples("int", 3), Samples("str", 2))


def test_a_tensor_dataset_shows_later_changes() -> None:
    x = Tensor(np.zeros((3, 2), np.float32))
    dataset = ours.TensorDataset(x)
    x[1] = 7
    assert dataset[1][0].asnumpy().tolist() == [7, 7]


def test_a_dataset_without_access_says_so() -> None:
    with pytest.raises(NotImplementedError):
        ours.Dataset()[0]
    with pytest.raises(NotImplementedError):
        iter(ours.IterableDataset())
    with pytest.raises(NotImplementedError):
        iter(ours.Sampler())
