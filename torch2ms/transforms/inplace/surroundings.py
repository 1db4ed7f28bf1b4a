"""What is known about the place of a write: can it be differentiated, who else holds the storage and reads it later."""

from __future__ import annotations

import ast
from functools import cached_property

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.effects import dotted
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.nodes import walk
from torch2ms.analysis.views import gives_view
from torch2ms.transforms.inplace.families import takes_all
from torch2ms.transforms.inplace.leaves import is_own_leaf, is_state
from torch2ms.transforms.inplace.lost import Lost
from torch2ms.transforms.inplace.mutators import Mutator, mutators
from torch2ms.transforms.inplace.origins import Origins
from torch2ms.transforms.inplace.values import Declined, bare


class Surroundings(Origins):
    """Answers about one file."""

    @cached_property
    def written_casts(self) -> dict[ast.Call, None]:
        """Casts whose result is written, so that they must give the tensor itself where PyTorch's do."""
        return {}

    def is_local(self, name: str, node: ast.AST) -> bool:
        """Whether the name is a variable of the function around the node, so that it can be bound anew there."""
        flow = self.facts.flow(self.facts.function(node))
        return name in flow.locals and name not in flow.shared

    def is_parameter(self, name: str, node: ast.AST) -> bool:
        """Whether the name still stands for what the caller gave."""
        function = self.facts.function(node)
        return (
            isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            and name in self.facts.flow(function).parameters
        )

    def is_rebound(self, target: ast.Name) -> bool:
        """Whether the function binds the name itself anywhere."""
        function = self.facts.function(target)
        return any(
            isinstance(n, ast.Name)
            and n.id == target.id
            and isinstance(n.ctx, ast.Store)
            and not isinstance(self.facts.parent(n), ast.AugAssign)
            for n in walk(function)
        )

    def is_iterated(self, target: ast.expr) -> bool:
        """Whether the name is the variable of a loop: binding it anew changes nothing in what is looped over."""
        return isinstance(target, ast.Name) and self._source_of_loop(target) is not None

    def looped_over(self, target: ast.Name) -> str:
        """What the loop whose variable the name is runs over, as text."""
        source = self._source_of_loop(target)
        return target.id if source is None else ast.unparse(source)

    def _source_of_loop(self, target: ast.Name) -> ast.expr | None:
        for node in walk(self.facts.function(target)):
            if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                if any(isinstance(n, ast.Name) and n.id == target.id for n in walk(node.target)):
                    return node.iter
        return None

    def may_have_no_axis(self, target: ast.expr) -> bool:
        """Whether the tensor may be a single number, which `[:]` cannot write."""
        if not isinstance(target, ast.Name):
            return not isinstance(target, ast.Attribute)
        if self.is_iterated(target):
            return True
        function = self.facts.function(target)
        made = self._aliases(target).bindings(target)
        if function in made and isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return any(self._is_small(a) for call in self._calls(function.name) for a in call.args)
        return any(isinstance(s, ast.Assign) and _drops_axes(s.value) for s in made)

    def _calls(self, name: str) -> list[ast.Call]:
        return [n for n in self.facts.names.parents if isinstance(n, ast.Call) and _called(n) == name]

    def _is_small(self, given: ast.expr) -> bool:
        """Whether an argument may be a single number out of a tensor."""
        if isinstance(given, ast.Name):
            return self.is_iterated(given)
        return isinstance(given, ast.Subscript) and _drops_axes(given)

    def check_argument(self, target: ast.Name) -> None:
        """Decline a write by an index, inside a gradient, through a view of what is seen outside the function."""
        if self.seen_outside(target) is not Sharing.SURE or self.is_same_object(target) or self.goes_back(target):
            return
        given = self.parameters_behind(target)
        if given is None or not self.callers_take_the_result(target):
            raise Declined(
                f"{target.id} is a view of what is seen outside this function, and a gradient hides the write there",
                "compute new tensors and return them",
            )

    def kind_of_name(self, name: str, node: ast.AST) -> Kind:
        """The kind of a variable of the function around the node, where it is read somewhere in it."""
        for found in ast.walk(self.facts.function(node)):
            if isinstance(found, ast.Name) and found.id == name:
                return self.facts.kinds.of(found).kind
            if isinstance(found, ast.arg) and found.arg == name:
                return self.facts.kinds.of(found).kind
        return Kind.UNKNOWN

    def loses_writes(self, call: ast.Call, parameter: str) -> bool:
        """Whether a function of this file no longer reaches its caller's tensor with what it writes to a parameter."""
        return any(parameter in self.lost.parameters(q) for q in self._aliases(call).callees(call))

    def refuses_writes(self, call: ast.Call, parameter: str) -> bool:
        """Whether the write to the parameter raises inside the function."""
        return any((q, parameter) in self.lost.refused for q in self._aliases(call).callees(call))

    def writes_by_flag(self, call: ast.Call, parameter: str) -> bool:
        """Whether all that a call writes to the parameter is written by calls with an `inplace` that the run decides."""
        found = [self.facts.call_effects(q) for q in self._aliases(call).callees(call)]
        writing = [e for e in found if e is not None and parameter in e.writes]
        return bool(writing) and all(parameter in e.flagged for e in writing)

    @cached_property
    def lost(self) -> Lost:
        """The parameters whose writes callers do not see."""
        return Lost(self)

    def callers_take_the_result(self, target: ast.Name) -> bool:
        """Whether the function is one whose callers go on with what it returns: a forward, or one that returns the name."""
        function = self.facts.function(target)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if function.name == "forward" and self.facts.enclosing_class(function) is not None:
            return True
        ignored = any(
            isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and _called(n.value) == function.name
            for n in walk(self.facts.tree)
        )
        returns = any(isinstance(n, ast.Return) and n.value is not None for n in walk(function))
        return returns and not ignored

    def mutator_around(self, node: ast.AST) -> Mutator | None:
        """The mutator whose statements the node is part of."""
        function = self.facts.function(node)
        return next((m for m in self.mutators.values() if m.node is function), None)

    def goes_back(self, target: ast.expr) -> bool:
        """Whether what is seen of the target outside is only the argument that the callers are made to bind anew."""
        mutator = self.mutator_around(target)
        return mutator is not None and self.parameters_behind(target) == frozenset({mutator.parameter})

    @cached_property
    def mutators(self) -> dict[str, Mutator]:
        """The functions that return what they wrote to their argument."""
        return mutators(self)

    def live_after(self, stmt: ast.stmt) -> frozenset[str]:
        """The names that are read after a statement, the argument that goes back to the callers among them."""
        mutator = self.mutator_around(stmt)
        live = self.facts.flow(self.facts.function(stmt)).live_out([stmt])
        return live if mutator is None else live | {mutator.parameter}

    def others(self, target: ast.expr) -> dict[str, Sharing]:
        """The other names and paths that may share the storage of the target and are read later."""
        stmt = self.facts.statement(target)
        aliases = self.facts.aliases(self.facts.function(target))
        # the result of a call has no path: what it was called on is another holder
        own = dotted(bare(target)) or ""
        live = self.live_after(stmt)
        bound = self.bound_by(stmt)
        found = {}
        for name, sharing in aliases.holders(target).items():
            head = name.partition(".")[0]
            if own and (name == own or name.startswith(own + ".") or own.startswith(name + ".")):
                continue
            if head in live - bound or "." in name:
                found[name] = sharing
        return found

    def bound_by(self, stmt: ast.stmt) -> frozenset[str]:
        """The names to which an assignment gives a new value: they no longer hold the old one."""
        if not isinstance(stmt, ast.Assign):
            return frozenset()
        nodes = [n for t in stmt.targets for n in ([*t.elts] if isinstance(t, (ast.Tuple, ast.List)) else [t])]
        return frozenset(n.id for n in nodes if isinstance(n, ast.Name))

    def is_new(self, target: ast.expr) -> bool:
        """Whether the value was made right here and nothing else can hold it."""
        if isinstance(target, ast.Call) and not any(self.facts.kinds.of(a).kind in TENSOR_KINDS for a in target.args):
            # a legacy constructor under another name: Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            made = self.facts.kinds.of(target.func).classes
            if made and all(name.startswith("torch.") and name.endswith("Tensor") for name in made):
                return True
        shared = any(s is not Sharing.UNDECIDED for s in self.others(target).values())
        return self._aliases(target).is_private(target) and not shared

    def is_leaf(self, target: ast.expr) -> bool:
        """Whether the target is a Parameter or a registered buffer, which live on in their Cell."""
        if self.is_weight(target) or is_own_leaf(self.facts, target) or is_state(self.facts, target):
            return True
        if isinstance(target, ast.Attribute):
            layer = self.facts.kinds.of(target.value).kind is Kind.MODULE
            return target.attr in self._buffers or layer and target.attr in ("running_mean", "running_var")
        return False

    def is_weight(self, target: ast.expr) -> bool:
        """Whether the target is a Parameter, which no graph makes; a buffer may hold what a graph made."""
        if self.facts.kinds.of(target).kind is Kind.PARAMETER or self._is_loop_parameter(target):
            return True
        if not isinstance(target, ast.Attribute) or target.attr not in ("weight", "bias") or target.attr in self._buffers:
            return False
        return self.facts.kinds.of(target.value).kind is Kind.MODULE

    def _is_loop_parameter(self, target: ast.expr) -> bool:
        """Whether the name runs over `net.parameters()`, alone or in a zip."""
        if not isinstance(target, ast.Name):
            return False
        node: ast.AST | None = self.facts.parent(target)
        while node is not None and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            if isinstance(node, ast.For):
                match node.target, node.iter:
                    case ast.Name(id=name), source if name == target.id:
                        return _gives_parameters(source)
                    case ast.Tuple(elts=[_, ast.Name(id=name)]), ast.Call(
                        func=ast.Attribute(value=ast.Call() as made, attr="items"), args=[]
                    ) if name == target.id:
                        return _called(made) == "state_dict"
                    case ast.Tuple(elts=elements), ast.Call(func=ast.Name(id="zip"), args=args):
                        for element, source in zip(elements, args, strict=False):
                            if isinstance(element, ast.Name) and element.id == target.id:
                                return _gives_parameters(source)
            node = self.facts.parent(node)
        return False

    def is_buffer(self, target: ast.expr) -> bool:
        """Whether the target is registered as a buffer in this file."""
        return isinstance(target, ast.Attribute) and target.attr in self._buffers

    def may_be_view(self, target: ast.expr) -> bool:
        """Whether the tensor under a buffer's name may count as a view: made as one, unknown, or written as a whole."""
        if not isinstance(target, ast.Attribute):
            return False
        return any(value is None or self._may_be_view(value) for value in self._buffers.get(target.attr, ()))

    def _may_be_view(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Name):
            made = self.facts.aliases(self.facts.function(value)).bindings(value)
            values = [stmt.value for stmt in made if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1]
            return len(values) != len(made) or not values or any(isinstance(v, ast.Name) or self._may_be_view(v) for v in values)
        return gives_view(self.facts, value)

    @cached_property
    def _buffers(self) -> dict[str, list[ast.expr | None]]:
        """The names of buffers and the values they are given; None for a write to all of one, which MindSpore takes for a view."""
        found: dict[str, list[ast.expr | None]] = {}
        for node in walk(self.facts.tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(value=str(name)), *rest]):
                    values = [*rest[:1], *(k.value for k in node.keywords if k.arg == "tensor")]
                    found.setdefault(name, []).extend(v for v in values if not isinstance(v, ast.Constant))
        for node in walk(self.facts.tree):
            match node:
                case ast.Subscript(value=ast.Attribute(attr=name), slice=index, ctx=ast.Store()) if name in found and takes_all(index):
                    found[name].append(None)
        return found


def _called(call: ast.Call) -> str | None:
    func = call.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else None


def _gives_parameters(source: ast.expr) -> bool:
    match source:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr="values"), args=[]):
            return _called(made) == "state_dict"
    return isinstance(source, ast.Call) and _called(source) == "parameters" and not source.args


def _drops_axes(value: ast.expr) -> bool:
    """Whether a view may have fewer axes than its base."""
    for node in ast.walk(value):
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if any(not isinstance(p, ast.Slice) for p in parts):
                return True
        if isinstance(node, ast.Call) and _called(node) not in _KEEPING_AXES:
            return True
    return False


_KEEPING_AXES = frozenset("view t transpose permute reshape unsqueeze clone zeros ones rand randn full".split())
