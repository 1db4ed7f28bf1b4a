"""Sizes that numpy computed: `nn.Linear(np.prod(shape), labels.max() + 1)`, `torch.zeros(counts[0])`."""

from tests.side_by_side import check


def test_layers_take_them() -> None:
    check("""
import numpy as np
import torch
from torch import nn
two, three = np.int64(2), np.prod((3, 1))
x = torch.ones(1, 2, 4, 4)
RESULT = [
    list(nn.Linear(two, three)(torch.ones(1, 2)).shape), list(nn.Conv2d(two, three, np.int32(1))(x).shape),
    list(nn.Embedding(three, two)(torch.tensor([1])).shape), list(nn.BatchNorm2d(two)(x).shape),
    list(nn.GroupNorm(np.int64(1), two)(x).shape), nn.MaxPool2d(two)(x), nn.AvgPool2d((two, two))(x),
    nn.Upsample(scale_factor=two)(x), nn.Dropout(np.float64(0.0))(x), nn.LayerNorm(np.int64(4))(x),
]
""")


def test_creation_takes_them() -> None:
    check("""
import numpy as np
import torch
import torch.nn.functional as F
n = np.int64(2)
RESULT = [
    torch.zeros(n), torch.ones(n), torch.zeros(n, 3), torch.arange(n), torch.arange(0, n), torch.arange(np.float32(2)),
    list(torch.empty(n).shape), list(torch.rand(n).shape), list(torch.randn(n, n).shape), torch.full((n,), 1.0),
    F.interpolate(torch.ones(1, 1, 2), size=np.int64(4)), torch.zeros(torch.tensor(2)),
]
""")
