"""Storages: who shares with whom, what is seen outside, what is written, and what calls do."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.programs import facts, project
from torch2ms.analysis.aliases import Aliases, How, Sharing
from torch2ms.analysis.facts import Facts

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\n"


def function(found: Facts, name: str = "f") -> tuple[ast.FunctionDef, Aliases]:
    """The function of that name and its storages."""
    node = next(n for n in ast.walk(found.tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    return node, found.aliases(node)


def probes(node: ast.AST) -> list[ast.Call]:
    """The calls of `print` in a function."""
    return [
        n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "print"
    ]


def sharing(body: str, head: str = "def f(x: torch.Tensor, y: torch.Tensor, i: int, m, flag):") -> Sharing:
    """How the two arguments of the `print` in the body share storage."""
    lines = "\n    ".join(body.splitlines())
    found = facts(f"{HEAD}{head}\n    {lines}\nf(torch.ones(3), torch.ones(3), 1, [1], True)\n")
    node, aliases = function(found)
    (call,) = probes(node)
    return aliases.sharing(*call.args)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        *[
            (e, Sharing.SURE)
            for e in (
                "x",
                "x.view(3)",
                "x.t()",
                "x.T",
                "x[1:]",
                "x[i]",
                "x[:, 0]",
                "x[None]",
                "x[..., 0]",
                "x.detach()",
                "x.data",
                "+x",
            )
        ],
        *[
            (e, Sharing.SURE)
            for e in (
                "x.transpose(0, 1).view(3)[1:]",
                "x.add_(1)",
                "torch.squeeze(x)",
                "F.relu(x, inplace=True)",
                "nn.Parameter(x)",
            )
        ],
        *[
            (e, Sharing.SURE)
            for e in (
                "torch.add(y, 1, out=x)",
                "x.requires_grad_()",
                "torch.from_numpy(x.numpy())",
                "(z := x)",
                "nn.init.zeros_(x)",
            )
        ],
        *[
            (e, Sharing.MAYBE)
            for e in (
                "x.reshape(3)",
                "x.contiguous()",
                "x.float()",
                "x.to('cpu')",
                "x.flatten()",
                "x[m]",
                "x if flag else y",
                "x or y",
            )
        ],
        *[
            (e, Sharing.MAYBE)
            for e in (
                "[x][0]",
                "{'a': x}['a']",
                "next(iter(x))",
                "F.dropout(x)",
                "nn.Identity()(x)",
                "torch.as_tensor(x)",
                "(x, y)",
                "[x]",
            )
        ],
        *[
            (e, Sharing.MAYBE)
            for e in (
                "[t for t in [x]]",
                "unknown(x)",
                "max(x, y, key=len)",
                "nn.Sequential(nn.Flatten())(x)",
                "x.expand(3) if flag else 3",
            )
        ],
        *[
            (e, Sharing.NO)
            for e in (
                "x + 1",
                "-x",
                "x.clone()",
                "x * 1",
                "x[[0, 1]]",
                "x[x > 0]",
                "torch.cat([x])",
                "torch.relu(x)",
                "x.sum()",
                "x.item()",
            )
        ],
        *[
            (e, Sharing.NO)
            for e in (
                "nn.Linear(3, 3)(x)",
                "torch.tensor(x)",
                "np.array(x)",
                "x.shape",
                "len(x)",
                "x.max(0)",
                "torch.stack([x])",
                "3",
                "x > 0",
            )
        ],
        *[
            (e, Sharing.NO)
            for e in (
                "nn.ReLU()(x)",
                "F.relu(x)",
                "F.relu(x, inplace=False)",
                "torch.zeros_like(x)",
                "x.index_select(0, y)",
                "str(x)",
                "x.device",
            )
        ],
    ],
)
def test_what_an_expression_shares(expr: str, expected: Sharing) -> None:
    assert sharing(f"r = {expr}\nprint(r, x)") is expected


def test_arguments_may_be_the_same_tensor() -> None:
    assert sharing("print(x, y)") is Sharing.UNDECIDED
    assert sharing("y = y.clone()\nprint(x, y)") is Sharing.NO


def test_parts_of_a_split() -> None:
    assert sharing("a, b = x.chunk(2)\nprint(a, x)") is Sharing.SURE
    assert sharing("a, b = x.max(0)\nprint(a, b)") is Sharing.NO
    assert sharing("a, b = x, y.clone()\nprint(a, b)") is Sharing.NO
    assert sharing("a, b = x, x + 1\nprint(a, x)") is Sharing.SURE


def test_an_expression_that_runs_again_makes_another_storage() -> None:
    assert (
        sharing("last = y.clone()\nfor _ in range(3):\n    z = x * 2\n    print(z, last)\n    last = z") is Sharing.NO
    )
    assert sharing("kept = []\nfor _ in range(3):\n    z = x * 2\n    print(z, kept)\n    kept.append(z)") is Sharing.NO
    assert (
        sharing("kept = []\nfor _ in range(3):\n    z = x * 2\n    kept.append(z)\n    print(z, kept)") is Sharing.MAYBE
    )


def test_containers_reach_what_they_hold() -> None:
    assert sharing("box = []\nother = box\nother.append(x)\nprint(box, x)") is Sharing.MAYBE
    assert sharing("box = [y.clone()]\nbox[0] = x\nprint(box, x)") is Sharing.MAYBE
    assert sharing("box = [x.clone()]\nprint(box, x)") is Sharing.NO
    assert sharing("d = dict(a=x)\nprint(list(d.values())[0], x)") is Sharing.MAYBE


def test_rows_of_a_loop() -> None:
    assert sharing("for row, other in zip(x, y.clone()):\n    print(row, x)") is Sharing.SURE
    assert sharing("for row, other in zip(x, y.clone()):\n    print(row, other)") is Sharing.NO
    assert sharing("for k, row in enumerate([x]):\n    print(row, x)") is Sharing.MAYBE


def test_augmented_assignment_keeps_the_tensor() -> None:
    assert sharing("z = x\nz += 1\nprint(z, x)") is Sharing.SURE
    assert sharing("z = x\nz = z + 1\nprint(z, x)") is Sharing.NO
    assert sharing("n = 0\nn += x\nprint(n, x)") is Sharing.NO
    assert sharing("n = 0 if flag else x\nn += 1\nprint(n, x)") is Sharing.MAYBE


def outside(body: str) -> Sharing:
    """Whether the argument of the `print` in the body can be seen outside the function."""
    lines = "\n    ".join(body.splitlines())
    found = facts(f"{HEAD}KEEP = []\ndef f(self, x: torch.Tensor, store):\n    {lines}\n")
    node, aliases = function(found)
    return aliases.seen_outside(probes(node)[-1].args[0])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("print(x)", Sharing.SURE),
        ("y = x[1:]\nprint(y)", Sharing.SURE),
        ("y = x + 1\nprint(y)", Sharing.NO),
        ("y = x + 1\nself.y = y\nprint(y)", Sharing.SURE),
        ("print(self.y)", Sharing.SURE),
        ("y = x + 1\nKEEP.append(y)\nprint(y)", Sharing.SURE),
        ("y = x + 1\nstore[0] = y\nprint(y)", Sharing.SURE),
        ("y = x + 1\nunknown(y)\nprint(y)", Sharing.SURE),
        ("y = x + 1\nbox = [y]\nprint(y)", Sharing.NO),
        ("y = x + 1\nh = lambda: y\nprint(y)", Sharing.SURE),
        ("y = x + 1\ndef g():\n    return y\nprint(y)", Sharing.SURE),
        ("y = x + 1\nz = torch.relu(y)\nprint(z)", Sharing.NO),
        ("global G\ny = x + 1\nG = y\nprint(y)", Sharing.SURE),
        ("y = x.reshape(3)\nprint(y)", Sharing.MAYBE),
        ("y = [x + 1]\nprint(y)", Sharing.NO),
    ],
)
def test_what_is_seen_outside(body: str, expected: Sharing) -> None:
    assert outside(body) is expected


def test_holders_are_the_names_that_see_a_write() -> None:
    found = facts(
        HEAD
        + """
