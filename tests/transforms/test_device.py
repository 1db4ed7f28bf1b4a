from __future__ import annotations

import pytest

from tests.tools import check_diagnostics, check_transformed


def check(before: str, after: str, needs: str = "") -> None:
    """Both without the import line."""
    check_transformed("import torch\n" + before, needs + after)


@pytest.mark.parametrize(
    "expression",
    [
        "torch.device('cuda')",
        "torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
        "'cuda' if torch.cuda.is_available() else 'cpu'",
        "torch.device('cuda') if torch.cuda.is_available() else torch.device('cpu')",
        "'cuda' if torch.cuda.is_available() else 'mps' if torch.backends.mps.is_available() else 'cpu'",
    ],
)
def test_a_device_that_is_used(expression: str) -> None:
    check(f"device = {expression}\nprint(device)\n", "device = default_device()\nprint(device)\n", "from torch2ms.runtime import default_device\n")


def test_a_device_that_nothing_reads_any_more() -> None:
    check(
        "device = torch.device('cuda')\nx = torch.zeros(2, device=device)\n",
        "x = mint.zeros(2)\n",
        "from torch2ms.runtime import mint\n",
    )
    check(
        "def f():\n    # where\n    device = torch.device('cuda')\n    return torch.zeros(2).to(device)\n",
        "def f():\n    # where\n    return mint.zeros(2)\n",
        "from torch2ms.runtime import mint\n",
    )


def test_an_ordinary_choice_of_text_stays() -> None:
    check("d = 'cuda' if fast else 'cpu'\nprint(d)\n", "d = 'cuda' if fast else 'cpu'\nprint(d)\n")


def test_statements_that_only_move() -> None:
    check(
        "x, y = torch.zeros(1), torch.ones(1)\nx = x.to('cuda')  # there\nx, y = x.cuda(), y.to('cuda', non_blocking=True)\nx = x.cuda().to('cpu')\n",
        "x, y = mint.zeros(1), mint.ones(1)\n# there\n",
        "from torch2ms.runtime import mint\n",
    )


def test_moves_to_another_name_stay() -> None:
    check("x = torch.zeros(1)\ny = x.cuda()\n", "x = mint.zeros(1)\ny = x\n", "from torch2ms.runtime import mint\n")
    check("x = torch.zeros(1)\nx = x.cuda() + 1\n", "x = mint.zeros(1)\nx = x + 1\n", "from torch2ms.runtime import mint\n")


def test_a_data_type_is_kept() -> None:
    check("x = torch.zeros(1)\nx = x.to('cuda', torch.int64)\n", "x = mint.zeros(1)\nx = x.to(mindspore.int64)\n", "import mindspore\nfrom torch2ms.runtime import mint\n")


def test_conditions_around_nothing_go() -> None:
    check(
        "net = torch.nn.Linear(1, 2)\nif torch.cuda.is_available():\n    # move\n    net.cuda()\nprint(net)\n",
        "net = mint.nn.Linear(1, 2)\n# move\nprint(net)\n",
        "from torch2ms.runtime import mint\n",
    )
    check(
        "net = torch.nn.Linear(1, 2)\nif ask():\n    net.cuda()\nelse:\n    print(net)\n",
        "net = mint.nn.Linear(1, 2)\nif ask():\n    pass\nelse:\n    print(net)\n",
        "from torch2ms.runtime import mint\n",
    )
    check(
        "net = torch.nn.Linear(1, 2)\nif ask():\n    net.cuda()\n",
        "net = mint.nn.Linear(1, 2)\nif ask():\n    pass\n",
        "from torch2ms.runtime import mint\n",
    )


def test_an_index_is_spoken_of() -> None:
    check_diagnostics("import torch\ndevice = torch.device('cuda:1')  # T2M501\nprint(device)\n")
    check_diagnostics("import torch\ndevice = torch.device('cuda:0')\nprint(device)\n")
