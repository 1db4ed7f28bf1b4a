"""The calls that make a training step: backward, zero_grad, step, clipping, and reads of `.grad`."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import children
from torch2ms.transforms.training.callees import Callees
from torch2ms.transforms.training.tree import Function, Layout, blocks, own_nodes
from torch2ms.transforms.training.zeroing import zeroed_by


class Act(enum.Enum):
    """What an event does to gradients."""

    BACKWARD = "backward"
    ZERO = "zero"  # gradients of `owner` are dropped
    STEP = "step"  # `owner`, an optimizer, uses its gradients
    UNSURE = "unsure"  # `.step()` of an object that may be an optimizer
    CLIP = "clip"  # clip_grad_norm_ or clip_grad_value_ on `owner`
    READ = "read"  # `owner.grad` is read or written otherwise


@dataclass(frozen=True, slots=True)
class Event:
    """One event: the node (a call, or an attribute for READ), its innermost statement, and the object concerned."""

    act: Act
    node: ast.expr
    stmt: ast.stmt
    owner: ast.expr
    more: tuple[Event, ...] = ()  # backwards just before this one whose losses are added to it
    fills: bool = False  # a zeroing that leaves zeros, not None

    @property
    def key(self) -> str:
        """The object's path, or its source where it has none."""
        return dotted(self.owner) or ast.unparse(self.owner)

    @property
    def bare(self) -> bool:
        """Whether the call is a statement of its own, or the whole of a loop that zeroes."""
        whole = isinstance(self.stmt, (ast.For, ast.Assign)) and self.act is Act.ZERO
        return whole or isinstance(self.stmt, ast.Expr) and self.stmt.value is self.node


_CLIPS = {
    "torch.nn.utils.clip_grad_norm_",
    "torch.nn.utils.clip_grad_value_",
    "torch.nn.utils.clip_grad_norm",
}
_TELLING = frozenset("backward zero_grad step grad clip_grad_norm_ clip_grad_norm clip_grad_value_".split())
_NOT_TENSORS = frozenset(Kind) - {Kind.TENSOR, Kind.PARAMETER, Kind.UNKNOWN, Kind.OTHER, Kind.NUMBER, Kind.SEQUENCE}


def scopes_with_events(facts: Facts) -> list[ast.Module | Function]:
    """The functions that may hold events, and the module, in source order."""
    found: dict[ast.Module | Function, None] = {}
    for node in facts.names.parents:
        name = node.attr if type(node) is ast.Attribute else node.id if type(node) is ast.Name else None
        if name in _TELLING:
            scope = facts.function(node)
            while isinstance(scope, ast.Lambda):
                scope = facts.function(scope)
            found[scope] = None
    return sorted(found, key=lambda scope: getattr(scope, "lineno", 0))


def find_events(facts: Facts, layout: Layout) -> list[Event]:
    """The events of one function or module body in source order, nested functions excluded."""
    found = []
    for stmt in layout.places:
        for node in _direct_nodes(stmt):
            event = _event(facts, node, stmt)
            if event is not None:
                found.append(event)
            elif isinstance(node, ast.Call):
                found += zeroes_of_helper(facts, node, stmt)
    found = _zero_loops(layout, found)
    zeroed = {e.key for e in found if e.act is Act.ZERO}
    return _merged(layout, [_sure(facts, event, zeroed) for event in found])


def _zero_loops(layout: Layout, events: list[Event]) -> list[Event]:
    """`for p in net.parameters(): p.grad = None` is one zeroing, of `net`, in the place of the events inside it."""
    fills = {loop for e in events if e.fills for loop in (e.stmt, *layout.around(e.stmt))}
    loops = {stmt: owner for stmt in layout.places if (owner := zeroed_by(stmt)) is not None}
    result: list[Event] = []
    for event in events:
        outer = [loop for loop in (event.stmt, *layout.around(event.stmt)) if loop in loops]
        if not outer:
            result.append(event)
        elif not result or result[-1].stmt is not outer[-1]:
            loop = outer[-1]
            result.append(Event(Act.ZERO, loop.iter, loop, loops[loop], fills=loop in fills))  # type: ignore[attr-defined]
    return result