def f(x: torch.Tensor, n: int):
    h = x * 2
    heads = h.view(-1, 2)
    first = h[:, :2]
    other = h + 1
    box = [first]
    h.mul_(2)
f(torch.ones(3), 2)
"""
    )
    _, aliases = function(found)
    (write,) = aliases.writes
    assert aliases.holders(write.target) == {
        "h": Sharing.SURE,
        "heads": Sharing.SURE,
        "first": Sharing.SURE,
        "box": Sharing.MAYBE,
    }
    assert aliases.is_private(write.target)


def test_every_form_of_write_is_found() -> None:
    found = facts(
        HEAD
        + """
def bump(t: torch.Tensor):
    t.add_(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act, self.plain = nn.ReLU(inplace=True), nn.ReLU()
    def f(self, x: torch.Tensor, p: nn.Parameter, n: int, xs: list[int], u):
        x.add_(1)
        x.t().mul_(2).sub_(1)
        nn.init.zeros_(p)
        torch.relu_(x)
        x += 1
        n += 1
        x[0] = 1
        x[0] += 1
        xs[0] = 1
        torch.add(x, 1, out=x)
        torch.max(x, 0, out=(x, x))
        F.relu(x, inplace=True)
        F.relu(x, inplace=False)
        self.act(x)
        self.plain(x)
        p.data = x
        p.data += 1
        p.grad = None
        bump(x)
        u.add_(1)
        u.add(1)
        u.requires_grad_()
        x.add(1)
"""
    )
    _, aliases = function(found)
    rows = [(w.how, ast.unparse(w.target), w.certain) for w in aliases.writes]
    assert rows == [
        (How.METHOD, "x", True),
        (How.METHOD, "x.t().mul_(2)", True),
        (How.METHOD, "x.t()", True),
        (How.FUNCTION, "p", True),
        (How.FUNCTION, "x", True),
        (How.AUGMENTED, "x", True),
        (How.ITEM, "x", True),
        (How.ITEM, "x", True),
        (How.OUT, "x", True),
        (How.OUT, "x", True),
        (How.OUT, "x", True),
        (How.INPLACE, "x", True),
        (How.INPLACE, "x", True),
        (How.DATA, "p", True),
        (How.DATA, "p", True),
        (How.GRADIENT, "p", True),
        (How.CALL, "x", True),
        (How.METHOD, "u", True),
    ]


def effects(source: str, name: str) -> tuple[set[str], set[str], set[str], bool]:
    """(writes, shares, keeps, outside) of a function."""
    found = facts(HEAD + source)
    result = found.call_effects(name)
    assert result is not None
    return set(result.writes), set(result.shares), set(result.keeps), result.outside


def test_effects_of_functions() -> None:
    source = """
def bump(t: torch.Tensor, by: float):
    t.add_(by)
def through(a: torch.Tensor, b: torch.Tensor):
    c = a[1:]
    bump(c, 1.0)
    return b.t()
def fresh(a: torch.Tensor):
    a = a.clone()
    a += 1
    return a
def store(box, t: torch.Tensor):
    box.append(t)
def ping(t: torch.Tensor, n: int):
    return pong(t, n)
def pong(t: torch.Tensor, n: int):
    return ping(t, n - 1) if n else t
KEPT = torch.ones(3)
def kept():
    return KEPT
through(KEPT, KEPT); ping(KEPT, 3); store([], KEPT); fresh(KEPT); bump(KEPT, 2.0)
"""
    assert effects(source, "bump") == ({"t"}, set(), set(), False)
    assert effects(source, "through") == ({"a"}, {"b"}, set(), False)
    assert effects(source, "fresh") == (set(), set(), set(), False)
    assert "t" in effects(source, "store")[2]
    assert "t" in effects(source, "ping")[1]
    assert effects(source, "kept") == (set(), set(), set(), True)


def test_effects_of_methods() -> None:
    source = """
class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("bank", torch.zeros(3))
    def push(self, keys: torch.Tensor):
        self.bank[0] = keys
    def get(self):
        return self.bank
    def forward(self, x: torch.Tensor):
        return x * self.bank
"""
    assert effects(source, "Bank.push") == ({"self"}, set(), set(), False)
    assert effects(source, "Bank.get") == (set(), {"self"}, set(), False)
    assert effects(source, "Bank.forward") == (set(), set(), set(), False)


def test_effects_across_files() -> None:
    files = project(
        {
            "ops.py": "import torch\ndef bump(t: torch.Tensor):\n    t.add_(1)\ndef plain(t: torch.Tensor):\n    return t * 2\n",
            "deep.py": "from ops import bump\ndef outer(u, v):\n    bump(u[0])\n    return v\n",
            "main.py": "import torch\nfrom deep import outer\nfrom ops import plain\n"
            "def f(x: torch.Tensor, y: torch.Tensor):\n    outer([x], y)\n    plain(y)\n    return x\nf(torch.ones(3), torch.ones(3))\n",
        }
    )
    found = files["main.py"]
    _, aliases = function(found)
    assert [(w.how, ast.unparse(w.target), w.parameter) for w in aliases.writes] == [(How.CALL, "[x]", "u")]
    assert aliases.effects.writes == {"x"}
    outer = found.project.functions["deep.outer"].effects
    assert outer is not None and outer.writes == {"u"} and "v" in outer.shares
    plain = found.project.functions["ops.plain"].effects
    assert plain is not None and not plain.writes


def test_flow_of_states_through_branches_and_handlers() -> None:
    assert sharing("z = y.clone()\nif flag:\n    z = x\nprint(z, x)") is Sharing.MAYBE
    assert (
        sharing("z = y.clone()\ntry:\n    z = x\n    z = x + 1\nexcept ValueError:\n    print(z, x)") is Sharing.MAYBE
    )
    assert sharing("z = x\nz = x + 1\nprint(z, x)") is Sharing.NO


def test_attributes_follow_the_path() -> None:
    body = "self.a = x\nself.b = x + 1\nprint(self.a, x)"
    found = facts(f"{HEAD}class C:\n    def f(self, x: torch.Tensor):\n        " + "\n        ".join(body.splitlines()))
    node, aliases = function(found)
    assert aliases.sharing(*probes(node)[0].args) is Sharing.SURE
    found = facts(
        f"{HEAD}class C:\n    def f(self, x: torch.Tensor):\n        self.b = x + 1\n        self.g()\n        print(self.b, x)\n    def g(self): self.b = 3"
    )
    node, aliases = function(found)
    assert aliases.sharing(*probes(node)[0].args) is Sharing.UNDECIDED


def derived(body: str) -> tuple[str, str] | None:
    """(base, view) of the argument of the last `print` in the body."""
    lines = "\n    ".join(body.splitlines())
    found = facts(
        f"{HEAD}def f(x: torch.Tensor, y: torch.Tensor, i: int, mask):\n    {lines}\nf(torch.ones(3), torch.ones(3), 1, torch.ones(3) > 0)\n"
    )
    node, aliases = function(found)
    name = probes(node)[-1].args[0]
    assert isinstance(name, ast.Name)
    made = aliases.derivation(name)
    return (made.base, ast.unparse(made.view)) if made is not None else None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("v = x[0]\nprint(v)", ("x", "x[0]")),
        ("v = x.view(-1, 2)[:, i].t()\nprint(v)", ("x", "x.view(-1, 2)[:, i].t()")),
        ("v = x.T\ny = y + 1\nprint(v)", ("x", "x.T")),
        ("v = x.detach()\nfor _ in y:\n    v[0] = 1\nprint(v)", ("x", "x.detach()")),
        ("v = x[0]\nx = y\nprint(v)", None),
        ("v = x[i]\ni += 1\nprint(v)", None),
        ("v = x[0]\nif i:\n    x = y\nprint(v)", None),
        ("v = x[0]\nif i:\n    v = y[0]\nprint(v)", None),
        ("v = x.reshape(3)\nprint(v)", None),
        ("v = x[mask]\nprint(v)", None),
        ("v = x + 1\nprint(v)", None),
        ("v = x\nprint(v)", ("x", "x")),
        ("for _ in y:\n    v = x[0]\n    print(v)\n    x = x + 1", ("x", "x[0]")),
        ("v = None\nfor _ in y:\n    print(v)\n    v = x[0]\n    x = x + 1", None),
        ("v, w = x[0], x[1]\nprint(v)", None),
        ("print(x)", None),
    ],
)
def test_how_a_name_was_derived(body: str, expected: tuple[str, str] | None) -> None:
    assert derived(body) == expected
