"""Random programs run under PyTorch: what shares storage there must be known to the alias analysis, and what is written too."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.analysis.programs import facts
from torch2ms.analysis.aliases import Sharing

torch = pytest.importorskip("torch", reason="PyTorch says which tensors share storage")

PRELUDE = """
import torch
from torch import nn
KEPT = torch.zeros(4, 6)
class Holder:
    pass
class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(4, 6))
    def forward(self, t: torch.Tensor):
        self.seen += 1
        return t.t()
class Keeper(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None
    def forward(self, t: torch.Tensor):
        self.last = t
        return t + 1
    def get(self):
        return self.last
def same(t: torch.Tensor): return t
def half(t: torch.Tensor): return t[1:]
def fresh(t: torch.Tensor): return t + 1
def either(t: torch.Tensor, u: torch.Tensor): return t if t.sum() > u.sum() else u
def pair(t: torch.Tensor): return t, t * 2
def bump(t: torch.Tensor): t.add_(1)
def bump_rows(ts):
    for t in ts:
        t += 1
def keep_in(box, t: torch.Tensor): box.append(t)
def wrap(t: torch.Tensor): return [t]
"""
CALLS = "\nif __name__ == 'main':\n    f(torch.zeros(4, 6), torch.ones(4, 6), True)\n"
_EXPRESSIONS = """
{a}.t() | {a}.transpose(0, 1) | {a}[1:] | {a}[:, :2] | {a}.reshape(-1, 2) | {a}.view(-1, 2) | {a}.detach() | {a}.clone() | {a} * 2 | {a} + {b}
{a}.contiguous() | {a}.float() | {a}.to(torch.float32) | {a}.double().float() | {a}.narrow(0, 0, 1) | {a}.chunk(2)[0] | {a}.unsqueeze(0).squeeze(0)
{a}[[0, 1]] | {a}[{a}[:, 0] > 0] | {a}[None][0] | {a}[0:1] | {a}.expand(1, *{a}.shape)[0] | {a}.data | {a} | ({a} if flag else {b}) | -{a} | {a}.flatten().view(-1, 1)
same({a}) | half({a}) | fresh({a}) | either({a}, {b}) | pair({a})[0] | wrap({a})[0] | [{a}, {b}][0] | {{"k": {a}}}["k"] | next(iter([{a}])) | max([{a}, {b}], key=len)
torch.cat([{a}]) | torch.stack([{a}])[0] | torch.einsum("ij->ji", {a}) | torch.relu({a}) | torch.nn.functional.dropout({a}, training=False) | nn.Identity()({a})
shift({a}) | keeper({a}) | nn.Flatten(0)({a}).view(-1, 2) | list(reversed([{a}, {b}]))[0] | sorted([{a}], key=len)[0] | [{a}, {b}][1:][0] | (lambda t: t)({a})
torch.as_tensor({a}) | [t for t in [{a}, {b}]][0] | torch.nn.Parameter({a}).data | KEPT | holder.t | torch.where({a} > 0, {a}, {a})
{a}.index_select(0, torch.tensor([0])) | {a}.unbind(0)[0].view(1, -1) | {a}.diagonal().view(1, -1) | {a}.T | {a}.mT | (({a})) | (0 or {a}) | {a}.requires_grad_(False)
"""
EXPRESSIONS = [e.strip() for line in _EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]
WRITES = [
    "{a}.add_(1)",
    "{a} += 1",
    "{a}[0] = 3",
    "{a}.t().mul_(2)",
    "{a}[0] += 1",
    "bump({a})",
    "bump_rows([{a}, {b}])",
    "torch.add({a}, 1, out={a})",
    "nn.init.constant_({a}, 2.0)",
    "torch.nn.functional.relu({a}, inplace=True)",
    "relu({a})",
    "{a}.data.add_(1)",
    "{a}.copy_({a} * 3)",
    "for row in {a}: row += 1",
    "for row, other in zip({a}, {b}): row.sub_(1)",
]
STORES = [
    "box.append({a})",
    "holder.t = {a}",
    "keep_in(box, {a})",
    "box[0] = {a}",
    "keeper({a})",
    "more = [{a}, {b}]",
    "box.extend([{a}])",
]
SPLITS = [
    "{x}, {y} = {a}.chunk(2)",
    "{x}, {y} = {a}, {b}",
    "{x}, {y} = pair({a})",
    "{x}, {y} = {a}[:1], {a}[1:]",
    "{x}, *{y} = [{a}, {b}]\n{y} = {y}[0]",
]


@st.composite
def programs(draw: Callable[..., object]) -> str:
    """A function `f(p, q, flag)` that prints all its variables after every statement."""
    names = ["p", "q"]
    lines: list[str] = [
        "box = [torch.zeros(4, 6)]",
        "holder = Holder()",
        "holder.t = torch.zeros(4, 6)",
        "shift, keeper, relu = Shift(), Keeper(), nn.ReLU(inplace=True)",
    ]

    def block(depth: int, count: int, known: list[str]) -> Iterator[str]:
        for _ in range(count):
            pick = lambda: draw(st.sampled_from(known))  # noqa: E731
            form = draw(st.sampled_from("eeeewwss" + ("if" if depth < 2 else "")))
            made: list[str] = []
            if form == "e":
                name = draw(st.sampled_from(["a", "b", "c", "p"]))
                yield f"{name} = {draw(st.sampled_from(EXPRESSIONS)).format(a=pick(), b=pick())}"
                made = [name]
            elif form == "w":
                yield draw(st.sampled_from(WRITES)).format(a=pick(), b=pick())
            elif form == "s":
                if draw(st.booleans()):
                    yield draw(st.sampled_from(STORES)).format(a=pick(), b=pick())
                else:
                    yield draw(st.sampled_from(SPLITS)).format(a=pick(), b=pick(), x="a", y="b")
                    made = ["a", "b"]
            elif form == "i":
                yield "if flag:"
                yield textwrap.indent("\n".join(block(depth + 1, 2, list(known))), "    ")
                if draw(st.booleans()):
                    yield "else:"
                    yield textwrap.indent("\n".join(block(depth + 1, 2, list(known))), "    ")
            else:
                yield "for _ in range(2):"
                yield textwrap.indent("\n".join(block(depth + 1, 2, list(known))), "    ")
            known += [name for name in made if name not in known]
            yield f"print({', '.join([*known, 'box', 'holder', 'keeper'])})"

    lines += block(0, draw(st.integers(2, 5)), names)
    lines.append(f"return {draw(st.sampled_from(names))}")
    return (
        PRELUDE + "def f(p: torch.Tensor, q: torch.Tensor, flag):\n" + textwrap.indent("\n".join(lines), "    ") + CALLS
    )


Memory = frozenset[tuple[int, int]]


def overlap(a: Memory, b: Memory) -> bool:
    """Whether two sets of memory ranges meet."""
    return any(low < end and start < high for low, high in a for start, end in b)


def storages(value: object) -> Memory:
    """The memory of all storages that a value reaches."""
    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return frozenset({(storage.data_ptr(), storage.data_ptr() + storage.nbytes())})
    if isinstance(value, (list, tuple)):
        return frozenset().union(*(storages(v) for v in value))
    if isinstance(value, torch.nn.Module) or type(value).__name__ == "Holder":
        held = list(vars(value).values())
        return frozenset().union(
            *(storages(v) for v in held if isinstance(v, (torch.Tensor, list, dict))),
            *(storages(v) for d in held if isinstance(d, dict) for v in d.values()),
        )
    return frozenset()


def run(source: str, flag: bool) -> dict[int, list[tuple[list[object], Memory]]]:
    """Runs the program: line of a print -> (values, storages reachable from outside) of each time it ran."""
    seen: dict[int, list[tuple[list[object], Memory]]] = {}
    given = [torch.arange(24.0).view(4, 6), torch.rand(4, 6) - 0.5]
    keep: list[object] = []

    def record(*values: object) -> None:
        import sys

        line = sys._getframe(1).f_lineno
        keep.append(values)
        outside = storages([*given, namespace["KEPT"]])
        seen.setdefault(line, []).append(([storages(v) for v in values], outside))

    namespace: dict[str, object] = {"print": record, "__name__": "test"}
    exec(compile(source, "program", "exec"), namespace)
    before = [g.clone() for g in given]
    result = namespace["f"](*given, flag)  # type: ignore[operator]
    changed = [name for name, old, new in zip("pq", before, given, strict=True) if not torch.equal(old, new)]
    returned = [name for name, tensor in zip("pq", given, strict=True) if overlap(storages(tensor), storages(result))]
    seen[-1] = [([changed, returned], frozenset())]
    return seen


@given(programs(), st.booleans())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_what_shares_storage_is_known(source: str, flag: bool) -> None:
    try:
        seen = run(source, flag)
    except (RuntimeError, IndexError, ValueError, TypeError, AttributeError):
        assume(False)
        raise
    found = facts(source, "main")
    source = source[source.index("def f(") :]
    function = next(n for n in found.tree.body if isinstance(n, ast.FunctionDef) and n.name == "f")
    aliases = found.aliases(function)
    changed, returned = seen.pop(-1)[0][0]
    assert set(changed) <= aliases.effects.writes, f"{changed} changed, known {aliases.effects.writes}\n{source}"
    assert set(returned) <= aliases.effects.shares or aliases.effects.outside, (
        f"{returned} returned, known {aliases.effects}\n{source}"
    )
    for call in ast.walk(function):
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "print"
            and call.lineno in seen
        ):
            continue
        for values, outside in seen[call.lineno]:
            for i, a in enumerate(call.args):
                where = f"line {call.lineno}: {ast.unparse(a)}"
                if overlap(values[i], outside):
                    assert aliases.seen_outside(a) is not Sharing.NO, f"{where} is seen outside\n{source}"
                for j, b in enumerate(call.args[:i]):
                    sharing = aliases.sharing(a, b)
                    if overlap(values[i], values[j]):
                        assert sharing is not Sharing.NO, f"{where} shares with {ast.unparse(b)}\n{source}"
                    elif sharing is Sharing.SURE and len(values[i]) == 1 and all(low < high for low, high in values[i]):
                        raise AssertionError(f"{where} does not share with {ast.unparse(b)}\n{source}")
