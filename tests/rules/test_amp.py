"""Regions of lower precision keep their arguments, and questions about them their device."""

from __future__ import annotations

import pytest

from torch2ms.convert import convert_source

REGIONS = {
    'torch.autocast("cpu")': 'amp.autocast("cpu")',
    'torch.autocast(device_type="cpu", dtype=torch.bfloat16)': 'amp.autocast(device_type="cpu", dtype=mindspore.bfloat16)',
    'torch.amp.autocast("cpu", enabled=flag)': 'amp.autocast("cpu", enabled=flag)',
    "torch.cpu.amp.autocast()": 'amp.autocast("cpu")',
    "torch.cpu.amp.autocast(flag, torch.float16)": 'amp.autocast("cpu", dtype=mindspore.float16, enabled=flag)',
    'torch.autocast("cuda")': 'amp.autocast("cuda")',
    "torch.autocast(kind)": "amp.autocast(kind)",
    "torch.cuda.amp.autocast()": 'amp.autocast("cuda")',
}
QUESTIONS = {
    "torch.is_autocast_enabled()": "amp.is_autocast_enabled()",
    "torch.is_autocast_enabled(kind)": "amp.is_autocast_enabled(kind)",
    "torch.is_autocast_cpu_enabled()": 'amp.is_autocast_enabled("cpu")',
    "torch.get_autocast_dtype(kind)": "amp.get_autocast_dtype(kind)",
    "torch.get_autocast_cpu_dtype()": 'amp.get_autocast_dtype("cpu")',
    "torch.get_autocast_gpu_dtype()": 'amp.get_autocast_dtype("cuda")',
}


@pytest.mark.parametrize("region", REGIONS)
def test_regions(region: str) -> None:
    source = f"import torch\ndef f(x: torch.Tensor, kind, flag):\n    with {region}:\n        return x @ x\n"
    result = convert_source(source, path="program.py")
    assert f"with {REGIONS[region]}:" in result.text and not result.diagnostics


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions(question: str) -> None:
    result = convert_source(f"import torch\ndef f(kind):\n    return {question}\n", path="program.py")
    assert f"return {QUESTIONS[question]}" in result.text
