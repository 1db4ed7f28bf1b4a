"""einops of files that use PyTorch comes from the runtime, which tells it what a tensor is."""

import pytest

from torch2ms.convert import convert_source

HEAD = "import torch\nfrom torch import nn\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from einops import rearrange\ny = rearrange(torch.ones(2, 3), 'a b -> b a')\n",
         "from torch2ms.runtime.einops import rearrange\n"),
        ("import einops\ny = einops.repeat(torch.ones(2), 'a -> a b', b=2)\n", "from torch2ms.runtime import einops, mint\n"),
        ("from einops.layers.torch import Rearrange, Reduce as R\nnet = nn.Sequential(Rearrange('a b -> b a'), R('a b -> a', 'max'))\n",
         "from torch2ms.runtime.einops import Rearrange, Reduce as R\n"),
        ("from einops.layers.torch import EinMix\nnet = EinMix('a b -> a c', weight_shape='b c', b=2, c=3)\n",
         "from torch2ms.runtime.einops import EinMix\n"),
    ],
)  # fmt: skip
def test_imports(code, expected):
    result = convert_source(HEAD + code)
    assert expected in result.text
    assert "from einops" not in result.text.replace("runtime.einops", "") and not any("T2M1" in d.code for d in result.diagnostics)


def test_calls_stay_as_they_are():
    line = "y = rearrange(x, 'b (h d) -> b h d', h=2)"
    assert line in convert_source(f"{HEAD}from einops import rearrange\nx = torch.ones(2, 4)\n{line}\n").text


def test_a_file_without_pytorch_is_left_alone():
    code = "import numpy as np\nfrom einops import rearrange\nx = rearrange(np.ones((2, 3)), 'a b -> b a')\n"
    assert convert_source(code).text == code


def test_the_result_is_stable():
    once = convert_source(f"{HEAD}from einops import rearrange\ny = rearrange(torch.ones(2, 3), 'a b -> b a')\n").text
    assert convert_source(once).text == once
