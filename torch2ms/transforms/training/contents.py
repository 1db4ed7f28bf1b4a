"""What an optimizer's gradients are made of when it steps: a walk over the paths of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping

from torch2ms.analysis.flow import Flow
from torch2ms.transforms.training.events import Act, Event

# a run of backwards since the last zeroing, as event indices; UNKNOWN: gradients from outside the function
Content = tuple[int, ...]
UNKNOWN = -1
MANY = -2
_LONGEST = 4


class Contents:
    """For one optimizer: which backwards its gradients may hold before each event."""

    def __init__(
        self,
        flow: Flow,
        events: list[Event],
        clears: Callable[[Event], bool],
        created: Iterable[ast.stmt],
        start: Iterable[Content],
        anchors: Mapping[int, ast.stmt],
    ) -> None:
        self._flow = flow
        self._events = events
        self._clears = clears
        self._created = set(created)
        self._at: dict[ast.AST, list[int]] = {}
        for index, event in enumerate(events):
            self._at.setdefault(anchors.get(index, event.stmt), []).append(index)
        self.before: dict[int, frozenset[Content]] = {}
        self.at_exit: frozenset[Content] = frozenset()
        self._run(frozenset(start))

    def _run(self, start: frozenset[Content]) -> None:
        graph = self._flow.graph
        states: dict[int, frozenset[Content]] = {graph.entry.index: start}
        todo = [graph.entry]
        while todo:
            node = todo.pop()
            state = states[node.index]
            after = self._through(node.stmt, state) if node.stmt is not None and graph.begins(node) else state
            for target, new in [*((t, after) for t in node.successors), *((t, state | after) for t in node.raises)]:
                known = states.get(target.index)
                if known is None or not new <= known:
                    states[target.index] = (known or frozenset()) | new
                    todo.append(target)
        self.at_exit = states.get(graph.exit.index, frozenset())

    def _through(self, stmt: ast.AST, state: frozenset[Content]) -> frozenset[Content]:
        if stmt in self._created:
            state = frozenset({()})
        for index in self._at.get(stmt, ()):
            self.before[index] = self.before.get(index, frozenset()) | state
            event = self._events[index]
            if event.act is Act.BACKWARD:
                state = frozenset(_longer(content, index) for content in state)
            elif event.act is Act.ZERO and self._clears(event):
                state = frozenset({()})
        return state


def _longer(content: Content, index: int) -> Content:
    if len(content) < _LONGEST:
        return (*content, index)
    rest = set(content[_LONGEST:]) - {MANY}
    if index not in content:
        rest.add(index)
    return (*content[:_LONGEST], *sorted(rest), MANY)
