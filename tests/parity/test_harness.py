"""The parity suite itself: what it calls a difference, whom it blames, what it writes as source text."""

from __future__ import annotations

import json
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from tests.parity import choice, compare, pool, table
from tests.parity.calls import Case, Subject, subjects
from tests.parity.judge import Class, judge
from tests.parity.program import pairs
from tests.parity.rows import Row
from tests.parity.spelling import Speller, Unspelled


def _judged(call: str, *tensors: torch.Tensor, change: Any = None, jit: bool = False) -> tuple[Class, str]:
    (pair,) = pairs([Case(call, list(tensors))])
    if change is not None:
        pair.ours["call"] = change
    verdict = judge(pair, jit=jit)
    assert verdict is not None
    return verdict.kind, verdict.reason


X = torch.tensor([[1.0, -2.0], [3.0, 0.5]])


def test_equal() -> None:
    assert _judged("return torch.softmax(t0, 1)", X)[0] is Class.EQUAL
    assert _judged("return torch.softmax(t0, 1)", X, jit=True)[0] is Class.EQUAL


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda x: x * 2.001, "got"),
        (lambda x: (x * 2).astype(mindspore.float64), "dtype"),
        (lambda x: (x * 2)[None], "shape"),
        (lambda x: mindspore.ops.stop_gradient(x) + x, "gradient 0"),
        (lambda x: (x * 2, x), "results"),
        (lambda x: float(x.sum()), "tensor, got float"),
    ],
)
def test_whatever_differs_is_seen(change: Any, reason: str) -> None:
    kind, text = _judged("return t0 * 2", X, change=change)
    assert kind is Class.DIFFERENT and reason in text


def test_a_changed_argument_is_a_difference() -> None:
    def change(x: Tensor) -> Tensor:
        y = x * 2
        x[0] = 7
        return y

    kind, text = _judged("return t0 * 2", X, change=change)
    assert kind is Class.DIFFERENT and text.startswith("arguments after the call")


def test_refusals_and_errors() -> None:
    kind, text = _judged("return torch.as_strided(t0, (2,), (1,))", X)
    assert kind is Class.REFUSED and text.startswith("T2M101")
    assert _judged("return t0 * 2", X, change=lambda x: x.no_such_method())[0] is Class.ERROR


def test_what_pytorch_refuses_does_not_count() -> None:
    (pair,) = pairs([Case("return t0.view(3)", [X])])
    assert judge(pair) is None


def test_a_refusal_concerns_its_own_case() -> None:
    calls = ["return t0 + 1", "return torch.as_strided(t0, (2,), (1,))", "return t0 + 2"]
    assert [bool(pair.refusal) for pair in pairs([Case(call, [X]) for call in calls])] == [False, True, False]


def test_random_results_are_compared_in_kind_and_shape() -> None:
    assert _judged("return torch.randn_like(t0)", X)[0] is Class.EQUAL
    assert _judged("return torch.randn(2, 2)", change=lambda: mindspore.ops.ones((2, 3)))[0] is Class.DIFFERENT


def test_any_of_equal_elements_is_right() -> None:
    x = torch.tensor([[2, 1, 2]])
    assert str(choice.adopted(x, torch.tensor([2]), Tensor([0]))) == str(Tensor([2]))
    assert str(choice.adopted(x, torch.tensor([2]), Tensor([1]))) == str(Tensor([1]))


def test_source_text() -> None:
    speller = Speller()
    text = speller.arguments((X, [X, 1], (2,), float("inf"), torch.float64), {"dim": slice(1, None), "m": None})
    assert text == 't0, [t0, 1], (2,), float("inf"), torch.float64, dim=slice(1, None, None), m=None'
    with pytest.raises(Unspelled):
        speller.value(lambda: 0)


def test_python_values() -> None:
    assert compare.difference(torch.Size([2]), (2,)) == ""
    assert compare.difference(True, Tensor(True)) and compare.difference(1, 1.0)
    assert compare.difference(torch.float32, mindspore.float32) == ""


def test_every_entry_has_its_forms() -> None:
    forms = {s.form for s in subjects() if s.entry == "add"}
    assert forms == {"function", "method", "operator", "in-place"}
    assert len({s.entry for s in subjects()}) > 700


def test_the_table() -> None:
    good, bad = (
        Row("add", "function", "torch.add", "float32", equal=3),
        Row("abs", "method", "torch.Tensor.abs", "bool"),
    )
    bad.different = 1
    bad.note("different", "1, got 2", "return t0.abs()")
    assert table.faults([good]) == []
    assert table.faults([good, bad]) == ["different: abs | method | bool: 1, got 2 <- return t0.abs()"]
    assert table.text([good, bad]).splitlines()[2].split("\t")[:6] == [
        "add",
        "function",
        "torch.add",
        "float32",
        "3",
        "3",
    ]
    assert Row.from_json(json.loads(json.dumps(bad.to_json()))) == bad


def test_a_crash_is_attributed_and_the_rest_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that dies in its first case is replaced, and the case counts as an error."""
    process = pool._Process()
    answers = iter(
        [
            {"at": 0},
            "the process died with code -11",
            {"at": 1},
            {"row": Row("a", "function", "torch.a", "bool", equal=1).to_json()},
        ]
    )
    monkeypatch.setattr(process, "_answer", lambda popen: next(answers))
    row = process.row(pool.Job(Subject("a", "function", "torch.a", None), "bool", None, False))
    process.stop()
    assert (row.error, row.equal) == (1, 1) and row.reasons["error"] == ["the process died with code -11"]


def test_tolerances_are_tight() -> None:
    theirs = torch.tensor([1.0, 1000.0])
    assert compare.difference(theirs, Tensor(np.array([1.0, 1000.05], np.float32))) == ""
    assert compare.difference(theirs, Tensor(np.array([1.0, 1000.5], np.float32)))
    assert compare.difference(torch.tensor([3]), Tensor([4]))
