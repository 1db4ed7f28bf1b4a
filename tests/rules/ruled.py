"""Converts one line in which the kinds of a few names are known."""

from __future__ import annotations

import textwrap

from torch2ms.convert import convert_source

_BEFORE = """import functools
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def f(x: torch.Tensor, y: torch.Tensor, i: torch.Tensor, m: nn.Module, n: int, p: nn.Parameter, u, v, *args, **kwargs):
"""


def line(text: str) -> str:
    """The converted text; its diagnostics stand behind it as `# T2M102`."""
    result = convert_source(_BEFORE + textwrap.indent(text, "    ") + "\n")
    body = textwrap.dedent(result.text.split("**kwargs):\n", 1)[1]).strip("\n")
    codes = " ".join(d.code for d in result.diagnostics)
    return f"{body}  # {codes}" if codes else body
