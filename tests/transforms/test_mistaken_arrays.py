"""A parameter that is seen to take arrays alone, but has a method that only tensors have: a list of callables hid the rest."""

from __future__ import annotations

import pytest

from tests.side_by_side import check

PROGRAM = """
import numpy as np
import torch


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


class ToTensor:
    def __call__(self, array):
        return torch.from_numpy(array).float()


class Normalize:
    def __init__(self, mean):
        self.mean = torch.as_tensor(mean)

    def __call__(self, t):
        return t.clone().sub_(self.mean).div_(2)


class Images:
    def __init__(self, transform):
        self.x = np.zeros((6, 4))
        self.transform = transform

    def __getitem__(self, i):
        return self.transform(self.x[i])


RESULT = Images(Compose([ToTensor(), Normalize(0.5)]))[0]
"""


@pytest.mark.mindspore
def test_the_name_of_the_method_decides() -> None:
    assert "(mint.clone(t) - self.mean) / 2" in check(PROGRAM).text
