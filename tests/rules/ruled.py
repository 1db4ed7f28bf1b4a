"""Converts one line in which the kinds of a few names are known."""

from __future__ import annotations

import ast
import textwrap

from torch2ms.analysis.facts import facts_for
from torch2ms.convert import convert_source
from torch2ms.resolve import site_of
from torch2ms.rules import Outcome, apply
from torch2ms.source import SourceFile

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


def ruled(text: str) -> Outcome:
    """What the rules alone say to a call, where no transform has claimed it."""
    source = _BEFORE + f"    {text}\n"
    tree = ast.parse(source)
    facts = facts_for(SourceFile("<string>", source), tree)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    call = next(node for node in ast.walk(function.body[-1]) if isinstance(node, ast.Call))
    site = site_of(facts, call)
    assert site is not None
    return apply(site)
