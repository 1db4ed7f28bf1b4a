"""Functions of a file that write to an argument inside a gradient: they give the tensor back, and every caller binds it."""

from __future__ import annotations

import textwrap

import pytest

from tests.inplace.judge import Verdict
from tests.inplace.test_minimal import trained, verdict
from tests.tools import convert

pytestmark = pytest.mark.mindspore

EQUAL = {
    "through a view": ("def f(t):\n    t.view(-1).mul_(2)", "v = h.t()\nf(h)"),
    "with a result": ("def f(t, by):\n    t.mul_(by)\n    return t.sum()", "v = f(h, s)"),
    "the view is the result": ("def f(t):\n    r = t[0]\n    r.mul_(2)\n    return r", "v = f(h)"),
    "an alias in the function": ("def f(t):\n    k = t\n    t.mul_(2)\n    return k + 1", "v = f(h)"),
    "several results": ("def f(t):\n    a = t.t()\n    a += 1\n    return a, t", "v, h2 = f(h)\nh = h + h2"),
    "a result that leaves early": (
        "def f(t, s):\n    t.view(-1).add_(s)\n    if t.shape[0] > 1:\n        return None\n    t.mul_(2)",
        "v = h[0]\nf(h, s)",
    ),
    "the value of a write": ("def f(t):\n    return t.add_(1).mul_(3)", "v = f(h)"),
    "an item of a part": (
        "def f(t):\n    t[0] = 1\n\ndef g(t):\n    k = t\n    r = t[0, 1:]\n    f(r)\n    u = t[1]\n    u.mul_(2)\n    return k, u",
        "k, v = g(h)\nh = h + k",
    ),
    "an item at the end": ("def f(t, s):\n    r = t.view(-1)\n    r[1:] = s", "v = h.t()\nf(h, s)"),
    "an item of detach at the end": ("def f(t, s):\n    r = t.detach()\n    r[1:] = s", "v = h.t()\nf(h, s)"),
    "a branch at the end": ("def f(t, s):\n    r = t.t()\n    if s.ndim == 0:\n        r[1:] = s", "v = h.t()\nf(h, s)"),
    "by keyword": ("def f(t):\n    t.t().add_(1)", "v = h.t()\nf(t=h)"),
    "one calls another": (
        "def g(t):\n    return t.mul_(2)\n\ndef f(t):\n    k = t[1:]\n    g(k)\n    return g(t)",
        "v = f(h)",
    ),
    "the result has the argument's name": ("def f(t):\n    r = t[1:]\n    r.mul_(2)\n    return t + 1", "v = h\nh = f(h)"),
    "in a loop": ("def f(t, s):\n    r = t.t()\n    r.mul_(s)\n    return r.sum()", "v = h * 0\nfor _ in range(2):\n    r = f(h, s)\n    v = v + r"),
    "returned as it is": ("def g(t):\n    r = t[0]\n    r.mul_(2)\n    return t\n\ndef f(t):\n    return g(t)", "v = f(h)"),
}
# what would go wrong if the function gave its argument back
NOT_SILENT = {
    "a write through a view in a return": ("def f(t):\n    return t.t().add_(1)", "v = h.t()\nf(h)"),
    "the parameter is bound anew": ("def f(t):\n    t.add_(1)\n    t = t * 2\n    return t", "v = f(h)"),
    "given twice": ("def f(t, u):\n    t.mul_(2)\n    return u.sum()", "v = f(h, h)"),
    "a view of it is given, too": ("def f(t, u):\n    t.mul_(2)\n    return u + 1", "v = f(h, h.view(-1)).sum()"),
    "inside an expression": ("def f(t):\n    t.view(-1).mul_(2)\n    return t", "v = f(h) * 2"),
    "called by another name": ("def f(t):\n    t.view(-1).mul_(2)\n    return t\n\ng = f", "v = f(h)\ng(h)"),
    "the result is written later": ("def f(t):\n    t.view(-1).mul_(2)\n    return t", "v = f(h)\nv.add_(1)"),
    "results of earlier calls": ("def f(t):\n    r = t[0]\n    r.mul_(2)\n    return r", "v = f(h)\nu = f(h)\nv = v + u"),
    "it keeps the tensor": (
        "kept = []\n\ndef f(t):\n    kept.append(t)\n    t.view(-1).mul_(2)",
        "v = h\nf(h)\nv = v + kept[-1]",
    ),
    "a finally writes": (
        "def f(t):\n    try:\n        t.view(-1).mul_(2)\n        return t.sum()\n    finally:\n        t.t().add_(1)",
        "v = f(h)\nv = v + h",
    ),
    "a global holds it": ("G = []\n\ndef f(t):\n    t.view(-1).mul_(2)\n    return G[0] + 1", "G.append(h)\nv = f(h)\nG.clear()"),
    "in a list": ("def f(ts):\n    ts[0].view(-1).mul_(2)", "v = h\nf([h])"),
}


