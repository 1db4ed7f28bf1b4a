"""Transforms made of transforms."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from ._base import Transform, chance


class Compose:
    """Transforms one after the other."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        lines = "".join(f"\n    {transform}" for transform in self.transforms)
        return f"{type(self).__name__}({lines}\n)"


class Lambda:
    """A function as a transform."""

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class RandomApply(Transform):
    """All of the transforms, with a probability."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]], p: float = 0.5) -> None:
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        """Return the image, transformed or not."""
        if self.p < chance():
            return img
        for transform in self.transforms:
            img = transform(img)
        return img


class RandomOrder(Transform):
    """All of the transforms in random order, which Python's `random` draws."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def forward(self, img: Any) -> Any:
        """Return the transformed image."""
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class RandomChoice(Transform):
    """One of the transforms, which Python's `random` draws."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]], p: Sequence[float] | None = None) -> None:
        self.transforms = transforms
        self.p = p

    def forward(self, *args: Any) -> Any:
        """Return the transformed image."""
        return random.choices(self.transforms, weights=self.p)[0](*args)
