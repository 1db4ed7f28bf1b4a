"""Inversions of integers become functions; those of booleans and of other objects stay."""
from __future__ import annotations

from tests.tools import check_transformed

HEAD = "import torch\ndef f(x: torch.Tensor, i: int, other):\n"
AFTER = "import mindspore\nfrom torch2ms.runtime import mint\ndef f(x: mindspore.Tensor, i: int, other):\n"


def test_integers() -> None:
    check_transformed(
        HEAD + "    y = torch.exp(x)\n    return ~x.argmax(1), ~(x > 1), ~i, ~other, ~x\n",
        AFTER + "    y = mint.exp(x)\n    return mint.bitwise_not(x.argmax(1)), ~(x > 1), ~i, ~other, ~x\n",
    )


def test_compiled_code() -> None:
    check_transformed(
        HEAD + "    y = torch.exp(x)\n    return ~(x > 1), ~i, ~other, ~x\n",
        AFTER + "    y = mint.exp(x)\n    return ~(x > 1), ~i, ~other, mint.bitwise_not(x)\n",
        jit=True,
    )