def _text(functions: str, body: str) -> str:
    return trained(body).replace("\nclass Net(", f"\n{functions}\n\nclass Net(")


@pytest.mark.parametrize(("functions", "body"), EQUAL.values(), ids=EQUAL.keys())
def test_the_caller_binds_the_tensor(functions: str, body: str) -> None:
    assert verdict(_text(functions, body)) is Verdict.EQUAL


@pytest.mark.parametrize(("functions", "body"), NOT_SILENT.values(), ids=NOT_SILENT.keys())
def test_never_different(functions: str, body: str) -> None:
    assert verdict(_text(functions, body)) in (Verdict.EQUAL, Verdict.REFUSED)


def test_annotations_tell_what_is_returned() -> None:
    first = "def f(t: torch.Tensor) -> torch.Tensor:\n    t.view(-1).mul_(2)\n    return t.sum()"
    text = _text(f"{first}\n\ndef g(t) -> None:\n    t.t().mul_(2)", "v = f(h)\ng(h)")
    assert verdict(text) is Verdict.EQUAL
    found = convert(text).text
    assert "def f(t: mindspore.Tensor) -> tuple:" in found and "def g(t) -> mindspore.Tensor:" in found


def test_the_emitted_form() -> None:
    source = _text("def f(t):\n    r = t[0]\n    r.mul_(2)\n    return r", "v = f(h)")
    text = convert(source).text
    assert textwrap.dedent("""
        def f(t):
            r = t[0]
            r = r * 2
    """) in text and "v, h = f(h)" in text and "return r, t" in text


CONTAINERS = {
    "a list": "k = [h]\nv = h.t()\nv.mul_(2)\nv = v + k[0].t()",
    "an item": "box = [h, 1]\nv = box[0]\nv.sub_(s)",
    "an item of an item": "box = [[h.t()]]\nv = box[0][0]\nv.sub_(s)",
    "a dictionary": 'box = {"a": h[1:], "b": 2}\nv = box["a"]\nv *= 2',
    "a tuple": "v, n = h, 2\nv.mul_(n)",
    "two names": "v = u = h\nv.mul_(2)\nv = v + u",
    "a part of a split": "v = h.tensor_split(2)[0]\nv.mul_(2)",
    "the item is written": "k = [h]\nk[0].mul_(2)\nv = h",
    "the list grows": "k = [h]\nk.append(h.t())\nv = h\nv.mul_(2)\nv = v + k[1].t()",
    "an item is replaced": "k = [h]\nk[0] = h * 2\nv = h\nv.mul_(2)\nv = v + k[0]",
}


@pytest.mark.parametrize("body", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_containers_are_made_again_or_refused(body: str) -> None:
    assert verdict(trained(body)) in (Verdict.EQUAL, Verdict.REFUSED)


@pytest.mark.parametrize("name", [*CONTAINERS][:7])
def test_containers_in_sight_are_made_again(name: str) -> None:
    assert verdict(trained(CONTAINERS[name])) is Verdict.EQUAL


KEPT = {
    "under no_grad": "v = h.t()\nwith torch.no_grad():\n    h.mul_(2)",
    "through a view under no_grad": "v = h[1:]\nwith torch.no_grad():\n    v += 1",
    "an item under no_grad": "v = h[1:]\nk = [h]\nwith torch.no_grad():\n    v[0] = s\nv = v + k[0][1:]",
    "all of it under no_grad": "v = h.view(-1)\nwith torch.no_grad():\n    v[:] = 2\n    v *= 3",
    "a value under no_grad": "with torch.no_grad():\n    v = h.clamp_(0, 1)",
    "a mask under no_grad": "v = h.t()\nwith torch.no_grad():\n    h[h > 0] = 1",
    "a function under no_grad": "v = h.t()\nwith torch.no_grad():\n    bump(v)",
    "a copy of a number under no_grad": "v = h.t()\nu = h.detach()\nwith torch.no_grad():\n    u.copy_(s)\nv = v + u.t()",
    "detach": "v = h\nu = h.detach()\nu.mul_(2)\nv = v + u",
    "a part of detach": "u = h.detach()[1:]\nu.add_(s)\nv = u * 2",
    "detach of a part": "v = h[0]\nu = v.detach()\nu += s\nh = h + 1",
    "an item of detach": "u = h.detach()\nu[0] = s\nv = u + h",
    "the base of detach": "u = h.detach()\nh.mul_(s)\nv = u + h",
    "twice, once recorded": "k = h.view(-1)\nwith torch.no_grad():\n    h.mul_(2)\nh.mul_(3)\nv = h.t() + k.view(4, 3)",
    "both": "u = h.detach()\nu.add_(s)\nh.mul_(3)\nv = u + h",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_the_graph_is_kept_where_values_change(body: str) -> None:
    assert verdict(trained(body)) is Verdict.EQUAL
