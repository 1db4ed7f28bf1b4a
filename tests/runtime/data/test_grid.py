"""The loader over the whole grid of its arguments: the batches, the order and the errors of PyTorch's."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
import torch.utils.data as theirs

from tests.runtime.data.samples import Samples, common
from torch2ms.runtime import data as ours
from torch2ms.runtime import manual_seed
from torch2ms.runtime.random import Generator

AXES: dict[str, list[Any]] = {
    "batch_size": [None, 1, 4, 20],
    "shuffle": [None, False, True],
    "drop_last": [False, True],
    "sampler": [None, "list", "weighted", "subset"],
    "collate_fn": [None, list],
    "generator": [None, 5],
}
IN_PROCESS = [dict(zip(AXES, values)) for values in itertools.product(*AXES.values())]
WITH_WORKERS = [options for options in IN_PROCESS[3::17] if options["batch_size"] != 1]


def _sampler(kind: str | None, library: Any, generator: Any) -> Any:
    match kind:
        case "list":
            return [4, 0, 10, 3]
        case "weighted":
            return library.WeightedRandomSampler([1.0, 2.0] * 5, 7, generator=generator)
        case "subset":
            return library.SubsetRandomSampler([5, 2, 9], generator=generator)
    return None


def _outcome(library: Any, options: dict[str, Any], generators: Any, more: dict[str, Any]) -> Any:
    seed = options["generator"]
    generator = None if seed is None else generators().manual_seed(seed)
    sampler = _sampler(options["sampler"], library, generator)
    given = {**options, "generator": generator, "sampler": sampler, **more}
    try:
        loader = library.DataLoader(Samples("dict"), **given)
        return len(loader), [[common(batch) for batch in loader] for _ in range(2)]
    except (ValueError, TypeError) as error:
        return type(error)


def _compare(options: dict[str, Any], **more: Any) -> None:
    torch.manual_seed(7)
    manual_seed(7)
    expected = _outcome(theirs, options, torch.Generator, more)
    assert _outcome(ours, options, Generator, more) == expected, options


@pytest.mark.parametrize("batch_size", AXES["batch_size"])
def test_in_this_process(batch_size: int | None) -> None:
    for options in IN_PROCESS:
        if options["batch_size"] == batch_size:
            _compare(options)


@pytest.mark.parametrize("options", WITH_WORKERS, ids=lambda options: "-".join(map(str, options.values())))
def test_with_workers(options: dict[str, Any]) -> None:
    _compare(options, num_workers=2, prefetch_factor=1, persistent_workers=options["drop_last"])
