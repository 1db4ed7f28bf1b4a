"""Fields of named results become positions; other attributes of these names stay."""
from __future__ import annotations

import pytest

from tests.tools import check_transformed

HEAD = "import torch\ndef f(x: torch.Tensor, k, stats: dict):\n"
AFTER = "import mindspore\nfrom torch2ms.runtime import mint\ndef f(x: mindspore.Tensor, k, stats: dict):\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return torch.max(x, 1).values", "return mint.max(x, 1)[0]"),
        ("return x.sort(descending=True).indices", "return mint.sort(x, descending=True)[1]"),
        ("best = torch.topk(x, k)\n    return best.indices.tolist(), best.values", "best = mint.topk(x, k)\n    return best[1].tolist(), best[0]"),
        ("r = torch.max(x, 0) if k else torch.min(x, 0)\n    return r.values", "r = mint.max(x, 0) if k else mint.min(x, 0)\n    return r[0]"),
        ("return [r.values for r in (torch.max(x, 0), torch.cummax(x, 0))]", "return [r[0] for r in (mint.max(x, 0), mint.cummax(x, 0))]"),
    ],
)
def test_fields(before: str, after: str) -> None:
    check_transformed(f"{HEAD}    {before}\n", f"{AFTER}    {after}\n")


def test_lookalikes_stay() -> None:
    source = "    y = torch.exp(x)\n    return y, stats.values, stats.values(), k.values\n"
    check_transformed(HEAD + source, AFTER + source.replace("torch.exp(x)", "mint.exp(x)"))


def test_an_object_of_unknown_kind() -> None:
    check_transformed(
        "import torch\ndef f(k):\n    return k.max(1).values, k.values\n",
        "from torch2ms.runtime import tensor\ndef f(k):\n    return tensor.max(k, 1)[0], k.values\n",
    )
