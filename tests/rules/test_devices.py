"""What programs say about devices: places, questions, memory, timing; an index is kept or spoken of."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.side_by_side import check
from tests.tools import check_diagnostics
from torch2ms.convert import convert_source
from torch2ms.rules.device import ROWS
from torch2ms.runtime import device

PROGRAM = (Path(__file__).parents[1] / "programs" / "devices.py").read_text()
CALLS = [api.torch for api in ROWS if (api.mindspore or "").startswith("device.") and "(" in api.torch]


@pytest.mark.filterwarnings("ignore")
def test_a_script_with_the_usual_idioms() -> None:
    result = check(PROGRAM)
    (said,) = [d.message for d in result.diagnostics if d.code == "T2M501"]
    assert said == "the device index of 'args.gpu' is not kept"


@pytest.mark.parametrize("signature", CALLS)
def test_functions_of_the_accelerator_are_those_of_the_runtime(signature: str) -> None:
    name, _, rest = signature.partition("(")
    required = [part for part in rest.rstrip(")").split(", ") if part and part != "*" and "=" not in part]
    for arguments in ("", "device=0") if "device=None" in rest else ("",):
        given = ", ".join([*("0" for _ in required), arguments]).strip(", ")
        text = convert_source(f"import torch\nfound = {name}({given})\n", path="program.py").text
        call = ast.parse(text).body[-1].value  # type: ignore[attr-defined]
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute), text
        assert ast.unparse(call.func.value) == "device" and hasattr(device, call.func.attr), text


def test_an_index_that_is_lost_is_spoken_of() -> None:
    check_diagnostics(
        "import torch\n"
        "def f(x: torch.Tensor, net: torch.nn.Linear, gpu, where: torch.device):\n"
        "    net.cuda(1)  # T2M501\n"
        "    net.cuda(gpu)  # T2M501\n"
        "    net.cuda(0)\n"
        "    net.cuda()\n"
        "    net.cuda(where)\n"
        "    x = x.cuda(1)  # T2M501\n"
        "    y = x.cuda(device=1)  # T2M501\n"
        "    y = x.cuda(non_blocking=True)\n"
        "    y = x.to(1)  # T2M501\n"
        "    y = x.to('cuda:1', torch.float64)  # T2M501\n"
        "    y = x.to('cuda:0')\n"
        "    y = x.to(where)\n"
        "    y = torch.ones(2, device='cuda:1')  # T2M501\n"
        "    y = torch.ones(2, device='cuda')\n"
        "    with torch.cuda.device(1):  # T2M501\n"
        "        return y\n"
        "    with torch.cuda.device(0):\n"
        "        return y\n"
    )


def test_an_index_that_is_kept_is_not() -> None:
    check_diagnostics("import torch\ndef f(rank: int):\n    torch.cuda.set_device(rank)\n    torch.cuda.synchronize(1)\n")
