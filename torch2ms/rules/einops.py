"""einops: the functions where tensors are MindSpore's, and the layers for PyTorch."""
from __future__ import annotations

from torch2ms.rules.api import Api

_FUNCTIONS = ("rearrange", "reduce", "repeat", "einsum", "pack", "unpack", "parse_shape", "asnumpy", "EinopsError")
ROWS = (
    *(Api(f"einops.{name}", f"einops.{name}") for name in _FUNCTIONS),
    *(Api(f"einops.layers.torch.{name}", f"einops.{name}") for name in ("Rearrange", "Reduce", "EinMix")),
)
