"""What the handlers of all kinds of writes share: claims, refusals, and what stands for a statement with a write."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torch2ms.analysis.aliases import How, Sharing, Write
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Item, New, Provenance, Replace, Splice, unsupported
from torch2ms.source import Span
from torch2ms.transforms.inplace.families import NOTHING, Derived, Families
from torch2ms.transforms.inplace.forms import Form, covers_later_axes, refuse_sharing
from torch2ms.transforms.inplace.rows import Row, row_of
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined, in_place_name

SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


class Writer:
    """The writes of one function and what surrounds them."""

    def __init__(self, facts: Facts, around: Surroundings, writes: Sequence[Write]) -> None:
        self.facts = facts
        self.around = around
        self._writes = writes
        self.method_calls = {w.node for w in writes if w.how is How.METHOD}
        self._families: Families | None = None

    def claim(self, nodes: Sequence[ast.AST], edits: Sequence[Edit], said: Sequence[Diagnostic] = ()) -> Claim:
        """A claim whose provenance says whether it rests on an assumption."""
        sure = not any(d.code == "T2M302" for d in said)
        return Claim(
            "inplace",
            tuple(nodes),
            tuple(edits),
            tuple(said),
            provenance=Provenance.PROVEN if sure else Provenance.ONE_NAME,
        )

    def refused(self, write: Write, reason: Declined) -> Claim:
        """A call that raises where the write stood, and why."""
        node = write.node
        name = (
            f"torch.Tensor.{in_place_name(node)}"
            if isinstance(node, ast.Call) and in_place_name(node)
            else "torch.Tensor"
        )
        text = self.facts.source.segment(node) or ast.unparse(node)
        template = unsupported(name, text, reason.advice)
        edit: Edit = (
            Replace(node, template)
            if isinstance(node, ast.expr)
            else Splice(self.facts.statement(node), (New(template),))
        )
        said = Diagnostic("T2M301", Span.of(node), f"this write is refused: {reason.message}", reason.advice)
        return Claim("inplace", (node,), (edit,), (said,), provenance=Provenance.REFUSED)

    def derived(self, target: ast.expr, stmt: ast.stmt) -> Derived:
        """What follows a write inside a gradient for the other members of the target's family of views."""
        if isinstance(target, ast.Subscript):
            target = target.value
        quiet = self.around.keeps_graph(target)
        if not isinstance(target, ast.Name) or self.around.is_free(stmt) and not quiet:
            return NOTHING
        others = self.around.others(target)
        sure = [n for n, sharing in others.items() if sharing is Sharing.SURE]
        perhaps = [n for n, sharing in others.items() if sharing is Sharing.MAYBE and "." not in n]
        if not sure and not perhaps:
            return NOTHING
        if self._families is None:
            self._families = Families(self.facts, self.facts.function(stmt), self._writes)
        return self._families.after(stmt, target.id, sure, perhaps, quiet) or NOTHING

    def row(self, target: ast.expr) -> Row | None:
        """The loop over a tensor whose row the target is, where a write by the row's number is right."""
        row = row_of(self.facts, target)
        if row is None or self.around.is_free(target):
            return row
        others = {n: s for n, s in self.around.others(row.base).items() if n != target.id}  # type: ignore[attr-defined]
        refuse_sharing(self.around, row.base, others)
        self.around.check_argument(row.base)
        return row

    def reads_after(self, stmt: ast.stmt, target: ast.expr) -> bool:
        """Whether the variable of the target may be read after the statement; what is no variable always may."""
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            return target.id in self.around.live_after(stmt) - self.around.bound_by(stmt)
        return isinstance(target, ast.Attribute)

    def free_name(self, node: ast.AST, wanted: str) -> str:
        """A name that the function around the node does not use."""
        taken = {n.id for n in ast.walk(self.facts.function(node)) if isinstance(n, ast.Name)}
        while wanted in taken:
            wanted += "_"
        return wanted

    def items(
        self, stmt: ast.stmt, call: ast.Call, target: ast.expr, form: Form, more: tuple[Item, ...] = ()
    ) -> tuple[Item, ...] | None:
        """What stands for the statement; None where the value alone in the place of the call is right."""
        match stmt:
            case ast.Expr(value=value) if value is call:
                if (
                    isinstance(target, ast.Subscript)
                    and covers_later_axes(self.around, target.slice)
                    and not self.around.is_free(stmt)
                ):
                    raise Declined(
                        "the slice may cover the whole tensor inside a gradient",
                        "write x[i] = x[i].copy() + ... by hand",
                    )
                return New(form.template, form.parts), *more
            case ast.Assign(targets=targets, value=value) if value is call:
                if any(ast.unparse(t) == ast.unparse(target) for t in targets) and form.binds:
                    return None
                if form.binds and not isinstance(target, ast.Subscript):
                    left = " = ".join(f"${i + 2}" for i in range(len(targets)))
                    return New(f"{left} = {form.template}", (*form.parts, *targets)), *more
                left = " = ".join(f"${i + 1}" for i in range(len(targets)))
                return New(form.template, form.parts), *more, New(f"{left} = $0", (target, *targets))
            case ast.Return(value=value) if value is call:
                mutator = self.around.mutator_around(stmt)
                if form.binds and isinstance(target, ast.Name) and not more and mutator is None:
                    return None
                returned = "return $0" if mutator is None else mutator.returned("$0")
                return New(form.template, form.parts), *more, New(returned, (target,))
        if more:
            raise Declined("the value of the write is used inside an expression", "write it as a statement of its own")
        return self._inside(stmt, call, target, form)

    def _inside(self, stmt: ast.stmt, call: ast.Call, target: ast.expr, form: Form) -> tuple[Item, ...] | None:
        """The write stands inside an expression."""
        live = self.around.live_after(stmt) - self.around.bound_by(stmt)
        once = sum(isinstance(n, ast.Name) and ast.unparse(target) == n.id for n in ast.walk(stmt)) == 1
        if form.binds and isinstance(target, ast.Name) and target.id not in live and once:
            return None
        raise Declined("the value of the write is used inside an expression", "write it as a statement of its own")


def is_constant(value: ast.expr) -> bool:
    """Whether an expression is made of literals only."""
    return not any(isinstance(n, (ast.Name, ast.Attribute, ast.Call)) for n in ast.walk(value))
