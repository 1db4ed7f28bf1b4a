"""Questions about the paths of a control flow graph."""

from __future__ import annotations

from torch2ms.analysis.cfg import Graph, Node


def dominators(graph: Graph) -> list[set[int]]:
    """For each node the nodes on every path to it from the entry; all nodes for one that is never reached."""
    every = set(range(len(graph.nodes)))
    found = [set(every) for _ in graph.nodes]
    found[graph.entry.index] = {graph.entry.index}
    changed = True
    while changed:
        changed = False
        for node in graph.nodes:
            for target in (*node.successors, *node.raises):
                if target is graph.entry:
                    continue
                new = found[target.index] & (found[node.index] | {target.index})
                new.add(target.index)
                if new != found[target.index]:
                    found[target.index] = new
                    changed = True
    return found


def count_between(graph: Graph, starts: list[Node], ends: list[Node], marks: set[int]) -> tuple[int, int | None] | None:
    """Fewest and most nodes of `marks` on paths from `starts` to one of `ends` (exclusive); see `Flow.between`."""
    inner = _on_paths(graph, starts, ends)
    direct = any(end in starts for end in ends)
    if not inner and not direct:
        return None
    edges = {n: [t for t in _next(graph.nodes[n]) if t.index in inner] for n in inner}
    last = {n for n in inner if any(end in _next(graph.nodes[n]) for end in ends)}
    fewest = 0 if direct else _fewest([n.index for n in starts if n.index in inner], last, edges, marks)
    return fewest, _most({n.index for n in starts if n.index in inner}, edges, marks)


def _next(node: Node) -> list[Node]:
    """Where control goes from a node, also by an exception."""
    return [*node.successors, *node.raises] if node.raises else node.successors


def _on_paths(graph: Graph, starts: list[Node], ends: list[Node]) -> set[int]:
    """Nodes reached from `starts` before `ends` from which one of `ends` can be reached."""
    forward: set[int] = set()
    todo = [n for n in starts if n not in ends]
    while todo:
        node = todo.pop()
        if node.index not in forward:
            forward.add(node.index)
            todo += [t for t in _next(node) if t not in ends]
    before: dict[int, list[int]] = {}
    for index in forward:
        for target in _next(graph.nodes[index]):
            before.setdefault(target.index, []).append(index)
    backward: set[int] = set()
    indices = [index for end in ends for index in before.get(end.index, ())]
    while indices:
        index = indices.pop()
        if index not in backward:
            backward.add(index)
            indices += before.get(index, ())
    return backward


def _fewest(starts: list[int], last: set[int], edges: dict[int, list[Node]], marks: set[int]) -> int:
    best = {n: int(n in marks) for n in starts}
    todo = list(starts)
    while todo:
        current = todo.pop()
        for target in edges[current]:
            cost = best[current] + (target.index in marks)
            if cost < best.get(target.index, cost + 1):
                best[target.index] = cost
                todo.append(target.index)
    return min((best[n] for n in last if n in best), default=0)


def _most(starts: set[int], edges: dict[int, list[Node]], marks: set[int]) -> int | None:
    """The longest path counted in marks; None where a mark lies on a cycle."""
    component = _components(edges)
    for node, targets in edges.items():
        cyclic = any(component[t.index] == component[node] for t in targets)
        if node in marks and cyclic:
            return None
    best: dict[int, int] = {}
    reach = {component[s] for s in starts}
    weights: dict[int, int] = {}
    for node in edges:
        weights[component[node]] = weights.get(component[node], 0) + (node in marks)
    # components are numbered so that an edge never leads to a higher number
    for number in sorted(weights, reverse=True):
        if number in reach:
            best[number] = max(best.get(number, 0), weights[number])
        if number not in best:
            continue
        for node in edges:
            if component[node] == number:
                for target in edges[node]:
                    other = component[target.index]
                    if other != number:
                        best[other] = max(best.get(other, 0), best[number] + weights[other])
    return max(best.values(), default=0)


def _components(edges: dict[int, list[Node]]) -> dict[int, int]:
    """Strongly connected components (Tarjan), numbered in reverse topological order."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    component: dict[int, int] = {}
    stack: list[int] = []
    for root in edges:
        if root in order:
            continue
        work = [(root, iter(edges[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        while work:
            node, targets = work[-1]
            target = next(targets, None)
            if target is not None:
                if target.index not in order:
                    order[target.index] = low[target.index] = len(order)
                    stack.append(target.index)
                    work.append((target.index, iter(edges[target.index])))
                elif target.index not in component:
                    low[node] = min(low[node], order[target.index])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == order[node]:
                number = len(set(component.values()))
                while True:
                    member = stack.pop()
                    component[member] = number
                    if member == node:
                        break
    return component
