import pytest

from torch2ms.convert import convert_source
from torch2ms.rules.missing import MISSING


@pytest.mark.skipif("mint.take_along_dim" not in MISSING, reason="the runtime has it by now")
def test_what_the_runtime_lacks_is_refused_by_name():
    result = convert_source("import torch\nx = torch.zeros(2, 2)\ny = torch.take_along_dim(x, x, 1)\n")
    (said,) = [d for d in result.diagnostics if d.code == "T2M101"]
    assert "torch.take_along_dim has no counterpart in the runtime" in said.message
    assert 'y = unsupported("torch.take_along_dim"' in result.text
