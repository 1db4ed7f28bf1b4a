"""Where the tensor behind a name comes from: made here, given by a caller, or by a call that is not seen."""

from __future__ import annotations

import ast

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.inplace.quiet import Quiet


class Origins(Quiet):
    """Answers about one file."""

    def seen_outside(self, target: ast.expr) -> Sharing:
        """Whether a write to the target's storage is seen outside the function."""
        return self.facts.aliases(self.facts.function(target)).seen_outside(target)

    def comes_from_unseen_call(self, target: ast.expr) -> bool:
        """Whether the tensor is the result of calls whose callees are neither PyTorch's own nor in the project."""
        if not isinstance(target, ast.Name):
            return False
        made = self._aliases(target).bindings(target)
        return bool(made) and all(
            isinstance(s, (ast.Assign, ast.AnnAssign)) and s.value is not None and self._is_unseen(s.value)
            for s in made
        )

    def is_computed(self, target: ast.Name) -> bool:
        """Whether operators gave the tensor, so that only what was done with it since can have shown it to others."""
        info = self.facts.kinds.of(target)
        made = self._aliases(target).bindings(target)
        values = [s.value for s in made if isinstance(s, ast.Assign)]
        known = info.kind in TENSOR_KINDS and info.certain and len(values) == len(made)
        return known and all(isinstance(value, ast.BinOp) for value in values)

    def shares_by_unseen_call(self, target: ast.expr, name: str) -> bool:
        """Whether only what an unseen call does with its arguments can make a name share the target's storage."""
        if not isinstance(target, ast.Name) or not self.comes_from_unseen_call(target):
            return False
        aliases = self._aliases(target)
        stmts = aliases.bindings(target)
        if aliases.made_by(name, self.facts.statement(target)) == stmts:
            return True  # `x, shapes = pack(...)`
        made = {n for s in stmts if isinstance(s, (ast.Assign, ast.AnnAssign)) for n in walk(s)}
        return not any(root.key in made for root in aliases.held_by(name, target) & aliases.origins(target))

    def _is_unseen(self, value: ast.expr) -> bool:
        if isinstance(value, ast.BinOp):
            return True
        if isinstance(value, ast.IfExp):
            return self._is_unseen(value.body) and self._is_unseen(value.orelse)
        if not isinstance(value, ast.Call) or isinstance(value.func, ast.Lambda):
            return False
        name = self.facts.names.of(value.func)
        if name is not None:
            return not name.startswith(("torch.", "builtins.")) and not self._aliases(value).callees(value)
        if isinstance(value.func, ast.Attribute):
            owner = self.facts.kinds.of(value.func.value)
            if owner.kind in (*TENSOR_KINDS, Kind.SEQUENCE, Kind.MAPPING):
                return False
        called = self.facts.kinds.of(value.func)
        known = any(name.startswith("torch.") for name in called.classes)
        return not known and not self._aliases(value).callees(value)

    def parameters_behind(self, target: ast.expr) -> frozenset[str] | None:
        """The parameters whose storage the value can share; None where it may be someone else's from outside."""
        return self._aliases(target).parameters_behind(target)

    def is_same_object(self, target: ast.Name) -> bool:
        """Whether the name holds a tensor from outside itself, and no view of it."""
        made = self._aliases(target).bindings(target)
        if all(s is self.facts.function(target) for s in made):
            return True
        values = [s.value for s in made if isinstance(s, ast.Assign)]
        return len(values) == len(made) and all(
            isinstance(v, ast.Attribute) and self.facts.kinds.of(v.value).kind not in TENSOR_KINDS
            or isinstance(v, ast.Name) and self.is_same_object(v)
            for v in values
        )  # fmt: skip

    def is_doubtful(self, target: ast.expr) -> bool:
        """Whether only a module, or a function that is not seen, may have given the tensor its storage from elsewhere."""
        if not isinstance(target, ast.Name) or self.seen_outside(target) is Sharing.SURE:
            return False
        made = self._aliases(target).bindings(target)
        return bool(made) and all(isinstance(s, ast.Assign) and self._is_module_or_unseen(s.value) for s in made)

    def _is_module_or_unseen(self, value: ast.expr) -> bool:
        if not isinstance(value, ast.Call):
            return False
        info = self.facts.kinds.of(value.func)
        if info.kind is not Kind.MODULE:
            return self._is_unseen(value)
        # what a layer of PyTorch gives is known: it shares its input, or it is new
        return not info.certain or not info.classes or not all(c.startswith("torch.nn.") for c in info.classes)
