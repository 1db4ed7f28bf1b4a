"""What nothing needs any more once everything else is planned: variables that nobody reads, conditions around nothing."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torch2ms.edits import Claim, Edit, Splice
from torch2ms.emit.index import Index
from torch2ms.emit.reach import reach

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_PURE = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List, ast.Set, ast.BoolOp, ast.UnaryOp, ast.Compare),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)


class Leftovers:
    """`if torch.cuda.is_available(): net.cuda()` goes as a whole."""

    name = "leftovers"
    after = ("device",)

    def find(self, facts: Facts) -> Iterator[Claim]:
        """Nothing at first: only the plan shows what is left."""
        yield from ()

    def finish(self, facts: Facts, edits: tuple[Edit, ...]) -> Iterator[Claim]:
        """One claim for each condition all of whose branches became empty."""
        gone: set[ast.AST] = {edit.stmt for edit in edits if isinstance(edit, Splice) and not edit.items}
        todo = list(gone)
        while todo:
            above = facts.parent(todo.pop())
            if isinstance(above, ast.If) and above not in gone and _is_empty(above, gone) and _is_pure(facts, above):
                gone.add(above)
                todo.append(above)
                yield Claim("leftovers", (), (Splice(above, ()),), provenance=None)


def _is_empty(stmt: ast.If, gone: set[ast.AST]) -> bool:
    return all(inner in gone for inner in [*stmt.body, *stmt.orelse])


def _is_pure(facts: Facts, stmt: ast.If) -> bool:
    """Whether asking the condition does nothing else."""
    for node in ast.walk(stmt.test):
        if isinstance(node, ast.Call):
            if not (facts.names.of(node.func) or "").startswith(("torch.cuda.", "torch.backends.", "torch.accelerator.")):
                return False
        elif not isinstance(node, _PURE):
            return False
    return True


def unused_names(facts: Facts, edits: Iterable[Edit], stmts: Iterable[ast.Assign]) -> Iterator[ast.Assign]:
    """Those of the assignments whose one variable nothing reads any more once the edits are carried out."""
    candidates = [stmt for stmt in stmts if len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)]
    if not candidates:
        return
    names = facts.names
    left = {(name.id, names.binder(name)) for name in reach(facts.tree, Index(edits, names)).names if isinstance(name.ctx, ast.Load)}
    for stmt in candidates:
        target = stmt.targets[0]
        assert isinstance(target, ast.Name)
        scope = names.binder(target)
        if (target.id, scope) not in left and not (scope is names.table.module and _is_imported(facts, target.id)):
            yield stmt


def _is_imported(facts: Facts, name: str) -> bool:
    """Whether other files of the project may read a variable of this one."""
    module = facts.names.module
    return facts.is_starred or not facts.imported_elsewhere.isdisjoint((f"{module}.{name}", module))


TRANSFORM = Leftovers()
