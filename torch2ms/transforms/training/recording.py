"""Contexts and decorators that switch recording off."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts

NO_GRAD = ("torch.no_grad", "torch.inference_mode")


def is_no_grad(facts: Facts, expr: ast.expr) -> bool:
    """Whether a context expression or decorator is `torch.no_grad` or `torch.inference_mode`, and not `inference_mode(flag)`."""
    if facts.names.of(expr.func if isinstance(expr, ast.Call) else expr) not in NO_GRAD:
        return False
    given = [*expr.args, *(k.value for k in expr.keywords)] if isinstance(expr, ast.Call) else []
    return all(isinstance(value, ast.Constant) and value.value is True for value in given)
