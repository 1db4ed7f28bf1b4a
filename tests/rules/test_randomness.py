"""Programs that draw: the numbers after the same seed, with generators of their own, states and forked streams."""

from __future__ import annotations

import numpy as np
import pytest

from tests.side_by_side import convert, execute, plain
from tests.tools import check_transformed

DRAWS = """\
x.normal_(generator=g)
x.normal_(1.0, 2.0, generator=g)
x.normal_(1.0, 2.0)
x.normal_(std=3.0)
x.uniform_(-1, 1, generator=g)
x.uniform_(to=3, generator=g)
x.uniform_(-1, 1)
x.exponential_(2.0, generator=g)
x.exponential_()
x.bernoulli_(0.3, generator=g)
x.bernoulli_(p=0.3)
x.bernoulli_(torch.full((3, 7), 0.5), generator=g)
x.random_(generator=g)
x.random_(10)
x.random_(2, 10, generator=g)
x.random_(2, to=10, generator=g)
x.geometric_(0.2, generator=g)
x.cauchy_(0, sigma=1, generator=g)
x.log_normal_(0, 1, generator=g)
x.data.normal_(generator=g)
x = torch.empty(3, 7).uniform_(0, 1, generator=g)
x = torch.rand(3, generator=g)
x = torch.rand(3, 4, generator=g, dtype=torch.float64)
x = torch.randn(3, 4, generator=g)
x = torch.randint(0, 5, (3,), generator=g)
x = torch.randint(5, (3,), generator=g)
x = torch.randint(high=5, size=(3,), generator=g)
x = torch.randperm(5, generator=g)
x = torch.normal(0.0, 1.0, size=(3,), generator=g)
x = torch.normal(torch.zeros(3), 1.0, generator=g)
x = torch.normal(torch.zeros(3), torch.ones(3), generator=g)
x = torch.normal(1.0, torch.ones(3), generator=g)
x = torch.multinomial(torch.ones(4), 2, generator=g)
x = torch.multinomial(torch.ones(4), 9, True, generator=g)
x = torch.bernoulli(torch.full((3,), 0.5), generator=g)
x = torch.rand_like(x)
x = torch.randn_like(x)
x = torch.randint_like(x, 3)
torch.nn.init.normal_(x, generator=g)
torch.nn.init.uniform_(x, -1, 2, generator=g)
torch.nn.init.kaiming_uniform_(x, generator=g)
torch.nn.init.xavier_normal_(x, generator=g)
torch.nn.init.trunc_normal_(x, generator=g)
x = torch.nn.functional.dropout(torch.ones(20), 0.4)
x = torch.nn.functional.gumbel_softmax(torch.ones(2, 3))
x = torch.utils.data.random_split(range(10), [7, 3], generator=g)[1].indices
x = list(torch.utils.data.RandomSampler(range(9), generator=g))
x = list(torch.utils.data.WeightedRandomSampler([1.0, 2.0, 3.0], 5, generator=g))
x = list(torch.utils.data.SubsetRandomSampler([4, 5, 6], generator=g))
""".splitlines()
HEAD = """\
import torch
import torch.nn
import torch.utils.data

torch.manual_seed(1)
g = torch.Generator()
g.manual_seed(3)
x = torch.zeros(3, 7)
"""
TAIL = "\nRESULT = [x, torch.rand(2), torch.rand(2, generator=g)]\n"


def same(program: str) -> None:
    expected = plain(execute(program, "before")["RESULT"])
    found = plain(execute(convert(program).text, "after")["RESULT"])
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(other, one, 1e-5, 1e-6)
        assert np.asarray(other).dtype == np.asarray(one).dtype


@pytest.mark.parametrize("line", DRAWS)
def test_draws(line: str) -> None:
    same(HEAD + line + TAIL)


def test_states_and_forked_streams() -> None:
    same(
        HEAD
        + "saved, own = torch.get_rng_state(), g.get_state()\n"
        + "a = [torch.rand(3), torch.rand(3, generator=g)]\n"
        + "with torch.random.fork_rng():\n    torch.manual_seed(9)\n    a.append(torch.randn(3))\n"
        + "with torch.random.fork_rng(enabled=False):\n    a.append(torch.rand(2))\n"
        + "with torch.random.fork_rng(devices=[]):\n    a.append(torch.rand(2))\n"
        + "a.append(torch.rand(3))\n"
        + "torch.set_rng_state(saved)\ng.set_state(own)\n"
        + "a += [torch.rand(3), torch.rand(3, generator=g), torch.initial_seed(), g.initial_seed()]\n"
        + "RESULT = [*a]\n"
    )


def test_fills_in_place_keep_type_and_generator() -> None:
    check_transformed(
        "import torch\ng = torch.Generator()\nx = torch.zeros(3)\nx.normal_(1.0, 2.0, generator=g)\nx.normal_(1.0, 2.0)\n",
        "from torch2ms.runtime import mint, random\n"
        "g = random.Generator()\nx = mint.zeros(3)\nx = random.normal_like(x, 1.0, 2.0, generator=g)\n"
        "x = mint.randn_like(x) * 2.0 + 1.0\n",
    )


@pytest.mark.parametrize(
    "line",
    [
        "torch.set_default_dtype(torch.float32)",
        "torch.set_default_tensor_type(torch.FloatTensor)",
        "torch.set_default_tensor_type('torch.FloatTensor')",
        "torch.set_default_tensor_type(torch.cuda.FloatTensor)",
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')",
    ],
)
def test_the_usual_default_type_is_left_out(line: str) -> None:
    check_transformed(
        f"import torch\n{line}\nx = torch.zeros(3)\n", "from torch2ms.runtime import mint\nx = mint.zeros(3)\n"
    )
