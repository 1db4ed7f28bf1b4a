"""MindSpore targets: parsing a row's right side and laying out the arguments of a bound call for it."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from torch2ms.edits import ROOTS
from torch2ms.rules.pieces import Piece, shown
from torch2ms.rules.signature import Bound, Passed, Signature, Unbindable

# arguments that say where a tensor lives or how fast it gets there, never what it is
PLACEMENT = frozenset({"device", "pin_memory", "non_blocking", "memory_format"})


class Slot(NamedTuple):
    """One argument on the right: a parameter's name, or an expression over parameters that is always written."""

    expr: ast.expr
    parameter: str | None
    keyword: str | None = None
    starred: bool = False
    spelled: str | None = None  # the target's own name of a positional parameter, where it differs
    always: bool = False  # `+dim`: written even where PyTorch's default holds, because MindSpore's is another
    tupled: bool = False  # `(*dims,)`: a variadic parameter that the target takes as a tuple even if it is one number

    @property
    def by_keyword(self) -> str | None:
        """The name under which the argument is passed by keyword; None where it must be positional."""
        return None if self.spelled == "_" or self.starred else self.keyword or self.spelled or self.parameter


class Target(NamedTuple):
    """The right side of a row: the callee (or, with `slots` None, the whole expression) and its arguments."""

    callee: ast.expr
    slots: tuple[Slot, ...] | None
    used: frozenset[str]

    @property
    def is_method(self) -> bool:
        """Whether the right side is a method or an attribute of the receiver."""
        node = self.callee
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id == "self"

    def keeps_positions(self, signature: Signature | None) -> bool:
        """Whether every positional parameter of the left has the same place on the right."""
        if signature is None or self.slots is None:
            return signature is None and self.slots is None
        own = [s for s in self.slots if s.keyword is None]
        positional = [p for p in signature.positional if not (self.is_method and p.name == "self")]
        left = [p for p in positional if p.name in self.used]
        for index, slot in enumerate(own):
            if slot.parameter is None or index >= len(positional):
                return False
            parameter = positional[index]
            if parameter.name != slot.parameter or parameter.variadic != slot.starred:
                return False
        by_keyword = {s.parameter for s in self.slots if s.keyword is not None and s.parameter == s.keyword}
        return len(own) + sum(p.name in by_keyword for p in left) >= len(left) and all(s.parameter for s in self.slots)


def parse_target(text: str, signature: Signature | None) -> Target:
    """Parses the right side; names of parameters become slots."""
    names = set(signature.by_name) if signature else {"self"}
    body = ast.parse(text, mode="eval").body
    used = frozenset(n.id for n in ast.walk(body) if isinstance(n, ast.Name) and n.id in names)
    # in `device.synchronize(device)` the first is the module
    if not isinstance(body, ast.Call) or signature is None or root_name(body.func) in names - {"self", *ROOTS}:
        return Target(body, None, used)
    slots = [_slot(arg, None, names) for arg in body.args]
    slots += [_slot(k.value, k.arg, names) for k in body.keywords]
    return Target(body.func, tuple(slots), used)


