"""`einsum` as a chain of batched matrix products."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from mindspore import Tensor, ops

from .common import product
from .products import matmul
from .reduction import sum as total

__all__ = ["einsum"]

Labels = tuple[str, ...]
Shape = tuple[int, ...]


class _Prepared(NamedTuple):
    """How one operand is readied: diagonals of repeated labels, then a sum over labels that occur nowhere else."""

    diagonals: tuple[tuple[int, int], ...]
    summed: tuple[int, ...]


class _Step(NamedTuple):
    """One product of the running result with the next operand, as a batched matrix product."""

    left_order: Shape
    left_shape: Shape
    right_order: Shape
    right_shape: Shape
    result_shape: Shape


class _Plan(NamedTuple):
    prepared: tuple[_Prepared, ...]
    steps: tuple[_Step, ...]
    order: Shape


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sum products of the operands' elements as the equation says; `...` broadcasts."""
    tensors = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    plan = _planned(equation, tuple([tuple(t.shape) for t in tensors]))
    result = _prepare(tensors[0], plan[0][0])
    for i in range(1, len(tensors)):
        result = _multiply(result, _prepare(tensors[i], plan[0][i]), plan[1][i - 1])
    order = plan[2]
    return result if order == tuple(range(len(order))) else result.permute(order)


def _prepare(x: Tensor, how: Any) -> Tensor:
    for first, second in how[0]:
        x = ops.diagonal(x, 0, first, second)
    return total(x, how[1]) if len(how[1]) else x


def _multiply(a: Tensor, b: Tensor, step: Any) -> Tensor:
    left = _arranged(a, step[0], step[1])
    right = _arranged(b, step[2], step[3])
    if step[1][-1] == 1:
        return (left * right).reshape(step[4])
    return matmul(left, right).reshape(step[4])


def _arranged(x: Tensor, order: Shape, shape: Shape) -> Tensor:
    x = x if order == tuple(range(len(order))) else x.permute(order)
    return x.reshape(shape)


@ops.constexpr(check=False)
def _planned(equation: str, shapes: tuple[Shape, ...]) -> _Plan:
    return _plan(equation, shapes)


@lru_cache(maxsize=512)
def _plan(equation: str, shapes: tuple[Shape, ...]) -> _Plan:
    terms, output = _parse(equation, shapes)
    prepared, labels, sizes = [], [], []
    for i, (term, shape) in enumerate(zip(terms, shapes)):
        elsewhere = set(output).union(*(terms[:i] + terms[i + 1 :]))
        how, kept, size = _preparation(term, shape, elsewhere)
        prepared.append(how)
        labels.append(kept)
        sizes.append(size)
    steps = []
    running, extent = labels[0], sizes[0]
    for i in range(1, len(terms)):
        later = set(output).union(*labels[i + 1 :])
        step, running, extent = _step(running, extent, labels[i], sizes[i], later)
        steps.append(step)
    return _Plan(tuple(prepared), tuple(steps), tuple(running.index(label) for label in output))


def _parse(equation: str, shapes: tuple[Shape, ...]) -> tuple[list[Labels], Labels]:
    left, arrow, right = equation.replace(" ", "").partition("->")
    raw = left.split(",")
    if len(raw) != len(shapes):
        raise ValueError(f"einsum(): the equation names {len(raw)} operands, {len(shapes)} were given")
    hidden = [len(shape) - len(term.replace("...", "")) for term, shape in zip(raw, shapes)]
    if any(n < 0 or (n > 0 and "..." not in term) for n, term in zip(hidden, raw)):
        raise ValueError(f"einsum(): the ranks of the operands do not fit {equation!r}")
    widest = max([n for n, term in zip(hidden, raw) if "..." in term], default=0)
    dots = tuple(f".{i}" for i in range(widest))

    def expand(term: str, n: int) -> Labels:
        before, found, after = term.partition("...")
        return tuple(before) + (dots[widest - n :] if found else ()) + tuple(after)

    terms = [expand(term, n) for term, n in zip(raw, hidden)]
    if arrow:
        return terms, expand(right, widest)
    letters = "".join(raw).replace("...", "")
    return terms, dots + tuple(sorted(c for c in set(letters) if letters.count(c) == 1))


def _preparation(term: Labels, shape: Shape, elsewhere: set[str]) -> tuple[_Prepared, Labels, Shape]:
    labels, sizes, diagonals = list(term), list(shape), []
    while len(set(labels)) < len(labels):
        label = next(c for c in labels if labels.count(c) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        diagonals.append((first, second))
        size = sizes[first]
        for position in (second, first):
            del labels[position], sizes[position]
        labels.append(label)
        sizes.append(size)
    summed = tuple(i for i, label in enumerate(labels) if label not in elsewhere)
    kept = [i for i in range(len(labels)) if i not in summed]
    return _Prepared(tuple(diagonals), summed), tuple(labels[i] for i in kept), tuple(sizes[i] for i in kept)


def _step(a: Labels, a_sizes: Shape, b: Labels, b_sizes: Shape, later: set[str]) -> tuple[_Step, Labels, Shape]:
    a_size, b_size = dict(zip(a, a_sizes)), dict(zip(b, b_sizes))
    shared = [c for c in a if c in b_size]
    # a shared label of size one on one side only is broadcast, which the batched product does for its batch alone
    stretched = [c for c in shared if a_size[c] != b_size[c]]
    batch = [c for c in shared if c in later or c in stretched]
    inner = [c for c in shared if c not in batch]
    left, right = [c for c in a if c not in b_size], [c for c in b if c not in a_size]
    rows, depth = product([a_size[c] for c in left]), product([a_size[c] for c in inner])
    columns = product([b_size[c] for c in right])
    batch_sizes = tuple(max(a_size[c], b_size[c]) for c in batch)
    result = batch_sizes + tuple(a_size[c] for c in left) + tuple(b_size[c] for c in right)
    step = _Step(
        tuple(a.index(c) for c in batch + left + inner),
        tuple(a_size[c] for c in batch) + (rows, depth),
        tuple(b.index(c) for c in batch + inner + right),
        tuple(b_size[c] for c in batch) + (depth, columns),
        result,
    )
    labels = tuple(batch + left + right)
    dropped = [c for c in stretched if c not in later]
    if dropped:
        raise NotImplementedError("einsum(): a summed dimension is broadcast; give it its full size first")
    return step, labels, result
