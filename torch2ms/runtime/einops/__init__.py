"""einops on MindSpore: its functions, and its layers as Cells. Importing this tells einops what a MindSpore tensor is.

https://einops.rocks
"""

from __future__ import annotations

from einops import EinopsError, asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack

from ._backend import MindSporeBackend
from ._layers import EinMix, Rearrange, Reduce

__all__ = [
    "EinMix",
    "EinopsError",
    "MindSporeBackend",
    "Rearrange",
    "Reduce",
    "asnumpy",
    "einsum",
    "pack",
    "parse_shape",
    "rearrange",
    "reduce",
    "repeat",
    "unpack",
]
