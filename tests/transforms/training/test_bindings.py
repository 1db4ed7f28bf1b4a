"""Names that a run of statements surely binds."""

from __future__ import annotations

import ast

import pytest

from torch2ms.transforms.training.bindings import surely_bound

CASES = [
    ("a = 1\nb, (c, *d) = f()", "a b c d"),
    ("if t:\n    a = 1\nelse:\n    a = b = 2", "a"),
    ("if t:\n    a = 1", ""),
    ("if t:\n    a = 1\nelse:\n    raise E", "a"),
    ("for i in x:\n    a = 1", ""),
    ("while True:\n    a = 1", "a"),
    ("while True:\n    break\n    a = 1", ""),
    ("with f() as g:\n    a = 1", "a g"),
    ("try:\n    a = 1\nexcept E:\n    b = 1", ""),
    ("try:\n    a = 1\nexcept E:\n    raise\nfinally:\n    c = 1", "a c"),
    ("def f(): pass\nimport os.path\nfrom m import n as k", "f os k"),
    ("if (n := f()) > 1:\n    pass", "n"),
    ("a.b = 1\na[0] = 2\nc += 1\nd: int\ne: int = 1", "c e"),
    ("match x:\n    case 1:\n        a = 1\n    case _:\n        a = 2", ""),
]


@pytest.mark.parametrize(("source", "names"), CASES)
def test_surely_bound(source: str, names: str) -> None:
    assert surely_bound(ast.parse(source).body) == set(names.split())
