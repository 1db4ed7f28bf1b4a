"""Regions of lower precision, which MindSpore computes in float32 on the CPU."""
from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.rules.api import Api, compile_api
from torch2ms.rules.rows import bind_call, by_row
from torch2ms.rules.site import Outcome, Site
from torch2ms.rules.special import rewrite

_ANY = "(device_type, dtype=None, enabled=True, cache_enabled=None)"
_ROWS = {
    "torch.autocast": Api(f"torch.autocast{_ANY}", "amp.autocast(device_type, dtype, enabled, cache_enabled)"),
    "torch.amp.autocast": Api(f"torch.amp.autocast{_ANY}", "amp.autocast(device_type, dtype, enabled, cache_enabled)"),
    "torch.cpu.amp.autocast": Api(
        "torch.cpu.amp.autocast(enabled=True, dtype=torch.bfloat16, cache_enabled=True)",
        "amp.autocast('cpu', dtype=dtype, enabled=enabled)",
    ),
}


@rewrite(*_ROWS)
def autocast(site: Site) -> Outcome:
    """Says where PyTorch computes in lower precision on the CPU too: by default only its accelerator regions do."""
    row = _ROWS[site.name]
    found = by_row(site, row)
    if site.call is None:
        return found
    bound = bind_call(site, compile_api(row))
    enabled, kind = bound.value("enabled"), None
    if site.name != "torch.cpu.amp.autocast":
        kind = bound.value("device_type")
    on_the_cpu = kind is None or isinstance(kind, ast.Constant) and kind.value == "cpu"
    if not on_the_cpu or isinstance(enabled, ast.Constant) and not enabled.value:
        return found
    said = site.said(
        "T2M504", "this region has a lower precision on PyTorch's CPU; on MindSpore's CPU it computes in float32",
        "results are more exact and keep the type float32; cast by hand where the lower type itself is wanted",
    )
    return replace(found, diagnostics=(*found.diagnostics, said))
