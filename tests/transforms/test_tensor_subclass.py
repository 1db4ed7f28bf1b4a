"""Subclasses of Tensor are said, stay where they are, and raise when an instance is made."""
from __future__ import annotations

import pytest

from tests.tools import check_diagnostics, check_noop

DISPATCH = """
import torch
class Loud(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):  # T2M101
        return func(*args)
class Plain(torch.Tensor):  # T2M101
    '''Doc.'''
    kind = 3
class Made(torch.Tensor):  # T2M101
    def __new__(cls, value):
        return super().__new__(cls, value)
def f(x):
    return isinstance(x, Loud), Plain.kind
"""


@pytest.mark.mindspore
def test_instances_raise_and_the_rest_works() -> None:
    text = check_diagnostics(DISPATCH).text
    scope: dict[str, object] = {}
    exec(compile(text, "source.py", "exec", dont_inherit=True), scope)
    assert scope["f"](1) == (False, 3)  # type: ignore[operator]
    assert scope["Plain"].__doc__ == "Doc."
    for name in ("Loud", "Plain", "Made"):
        with pytest.raises(NotImplementedError, match=rf"original: class {name}\(torch.Tensor\)"):
            scope[name]([1.0])  # type: ignore[operator]


def test_lookalikes_stay() -> None:
    check_noop("class Tensor: pass\nclass Mine(Tensor):  # not torch's\n    def __torch_dispatch__(cls): pass\n")
