from torch2ms.convert import convert_source
from torch2ms.rules.missing import MISSING


def test_what_the_runtime_lacks_is_refused_by_name():
    assert "mint.nn.SyncBatchNorm.convert_sync_batchnorm" in MISSING
    result = convert_source("import torch\ny = torch.nn.SyncBatchNorm.convert_sync_batchnorm(torch.nn.ReLU())\n")
    (said,) = [d for d in result.diagnostics if d.code == "T2M101"]
    assert "torch.nn.SyncBatchNorm.convert_sync_batchnorm has no counterpart in the runtime" in said.message
    assert 'y = unsupported("torch.nn.SyncBatchNorm.convert_sync_batchnorm"' in result.text
