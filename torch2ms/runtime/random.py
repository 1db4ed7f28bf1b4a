"""Seeds and generators: what `torch.manual_seed`, `torch.Generator` and the rng state functions do.

https://pytorch.org/docs/stable/random.html
"""

from __future__ import annotations

import random as python_random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import mindspore
import numpy as np

from . import _rng
from ._fills import (
    bernoulli_like,
    cauchy_like,
    exponential_like,
    geometric_like,
    log_normal_like,
    normal_like,
    poisson,
    random_like,
    uniform_like,
)
from ._stream import Stream
from .device import Device, default_device

__all__ = [
    "Generator",
    "bernoulli_like",
    "cauchy_like",
    "default_generator",
    "exponential_like",
    "fork_rng",
    "geometric_like",
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "log_normal_like",
    "manual_seed",
    "manual_seed_all",
    "normal_like",
    "poisson",
    "random_like",
    "seed",
    "set_rng_state",
    "set_rng_state_all",
    "uniform_like",
]

# what PyTorch's generators start from when nobody seeds them
_DEFAULT_SEED = 67280421310721


class Generator:
    """A random stream of its own; pass it as `generator=`."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device: Device = default_device(device)
        self._own = Stream(_DEFAULT_SEED)

    @property
    def stream(self) -> Stream:
        """The stream that draws come from."""
        return self._own

    def manual_seed(self, seed: int) -> Generator:
        """Restart from a seed and return the generator."""
        self.stream.seed(int(seed))
        return self

    def initial_seed(self) -> int:
        """Return the seed that the stream started from."""
        return self.stream.initial_seed

    def seed(self) -> int:
        """Restart from a seed that the operating system draws, and return it."""
        drawn = _rng.entropy()
        self.stream.seed(drawn)
        return drawn

    def get_state(self) -> mindspore.Tensor:
        """Return the state, a uint8 tensor of PyTorch's format."""
        return mindspore.Tensor.from_numpy(self.stream.get_state())

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a state that `get_state`, here or in PyTorch, returned."""
        self.stream.set_state(_bytes(new_state))
        return self

    def clone_state(self) -> Generator:
        """Return another generator in the same state."""
        return Generator(self.device).set_state(self.stream.get_state())

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "state": self.stream.get_state()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(saved["device"])  # type: ignore[misc]
        self.stream.set_state(saved["state"])


class _DefaultGenerator(Generator):
    """The process-wide stream as a generator."""

    @property
    def stream(self) -> Stream:
        return _rng.stream()


default_generator: Generator = _DefaultGenerator()


def manual_seed(seed: int) -> Generator:
    """Seed everything that converted code draws from and return the default generator.

    Python's and numpy's own generators are left alone, as in PyTorch.
    """
    seed = int(seed)
    _rng.seed(seed)
    numpy_state, python_state = np.random.get_state(), python_random.getstate()
    mindspore.set_seed(seed % 2**32)
    np.random.set_state(numpy_state)
    python_random.setstate(python_state)
    mindspore.manual_seed(seed % 2**63)
    return default_generator


def manual_seed_all(seed: int) -> None:
    """Seed as `manual_seed`: there is one stream for all devices of the process."""
    manual_seed(seed)


def seed() -> int:
    """Seed from the operating system and return the seed."""
    drawn = _rng.entropy()
    manual_seed(drawn)
    return drawn


def initial_seed() -> int:
    """Return the seed of the process-wide stream."""
    return _rng.initial_seed()


def get_rng_state(device: Any = None) -> mindspore.Tensor:
    """Return the state of the process-wide stream, a uint8 tensor."""
    return mindspore.Tensor.from_numpy(_rng.get_state())


def set_rng_state(new_state: Any, device: Any = None) -> None:
    """Continue the process-wide stream from a saved state, also one that PyTorch's CPU generator saved."""
    _rng.set_state(_bytes(new_state))


def get_rng_state_all() -> list[mindspore.Tensor]:
    """Return the states of the devices: of one stream."""
    return [get_rng_state()]


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Set the states of the devices: the first is that of the stream."""
    for state in list(new_states)[:1]:
        set_rng_state(state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **_options: Any) -> Iterator[None]:
    """Restore the process-wide stream after the block."""
    if not enabled:
        yield
        return
    saved = _rng.get_state()
    try:
        yield
    finally:
        _rng.set_state(saved)


def _bytes(state: Any) -> np.ndarray:
    return np.asarray(state.asnumpy() if isinstance(state, mindspore.Tensor) else state, np.uint8)
