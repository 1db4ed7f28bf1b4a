"""How a variable was made as a view of another one."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.operations import PURE_VIEWS, SPLITTING, VIEWS
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.nodes import walk


@dataclass(frozen=True, slots=True)
class Derivation:
    """`name = view` in `stmt`, where `view` is a chain of views of the variable `base`; both still hold what they held then.

    `alone`: the statement binds nothing else, by the view itself.
    """

    base: str
    view: ast.expr
    stmt: ast.Assign
    alone: bool = True

    @property
    def cut(self) -> bool:
        """Whether no gradient runs through the view."""
        return any(isinstance(n, ast.Attribute) and n.attr == "detach" for n in walk(self.view))

    @property
    def holds(self) -> bool:
        """Whether the variable is a container of views."""
        return isinstance(self.view, (ast.List, ast.Tuple, ast.Dict))


def derivation(context: Context, name: ast.Name) -> Derivation | None:
    """The one assignment that made the variable where it stands, if that was a view and nothing it uses was rebound since."""
    here = context.facts.statement(name)
    made = context.flow.reaching(name.id, here)
    return _derived(context, made, here, VIEWS, False)


def derivation_at(context: Context, name: str, here: ast.stmt) -> Derivation | None:
    """The same for a name at the start of a statement, with views that gradients run through.

    Augmented assignments to tensors count as writes, not as bindings.
    """
    made = bindings(context, name, here)
    stmt = made[0] if len(made) == 1 else None
    bound = bound_value(stmt, name) if isinstance(stmt, ast.Assign) else None
    if bound is None or not isinstance(stmt, ast.Assign):
        return None
    view = element_of(context, bound, stmt) or bound
    base = view_base(context, view, PURE_VIEWS | {"detach"}) or _held(context, name, view)
    if base is None or not _stays(context, view, stmt, here, True):
        return None
    alone = view is stmt.value and len(stmt.targets) == 1
    return Derivation(base, view, stmt, alone)


def bound_value(stmt: ast.Assign, name: str) -> ast.expr | None:
    """What an assignment gives a name, alone or as a part of a tuple."""
    for target in stmt.targets:
        if isinstance(target, ast.Name) and target.id == name:
            return stmt.value
        if isinstance(target, ast.Tuple) and isinstance(stmt.value, ast.Tuple):
            pairs = list(zip(target.elts, stmt.value.elts, strict=False))
            plain = not any(isinstance(part, ast.Starred) for pair in pairs for part in pair)
            found = [v for t, v in pairs if isinstance(t, ast.Name) and t.id == name]
            if plain and len(target.elts) == len(stmt.value.elts) and len(found) == 1:
                return found[0]
    return None


def element_of(context: Context, view: ast.expr, stmt: ast.stmt) -> ast.expr | None:
    """What `box[0]` stands for in a statement, where the box was made of parts that are in sight and is never changed."""
    if not isinstance(view, ast.Subscript) or not isinstance(view.slice, ast.Constant):
        return None
    box: ast.expr | None = view.value
    if isinstance(box, ast.Name):
        box = _made_in_sight(context, box.id, stmt)
    elif isinstance(box, ast.Subscript):
        box = element_of(context, box, stmt)
    key = view.slice.value
    match box:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if isinstance(key, int) and 0 <= key < len(parts):
            return None if any(isinstance(p, ast.Starred) for p in parts) else parts[key]
        case ast.Dict(keys=keys, values=values) if all(isinstance(k, ast.Constant) for k in keys):
            found = [v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant) and k.value == key]
            return found[0] if len(found) == 1 else None
    return None


def _made_in_sight(context: Context, name: str, stmt: ast.stmt) -> ast.expr | None:
    """The one value that a variable was given, where it is never changed and its parts hold what they held."""
    made = context.flow.reaching(name, stmt)
    one = made[0] if len(made) == 1 else None
    if not isinstance(one, ast.Assign) or _is_changed(context, name):
        return None
    found = bound_value(one, name)
    return found if found is not None and _stays(context, found, one, stmt, True) else None


def _held(context: Context, name: str, view: ast.expr) -> str | None:
    """The one tensor whose views a list, a tuple or a dictionary is made of, where its variable is never changed."""
    match view:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.Dict(keys=keys, values=parts) if all(isinstance(k, ast.Constant) for k in keys):
            pass
        case _:
            return None
    bases = {view_base(context, p, PURE_VIEWS) for p in parts if not isinstance(p, ast.Constant)}
    return bases.pop() if len(bases) == 1 and not _is_changed(context, name) else None


def _is_changed(context: Context, name: str) -> bool:
    """Whether more is done with a container than returning it and reading its items."""
    body = context.function.body
    nodes = [n for part in (body if isinstance(body, list) else [body]) for n in walk(part)]
    loads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Store)]
    return not all(_only_reads(context, node) for node in loads)


def _only_reads(context: Context, node: ast.Name) -> bool:
    parents = context.names.parents
    above: ast.AST = parents[node]
    below: ast.expr = node
    while isinstance(above, ast.Tuple) and isinstance(above.ctx, ast.Load):
        above = parents[above]
    if isinstance(above, ast.Return):
        return True
    above = parents[node]
    while isinstance(above, ast.Subscript) and below is above.value:
        if not isinstance(above.ctx, ast.Load):
            return False
        below = above
        above = parents[below]
    if below is node:
        return False
    if isinstance(above, ast.Attribute):
        return _is_tensor(context, below) and not above.attr.endswith("_") and above.attr not in ("data", "grad")
    return isinstance(above, (ast.Assign, ast.BinOp, ast.Return, ast.Tuple))


def bindings(context: Context, name: str, here: ast.stmt) -> tuple[ast.AST, ...]:
    """The statements that bound the tensor which the name holds at the start of a statement."""
    found: dict[ast.AST, None] = {}
    seen: set[ast.AST] = set()
    todo = [here]
    while todo:
        for stmt in context.flow.reaching(name, todo.pop()):
            if stmt in seen:
                continue
            seen.add(stmt)
            if isinstance(stmt, ast.AugAssign) and _writes(context, stmt):
                todo.append(stmt)
            else:
                found[stmt] = None
    return tuple(found)


def _derived(
    context: Context, made: tuple[ast.AST, ...], here: ast.stmt, views: frozenset[str], writes_stay: bool
) -> Derivation | None:
    stmt = made[0] if len(made) == 1 else None
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        return None
    base = view_base(context, stmt.value, views)
    if base is None or not _stays(context, stmt.value, stmt, here, writes_stay):
        return None
    return Derivation(base, stmt.value, stmt)


def _stays(context: Context, value: ast.expr, stmt: ast.stmt, here: ast.stmt, writes_stay: bool) -> bool:
    """Whether the names in a value hold on the way from one statement to the other what they held."""
    flow = context.flow
    used = {part.id for part in walk(value) if isinstance(part, ast.Name)}
    changing = [node.stmt for node in flow.graph.nodes if node.stmt is not None and used & node.effects.all_writes]
    if writes_stay:
        changing = [s for s in changing if not (isinstance(s, ast.AugAssign) and _writes(context, s))]
    between = flow.between(stmt, here, [s for s in changing if isinstance(s, ast.stmt)])
    return between is not None and between[1] == 0 and not used & flow.captured_writes


def _is_tensor(context: Context, node: ast.expr) -> bool:
    info = context.kinds.of(node)
    return info.kind in TENSOR_KINDS and info.certain


def _writes(context: Context, stmt: ast.AugAssign) -> bool:
    """Whether an augmented assignment writes into a tensor; on a number it gives the name a new one."""
    before = context.kinds.before(stmt) if isinstance(stmt.target, (ast.Name, ast.Attribute)) else context.kinds.of(stmt.target)
    return before.is_tensor and not before.optional


def view_base(context: Context, view: ast.expr, views: frozenset[str] = PURE_VIEWS) -> str | None:
    """The variable at the start of a chain of sure views."""
    while not isinstance(view, ast.Name):
        inner = _step(context, view, views)
        if inner is None or not _is_tensor(context, inner):
            return None
        view = inner
    return view.id if _is_tensor(context, view) else None


def _step(context: Context, view: ast.expr, views: frozenset[str]) -> ast.expr | None:
    """The tensor that the outermost operation of a view takes."""
    if isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute):
        if view.func.attr not in views or view.func.attr in SPLITTING:
            return None
        name = context.names.of(view.func)
        if name is None:
            return view.func.value
        return view.args[0] if name == f"torch.{view.func.attr}" and view.args else None
    if isinstance(view, ast.Attribute) and view.attr in views:
        return view.value
    if isinstance(view, ast.Subscript) and (split := _split(context, view)) is not None:
        return split
    if isinstance(view, ast.Subscript) and context.index_kind(view.slice) == "basic":
        return view.value
    return None


def _split(context: Context, view: ast.Subscript) -> ast.expr | None:
    """The tensor of `x.tensor_split(2)[0]`."""
    call = view.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in SPLITTING:
        return None
    if not isinstance(view.slice, ast.Constant):
        return None
    name = context.names.of(call.func)
    if name is None:
        return call.func.value
    return call.args[0] if name == f"torch.{call.func.attr}" and call.args else None