def _merged(layout: Layout, events: list[Event]) -> list[Event]:
    """`a.backward(retain_graph=True); b.backward()`: the gradient of the sum, where nothing uses gradients in between."""
    result: list[Event] = []
    for event in events:
        last = result[-1] if result else None
        if last is not None and last.act is event.act is Act.BACKWARD and last.bare and event.bare:
            same = layout.places[last.stmt].block is layout.places[event.stmt].block
            if same and isinstance(last.node, ast.Call) and flag(last.node, "retain_graph", 1):
                result[-1] = replace(event, more=(*last.more, replace(last, more=())))
                continue
        result.append(event)
    return result


def _direct_nodes(stmt: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement that belong to no statement inside it."""
    inner = {id(s) for block in blocks(stmt) for s in block}
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    stack: list[ast.AST] = [stmt]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.Lambda):
            # it may run at any time
            yield from (inner for inner in ast.walk(node.body) if isinstance(inner, ast.Attribute) and inner.attr == "grad")
            continue
        stack.extend(child for child in reversed(list(children(node))) if id(child) not in inner)


def zeroes_of_helper(facts: Facts, call: ast.Call, stmt: ast.stmt) -> list[Event]:
    """`reset_grad()`, a function of the file that only drops gradients: those events, at the call."""
    if not isinstance(stmt, ast.Expr) or stmt.value is not call or call.args or call.keywords:
        return []
    function = Callees(facts).definition(call)
    if function is None or isinstance(function, ast.ClassDef):
        return []
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    owners = []
    for inner in body:
        match inner:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="zero_grad"))):
                path = dotted(owner)
                if path is None or path.partition(".")[0] in facts.flow(function).locals - {"self"}:
                    return []
                owners.append(owner)
            case _:
                return []
    return [Event(Act.ZERO, call, stmt, owner) for owner in owners]


def uses_gradients(facts: Facts, stmts: list[ast.stmt]) -> ast.Call | None:
    """A call in the statements that runs a function of this file which zeroes, steps or goes backward; None without one."""
    callees = Callees(facts)
    seen: set[ast.AST] = set()
    todo = [(call, call) for stmt in stmts for call in ast.walk(stmt) if isinstance(call, ast.Call)]
    while todo:
        call, outer = todo.pop()
        function = callees.definition(call)
        if function is None or isinstance(function, ast.ClassDef) or function in seen:
            continue
        seen.add(function)
        for inner in ast.walk(function):
            if isinstance(inner, ast.Call):
                if isinstance(inner.func, ast.Attribute) and inner.func.attr in ("zero_grad", "step", "backward"):
                    event = _event(facts, inner, facts.statement(inner))
                    if event is not None and event.act in (Act.ZERO, Act.BACKWARD, Act.STEP):
                        return outer
                todo.append((inner, outer))
    return None


def _event(facts: Facts, node: ast.AST, stmt: ast.stmt) -> Event | None:
    if isinstance(node, ast.Attribute) and node.attr == "grad" and facts.names.of(node) is None:
        return _grad(facts, node, stmt)
    if not isinstance(node, ast.Call):
        return None
    name = facts.names.of(node.func)
    if name in _CLIPS and node.args:
        return Event(Act.CLIP, node, stmt, node.args[0])
    if name == "torch.autograd.backward" and node.args:
        return Event(Act.BACKWARD, node, stmt, node.args[0])
    if name is not None or not isinstance(node.func, ast.Attribute):
        return None
    owner, method = node.func.value, node.func.attr
    if method == "zero_grad":
        given = [k.value for k in node.keywords if k.arg == "set_to_none"] + node.args[:1]
        none = all(isinstance(value, ast.Constant) and value.value for value in given)
        return Event(Act.ZERO, node, stmt, owner, fills=not none)
    scaled = [a for a in node.args if facts.kinds.of(a).kind is Kind.OPTIMIZER]
    if method == "step" and len(scaled) == 1:
        return Event(Act.STEP, node, stmt, scaled[0])  # scaler.step(optimizer)
    if method == "step" and facts.kinds.of(owner).kind in (Kind.OPTIMIZER, Kind.UNKNOWN):
        return Event(Act.STEP, node, stmt, owner)
    if method == "backward" and is_loss(facts, owner, node):
        return Event(Act.BACKWARD, node, stmt, owner)
    return None


def is_loss(facts: Facts, owner: ast.expr, call: ast.Call) -> bool:
    """Whether `owner.backward(...)` can be a tensor's backward and not a method of the project's."""
    if facts.kinds.of(owner).kind in _NOT_TENSORS:
        return False
    if isinstance(owner, ast.Name) and owner.id in ("self", "cls", "super"):
        return False
    if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super":
        return False
    return len(call.args) <= 1 or isinstance(call.args[0], ast.Constant)


def is_doubtful(facts: Facts, call: ast.AST) -> bool:
    """Whether `x.backward(...)` may be a method of the project's, or of another library's, as well as a tensor's."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "backward":
        return False
    if facts.names.of(call.func) is not None or facts.kinds.of(call.func.value).kind not in (Kind.UNKNOWN, Kind.OTHER):
        return False
    given = [a for a in call.args if not (isinstance(a, ast.Constant) and a.value is None)]
    if given:
        return True
    project = facts.project
    own = [name for name, cls in project.classes.items() if "backward" in cls.methods and not project.is_function(name)]
    return any(
        len(project.functions[f"{name}.backward"].parameters) <= 1
        for name in own
        if f"{name}.backward" in project.functions
    )


def _grad(facts: Facts, node: ast.Attribute, stmt: ast.stmt) -> Event | None:
    """`p.grad`; a zeroing of it is a ZERO event of the tensor."""
    if facts.kinds.of(node.value).kind in _NOT_TENSORS:
        return None
    inner = facts.parent(node)
    if isinstance(inner, ast.Attribute) and inner.attr == "data":
        inner = facts.parent(inner)
    call = facts.parent(inner) if inner is not None else None
    if isinstance(inner, ast.Attribute) and inner.attr == "zero_" and isinstance(call, ast.Call):
        return Event(Act.ZERO, call, stmt, node.value, fills=True)
    if (
        isinstance(stmt, ast.Assign)
        and stmt.targets == [node]
        and isinstance(stmt.value, ast.Constant)
        and stmt.value.value is None
    ):
        return Event(Act.ZERO, node, stmt, node.value)
    return Event(Act.READ, node, stmt, node.value)


def _sure(facts: Facts, event: Event, zeroed: set[str]) -> Event:
    """A `.step()` is an optimizer's where its object is one, or is unknown but also has its gradients zeroed here."""
    if event.act is not Act.STEP or facts.kinds.of(event.owner).kind is Kind.OPTIMIZER or event.key in zeroed:
        return event
    return replace(event, act=Act.UNSURE)


def backward_gradient(call: ast.Call) -> ast.expr | None:
    """The `gradient` argument of a tensor's backward."""
    for keyword in call.keywords:
        if keyword.arg == "gradient":
            return keyword.value
    return call.args[0] if call.args else None


def flag(call: ast.Call, name: str, position: int) -> bool:
    """Whether a boolean argument is given and may be true."""
    given = [k.value for k in call.keywords if k.arg == name] + call.args[position : position + 1]
    return any(not (isinstance(v, ast.Constant) and not v.value) for v in given)


__all__ = ["Act", "Event", "backward_gradient", "find_events", "flag", "is_loss", "own_nodes"]


def indices(events: Sequence[Event], act: Act) -> list[int]:
    """Where the events of a kind stand among all."""
    return [i for i, event in enumerate(events) if event.act is act]