def root_name(node: ast.expr) -> str | None:
    """The first word of a dotted name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _slot(node: ast.expr, keyword: str | None, names: set[str]) -> Slot:
    starred = isinstance(node, ast.Starred)
    inner = node.value if isinstance(node, ast.Starred) else node
    spelled = None
    if isinstance(inner, ast.NamedExpr):
        spelled, inner = inner.target.id, inner.value
    tupled = always = False
    match inner:
        case ast.UnaryOp(op=ast.UAdd(), operand=ast.Name() as name):
            always, inner = True, name
        case ast.Tuple(elts=[ast.Starred(value=ast.Name() as name)]):
            tupled, inner = True, name
    parameter = inner.id if isinstance(inner, ast.Name) and inner.id in names else None
    return Slot(inner, parameter, keyword, starred, spelled, always, tupled)


def lay_out(target: Target, bound: Bound, call: ast.Call, receiver: ast.expr | None) -> tuple[Piece, ...] | None:
    """The arguments for the target, in the order of the source where possible; None where they can stay as written."""
    assert target.slots is not None
    if bound.starred is not None or bound.keywords:
        _check_open_ended(target, bound)
    built = any(s.parameter is None and not isinstance(s.expr, ast.Constant) for s in target.slots)
    pieces = None if built else _in_source_order(target.slots, bound)
    if pieces is None:
        pieces = list(_in_target_order(target.slots, bound))
    pieces += [Piece("$0", (k.value,), k.arg, "" if k.arg else "**") for k in bound.keywords]
    own = [Piece("$0", (a.value,), star="*") if isinstance(a, ast.Starred) else Piece("$0", (a,)) for a in call.args]
    own += [Piece("$0", (k.value,), k.arg, "" if k.arg else "**") for k in call.keywords]
    if (receiver is None or target.is_method) and _equal(pieces, own):
        return None
    return tuple(pieces)


def _equal(new: list[Piece], old: list[Piece]) -> bool:
    return len(new) == len(old) and all(
        a.text == b.text and a.keyword == b.keyword and a.star == b.star
        and len(a.parts) == len(b.parts) and all(p is q for p, q in zip(a.parts, b.parts))
        for a, b in zip(new, old)
    )


def _check_open_ended(target: Target, bound: Bound) -> None:
    """Refuses `*args` or `**kwargs` at the call where what they hold would have to move."""
    assert target.slots is not None
    if bound.starred is not None:
        shift = 1 if target.is_method else 0
        for offset, parameter in enumerate(bound.signature.positional[bound.starred_at:]):
            index = bound.starred_at + offset - shift
            slot = target.slots[index] if index < len(target.slots) else None
            moved = slot is None or slot.keyword is not None or slot.parameter != parameter.name
            if parameter.name in PLACEMENT:
                break  # what follows a device is not passed by position
            if moved:
                raise Unbindable("is called with `*` arguments that would have to be taken apart")
    if any(k.arg is None for k in bound.keywords):
        for slot in target.slots:
            if slot.parameter and slot.parameter not in bound.passed and slot.by_keyword != slot.parameter:
                raise Unbindable("is called with `**` arguments, one of which may have another name")


def _in_source_order(slots: tuple[Slot, ...], bound: Bound) -> list[Piece] | None:
    """Keeps the order of the source; None where the target wants another order of positional arguments."""
    if any(s.parameter is None and s.keyword is None for s in slots):
        return None
    places = {s.parameter: (i, s) for i, s in enumerate(slots) if s.parameter}
    shown = [(name, passed) for name, passed in bound.passed.items() if name in places]
    pieces: list[Piece] = []
    later: list[Piece] = []
    for name, passed in shown:
        index, slot = places[name]
        if passed.place is None:
            if slot.by_keyword is not None:
                later.append(_named(slot, passed, bound))
            elif index == len(pieces):
                pieces.append(Piece("$0", (passed.value,)))
            else:
                return None
        elif slot.keyword is None and index == len(pieces):
            pieces += _positional(slot, passed, bound)
        elif slot.keyword is None and any(s.parameter in bound.passed for s in slots[len(pieces):index]):
            return None  # something that is passed, too, has to stand before it
        elif slot.by_keyword is not None and index >= len(pieces):
            later.append(Piece("$0", (passed.value,), slot.by_keyword))
        else:
            return None
    if bound.starred is not None:
        pieces.append(Piece("$0", (bound.starred.value,), star="*"))
        pieces += [_plain(value) for value in bound.after_star]
    return pieces + later + list(_extra(slots, bound))


def _named(slot: Slot, passed: Passed, bound: Bound) -> Piece:
    piece = sized(passed, slot.tupled and bound.is_number)
    return Piece(piece.text, piece.parts, slot.by_keyword)


def _plain(value: ast.expr) -> Piece:
    return Piece("$0", (value.value,), star="*") if isinstance(value, ast.Starred) else Piece("$0", (value,))


def _extra(slots: tuple[Slot, ...], bound: Bound) -> Iterator[Piece]:
    """Literals that the row or the binding adds."""
    for slot in slots:
        if slot.parameter in bound.literals:
            yield Piece(bound.literals[slot.parameter], (), slot.by_keyword)
        elif slot.parameter is None:
            yield Piece(shown(slot.expr), (), slot.keyword)
        elif slot.always and slot.parameter not in bound.passed:
            yield Piece(shown(_default(slot, bound)), (), slot.by_keyword)


def _default(slot: Slot, bound: Bound) -> ast.expr:
    default = bound.signature.by_name[slot.parameter or ""].default
    if default is None:
        raise Unbindable(f"is called without `{slot.parameter}`")
    return default


def _positional(slot: Slot, passed: Passed, bound: Bound) -> list[Piece]:
    if slot.parameter is None or not bound.signature.by_name[slot.parameter].variadic:
        return [Piece("$0", (passed.value,))]
    if slot.starred:
        return [_plain(value) for value in passed.values]
    return [sized(passed, slot.tupled and bound.is_number)]


def sized(passed: Passed, is_number: Callable[[ast.expr], bool] | Literal[False] = False) -> Piece:
    """One argument for what was passed to a variadic size: several values as a tuple, a single one as it is.

    With `is_number` a single number becomes a tuple, too.
    """
    if len(passed.values) == 1:
        value = passed.values[0]
        if not isinstance(value, ast.Starred):
            return Piece("($0,)" if is_number and is_number(value) else "$0", (value,))
        if isinstance(value.value, ast.Attribute) and value.value.attr == "shape":
            return Piece("$0", (value.value,))
    inner = [f"*${i}" if isinstance(v, ast.Starred) else f"${i}" for i, v in enumerate(passed.values)]
    parts = tuple(v.value if isinstance(v, ast.Starred) else v for v in passed.values)
    return Piece(f"({', '.join(inner)}{',' if len(inner) == 1 else ''})", parts)


def _in_target_order(slots: tuple[Slot, ...], bound: Bound) -> Iterator[Piece]:
    gap = False
    for slot in slots:
        if slot.parameter is None:
            text, parts = substitute(slot.expr, bound)
            yield Piece(text, parts, slot.keyword, "*" if slot.starred else "")
            continue
        passed = bound.passed.get(slot.parameter)
        if passed is None:
            if slot.parameter in bound.literals:
                yield Piece(bound.literals[slot.parameter], (), slot.by_keyword)
            elif slot.always:
                yield Piece(shown(_default(slot, bound)), (), slot.by_keyword)
            gap = gap or slot.keyword is None
        elif slot.keyword is None and not gap:
            yield from _positional(slot, passed, bound)
        elif slot.by_keyword is None:
            raise Unbindable(f"is called with `{slot.parameter}` but without an argument before it")
        else:
            yield Piece("$0", (passed.value,), slot.by_keyword)


def substitute(expr: ast.expr, bound: Bound) -> tuple[str, tuple[ast.expr, ...]]:
    """Template text and parts of an expression over parameters; a parameter that was not passed stands for its default."""
    parts: list[ast.expr] = []

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            parameter = bound.signature.by_name.get(node.id)
            if parameter is None:
                return ast.Name(f"__root__{node.id}", ast.Load()) if node.id in ROOTS else node
            if node.id in bound.literals:
                return ast.parse(bound.literals[node.id], mode="eval").body
            passed = bound.passed.get(node.id)
            if passed is None:
                if parameter.default is None:
                    raise Unbindable(f"is called without `{node.id}`")
                return parameter.default
            parts.append(passed.value)
            return ast.Name(f"__part__{len(parts) - 1}", ast.Load())

    filled = Fill().visit(ast.parse(ast.unparse(expr), mode="eval").body)
    return shown(filled).replace("__root__", "$").replace("__part__", "$"), tuple(parts)
