from torch2ms.convert import convert_source
from torch2ms.rules.missing import MISSING


def test_what_the_runtime_lacks_is_refused_by_name():
    assert "distributions.VonMises" in MISSING
    result = convert_source("import torch\nx = torch.zeros(2, 2)\ny = torch.distributions.VonMises(x, x)\n")
    (said,) = [d for d in result.diagnostics if d.code == "T2M101"]
    assert "torch.distributions.VonMises has no counterpart in the runtime" in said.message
    assert 'y = unsupported("torch.distributions.VonMises"' in result.text
