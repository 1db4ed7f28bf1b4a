"""Data types as text keep PyTorch's spelling; the types themselves and other objects stay."""
from __future__ import annotations

import mindspore
import numpy as np
import pytest
import torch

from tests.tools import check_transformed
from torch2ms.runtime import tensor

HEAD = "import torch\nimport numpy as np\ndef f(x: torch.Tensor, d: torch.dtype, u, n):\n"
AFTER = "import mindspore\n{}import numpy as np\ndef f(x: mindspore.Tensor, d: mindspore.Type, u, n):\n"
GUARDED = "from torch2ms.runtime import tensor\n"


@pytest.mark.parametrize(
    ("before", "after", "imports"),
    [
        ("return str(x.dtype), str(d)", 'return "torch." + str(x.dtype).lower(), "torch." + str(d).lower()', ""),
        ("return str(x.dtype).split('.')", "return (\"torch.\" + str(x.dtype).lower()).split('.')", ""),
        ("return f\"{x.dtype} {x.shape}\"", "return f\"{'torch.' + str(x.dtype).lower()} {x.shape}\"", ""),
        ("return str(u.dtype), f'{u.dtype}'", "return tensor.dtype_text(u.dtype), f'{tensor.dtype_text(u.dtype)}'", GUARDED),
        ("return x.dtype, np.ones(2).dtype, str(np.ones(2).dtype), str(n), f'{n}'", None, ""),
    ],
)
def test_text(before: str, after: str | None, imports: str) -> None:
    check_transformed(f"{HEAD}    {before}\n", f"{AFTER.format(imports)}    {after or before}\n")


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "int8", "int64", "uint8", "bool", "complex64"])
def test_spelling(name: str) -> None:
    theirs = getattr(torch, name)
    ours = mindspore.bool_ if name == "bool" else getattr(mindspore, name)
    assert tensor.dtype_text(ours) == "torch." + str(ours).lower() == str(theirs)


def test_other_types_keep_their_text() -> None:
    assert tensor.dtype_text(np.dtype("float32")) == "float32"
