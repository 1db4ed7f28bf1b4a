"""Regions of lower precision: what is said where MindSpore's CPU computes otherwise than PyTorch's."""

from __future__ import annotations

import pytest

from torch2ms.convert import convert_source

ON_THE_CPU = [
    'torch.autocast("cpu")',
    'torch.autocast(device_type="cpu", dtype=torch.bfloat16)',
    'torch.amp.autocast("cpu", enabled=flag)',
    "torch.cpu.amp.autocast()",
]
ELSEWHERE = [
    'torch.autocast("cuda")',
    'torch.autocast(device_type="cpu", enabled=False)',
    "torch.autocast(kind)",
    "torch.cuda.amp.autocast()",
    "torch.cpu.amp.autocast(enabled=False)",
]


def said(region: str) -> list[str]:
    source = f"import torch\ndef f(x: torch.Tensor, kind, flag):\n    with {region}:\n        return x @ x\n"
    result = convert_source(source, path="program.py")
    assert "with amp.autocast(" in result.text
    return [d.code for d in result.diagnostics]


@pytest.mark.parametrize("region", ON_THE_CPU)
def test_regions_of_the_cpu_are_said_to_compute_in_float32(region: str) -> None:
    assert said(region) == ["T2M504"]


@pytest.mark.parametrize("region", ELSEWHERE)
def test_other_regions_are_not(region: str) -> None:
    assert said(region) == []
