"""Calls with an `inplace` whose value only the run tells, as in `F.relu(x, inplace=self.inplace)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch2ms.analysis.aliases import Sharing, Write
from torch2ms.analysis.aliases.storage import Sort
from torch2ms.edits import Arg, CallEdit, Claim, Insert, New, Replace, Splice
from torch2ms.transforms.inplace.forms import check_quiet, choose
from torch2ms.transforms.inplace.outs import without
from torch2ms.transforms.inplace.values import Declined
from torch2ms.transforms.inplace.views import check_cast
from torch2ms.transforms.inplace.writer import Writer

_PURE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.expr_context)
_OPERATORS = (ast.unaryop, ast.boolop, ast.cmpop, ast.Index)


def flagged(writer: Writer, write: Write) -> Iterator[Claim]:
    """The tensor gets the new value where the flag is true; an argument that a caller reads later must not be written."""
    node, target, flag = write.node, write.target, write.flag
    assert isinstance(node, ast.Call) and flag is not None
    if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        return
    if flag is node:
        yield from _by_layer(writer, node, target)
        return
    if not all(isinstance(n, (*_PURE, *_OPERATORS)) for n in ast.walk(flag)):
        raise Declined("the value of `inplace` is computed in the call", "give it a name first")
    stmt = writer.facts.statement(node)
    if writer.around.is_free(stmt) or isinstance(target, ast.Name) and writer.around.is_unseen(target):
        yield from _written(writer, node, target, flag)
    elif isinstance(target, ast.Name):
        yield from _bound(writer, node, target, flag)
    elif any(s in (Sharing.SURE, Sharing.MAYBE) for s in writer.around.others(target).values()):
        raise Declined(f"{ast.unparse(target)} may be read later by another name", "call it without inplace")


def _by_layer(writer: Writer, node: ast.Call, target: ast.expr) -> Iterator[Claim]:
    """A layer that was made with `inplace=flag`: right where nobody reads its input again."""
    stmt = writer.facts.statement(node)
    shared = any(s in (Sharing.SURE, Sharing.MAYBE) for s in writer.around.others(target).values())
    # what else the statement reads is the same object, also where it stands before the call
    beside = sum(ast.dump(n) == ast.dump(target) for n in ast.walk(stmt) if isinstance(n, type(target))) > 1
    if shared or beside or writer.reads_after(stmt, target):
        raise Declined(
            f"whether {ast.unparse(node.func)} works in place is known when the program runs, and {ast.unparse(target)} is read later",
            f"make the layer without inplace, or give it {ast.unparse(target)}.clone() to keep the old value",
        )
    roots = writer.facts.aliases(writer.facts.function(target)).origins(target)
    if any(r.sort is Sort.PARAMETER for r in roots):
        yield writer.claim((), (Replace(target, "$tensor.writable($0, True)", (target,)),))


def _written(writer: Writer, node: ast.Call, target: ast.expr, flag: ast.expr) -> Iterator[Claim]:
    """Where no gradient runs: storage is written."""
    stmt = writer.facts.statement(node)
    shared = any(s in (Sharing.SURE, Sharing.MAYBE) for s in writer.around.others(target).values())
    seen = isinstance(target, ast.Attribute) or writer.around.seen_outside(target) is not Sharing.NO
    if not (shared or seen or writer.reads_after(stmt, target)):
        return
    check_quiet(writer.around, target)
    check_cast(writer.around, target)
    call = _Call(writer, node, flag)
    yield call.claim(f"$tensor.written_if({call.part(flag)}, {call.part(target)}, {call.template})")


def _bound(writer: Writer, node: ast.Call, target: ast.Name, flag: ast.expr) -> Iterator[Claim]:
    """Inside a gradient: the name is bound to the new value where the flag is true."""
    stmt = writer.facts.statement(node)
    derived = writer.derived(target, stmt)
    form = choose(writer.around, target, node, False, settled=derived.settled)
    if not form.binds:
        raise Declined(f"{target.id} is written inside a gradient", "call it without inplace")
    call = _Call(writer, node, flag)
    roots = writer.facts.aliases(writer.facts.function(target)).origins(target)
    if any(r.sort is Sort.PARAMETER for r in roots):
        call.guard(target)
    rebound = isinstance(stmt, ast.Assign) and any(isinstance(t, ast.Name) and t.id == target.id for t in stmt.targets)
    follows = derived.items or derived.edits or writer.reads_after(stmt, target) and not rebound
    if isinstance(stmt, ast.Expr) and stmt.value is node:
        yield call.claim(f"{call.template} if {call.part(flag)} else {call.part(target)}")
        first = New("$0 = $1", (target, node))
        yield writer.claim((stmt,), (Splice(stmt, (first, *derived.items)), *derived.edits), form.said)
        return
    if follows and not (isinstance(stmt, ast.Assign) and stmt.value is node and isinstance(stmt.targets[0], ast.Name)):
        raise Declined(f"{target.id} is written inside an expression", "give the result of the call a name")
    if call.guarded:
        yield call.claim(call.template)
    if follows:
        assert isinstance(stmt, ast.Assign)
        items = () if rebound else (New("$0 = $1 if $2 else $0", (target, stmt.targets[0], flag)),)
        yield writer.claim((), (Insert(stmt, "after", (*items, *derived.items)), *derived.edits), form.said)


class _Call:
    """A call without its `inplace`, as it will be written inside something else."""

    def __init__(self, writer: Writer, node: ast.Call, flag: ast.expr) -> None:
        self.node, self._flag = node, flag
        self.guarded = False
        self._writer = writer
        self._value = without(writer.facts, node, "inplace", flag)
        edits = self._value.edits
        self._edit = next(e for e in edits if isinstance(e, (Replace, CallEdit)) and e.node is node)
        self._parts: list[ast.expr] = []
        self.template = self._text()

    def part(self, node: ast.expr) -> str:
        """The placeholder of a part, which is added where it is not there yet."""
        if not any(node is one for one in self._parts):
            self._parts.append(node)
        return f"${next(i for i, one in enumerate(self._parts) if one is node)}"

    def guard(self, target: ast.Name) -> None:
        """Let the call of what a caller gave raise where it would write what the caller reads later."""
        first = self.part(target)
        guard = f"$tensor.writable({first}, {self.part(self._flag)})"
        self.template = re.sub(rf"{re.escape(first)}(?!\d)", lambda _: guard, self.template, count=1)
        self.guarded = True

    def claim(self, template: str) -> Claim:
        """The claim that writes the template in the place of the call."""
        others = [e for e in self._value.edits if e is not self._edit]
        return self._writer.claim(
            self._value.nodes, (Replace(self.node, template, tuple(self._parts)), *others), self._value.said
        )

    def _text(self) -> str:
        if isinstance(self._edit, Replace):
            self._parts = list(self._edit.parts)
            return self._edit.template
        shown = [self._argument(arg) for arg in self._edit.args or ()]
        return f"{self._edit.func or self.part(self.node.func)}({', '.join(shown)})"

    def _argument(self, arg: Arg) -> str:
        text = arg.value if isinstance(arg.value, str) else self.part(arg.value)
        return f"{arg.keyword}={text}" if arg.keyword else f"{arg.star}{text}"
