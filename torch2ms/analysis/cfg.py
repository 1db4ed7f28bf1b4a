"""The control flow graph of one function or module body, over statements and the headers of compound ones."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch2ms.analysis.effects import EffectReader, Effects

_TRY = (ast.Try, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))
_MATCH = getattr(ast, "Match", None)


@dataclass(slots=True, eq=False)
class Node:
    """A point where something is evaluated; `stmt` is the statement it belongs to (for a header the compound statement)."""

    index: int
    stmt: ast.AST | None
    effects: Effects
    parts: tuple[ast.AST, ...] = ()  # what is evaluated, in order
    successors: list[Node] = field(default_factory=list)
    predecessors: list[Node] = field(default_factory=list)
    raises: list[Node] = field(default_factory=list)  # where an exception raised here is caught


@dataclass(slots=True)
class _Loop:
    head: Node
    breaks: list[Node]
    finals: int  # how many finally blocks were open outside the loop


@dataclass(slots=True)
class _Final:
    entry: Node
    jumps: list[tuple[str, _Loop | None]]


class Graph:
    """Nodes from `entry` to `exit`; `entries[stmt]` are the nodes where a statement begins.

    A finally block stands twice: after a normal end, and on the way of exceptions and jumps.
    """

    def __init__(self, body: list[ast.stmt], reader: EffectReader) -> None:
        self._reader = reader
        self.nodes: list[Node] = []
        self.entries: dict[ast.AST, list[Node]] = {}
        self.entry = self._node(None)
        self.exit = self._node(None)
        self._loops: list[_Loop] = []
        self._finals: list[_Final] = []
        self._handlers: list[tuple[list[Node], bool]] = []  # where exceptions go, and whether all of them do
        self._link(self._block(body, [self.entry]), self.exit)

    def begins(self, node: Node) -> bool:
        """Whether the statement of the node begins there."""
        return node.stmt is not None and node in self.entries.get(node.stmt, ())

    def _node(self, stmt: ast.AST | None, *parts: ast.AST | None) -> Node:
        present = tuple(p for p in parts if p is not None)
        node = Node(len(self.nodes), stmt, self._reader.of(present), present)
        self.nodes.append(node)
        if stmt is not None:
            for handlers, every in reversed(self._handlers):
                node.raises.extend(handlers)
                if every:
                    break
        return node

    def _link(self, sources: list[Node], target: Node) -> None:
        for source in sources:
            if target not in source.successors:
                source.successors.append(target)
                target.predecessors.append(source)

    def _then(self, sources: list[Node], node: Node) -> list[Node]:
        self._link(sources, node)
        return [node]

    def _block(self, body: list[ast.stmt], incoming: list[Node]) -> list[Node]:
        for stmt in body:
            incoming = self._statement(stmt, incoming)
        return incoming

    def _statement(self, stmt: ast.stmt, incoming: list[Node]) -> list[Node]:
        at = len(self.nodes)
        after = self._flow(stmt, incoming)
        self.entries.setdefault(stmt, []).append(self.nodes[at])
        return after

    def _flow(self, stmt: ast.stmt, incoming: list[Node]) -> list[Node]:
        if isinstance(stmt, ast.If):
            test = self._then(incoming, self._node(stmt, stmt.test))
            return [*self._block(stmt.body, test), *self._block(stmt.orelse, test)]
        if isinstance(stmt, (ast.For, ast.AsyncFor)):
            return self._for(stmt, incoming)
        if isinstance(stmt, ast.While):
            return self._while(stmt, incoming)
        if isinstance(stmt, _TRY):
            return self._try(stmt, incoming)
        if isinstance(stmt, (ast.With, ast.AsyncWith)):
            parts = [p for item in stmt.items for p in (item.context_expr, item.optional_vars)]
            return self._block(stmt.body, self._then(incoming, self._node(stmt, *parts)))
        if _MATCH is not None and isinstance(stmt, _MATCH):
            return self._match(stmt, incoming)
        after = self._then(incoming, self._node(stmt, stmt))
        if isinstance(stmt, ast.Return):
            return self._jump("return", None, after)
        if isinstance(stmt, ast.Raise):
            return self._jump("raise", None, after)
        if isinstance(stmt, ast.Break) and self._loops:
            return self._jump("break", self._loops[-1], after)
        if isinstance(stmt, ast.Continue) and self._loops:
            return self._jump("continue", self._loops[-1], after)
        return after

    def _jump(self, how: str, loop: _Loop | None, sources: list[Node]) -> list[Node]:
        """Leaves the block; through the innermost open finally block first."""
        outer = loop.finals if loop is not None else 0
        if len(self._finals) > outer:
            final = self._finals[-1]
            self._link(sources, final.entry)
            final.jumps.append((how, loop))
        elif how == "raise":
            self._link(sources, self.exit)
        elif how == "return":
            self._link(sources, self.exit)
        elif loop is not None and how == "continue":
            self._link(sources, loop.head)
        elif loop is not None:
            loop.breaks.extend(sources)
        return []

    def _for(self, stmt: ast.For | ast.AsyncFor, incoming: list[Node]) -> list[Node]:
        start = self._then(incoming, self._node(stmt, stmt.iter))
        head = self._node(stmt)
        self._link(start, head)
        bind = self._then([head], self._node(stmt, stmt.target))
        return self._body(stmt, head, bind, [head])

    def _while(self, stmt: ast.While, incoming: list[Node]) -> list[Node]:
        head = self._node(stmt, stmt.test)
        self._link(incoming, head)
        endless = isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)
        return self._body(stmt, head, [head], [] if endless else [head])

    def _body(
        self, stmt: ast.For | ast.AsyncFor | ast.While, head: Node, into: list[Node], done: list[Node]
    ) -> list[Node]:
        loop = _Loop(head, [], len(self._finals))
        self._loops.append(loop)
        self._link(self._block(stmt.body, into), head)
        self._loops.pop()
        return [*self._block(stmt.orelse, done), *loop.breaks]

    def _match(self, stmt: ast.Match, incoming: list[Node]) -> list[Node]:
        current = self._then(incoming, self._node(stmt, stmt.subject))
        ends: list[Node] = []
        for case in stmt.cases:
            pattern = self._then(current, self._node(stmt, case.pattern, case.guard))
            ends += self._block(case.body, pattern)
            current = [*current, *pattern]
        return [*ends, *current]

    def _try(self, stmt: ast.Try, incoming: list[Node]) -> list[Node]:
        start = self._node(stmt)
        self._link(incoming, start)
        final: _Final | None = None
        if stmt.finalbody:
            final = _Final(self._node(stmt), [])
            self._finals.append(final)
            self._handlers.append(([final.entry], True))
        handlers = [self._node(stmt, h.type, _named(h)) for h in stmt.handlers]
        if handlers:
            self._handlers.append((handlers, any(_catches_all(h) for h in stmt.handlers)))
        first = self._node(stmt)
        self._link([start], first)
        ends = self._block(stmt.body, [first])
        if handlers:
            self._handlers.pop()
        ends = self._block(stmt.orelse, ends)
        for node, handler in zip(handlers, stmt.handlers, strict=True):
            ends += self._block(handler.body, [node])
        if final is None:
            return ends
        self._handlers.pop()
        return self._finally(stmt, final, ends)

    def _finally(self, stmt: ast.Try, final: _Final, ends: list[Node]) -> list[Node]:
        self._finals.pop()
        after = self._block(stmt.finalbody, ends) if ends else []
        leaving = self._block(stmt.finalbody, [final.entry])
        for how, loop in final.jumps:
            self._jump(how, loop, leaving)
        self._link(leaving, self.exit)
        return after


def _catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether every exception ends in the handler (what leaves the program counts as caught)."""
    return (
        handler.type is None or isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )


def _named(handler: ast.ExceptHandler) -> ast.AST | None:
    if handler.name is None:
        return None
    return ast.Name(handler.name, ast.Store(), lineno=handler.lineno, col_offset=handler.col_offset)
