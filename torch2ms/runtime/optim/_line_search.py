"""The line search of L-BFGS: a step that satisfies the strong Wolfe conditions.

Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6, with the interpolation and the safeguards of
minFunc (M. Schmidt, 2005), which PyTorch's version follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from mindspore import Tensor

_SUFFICIENT, _CURVATURE, _TOLERANCE = 1e-4, 0.9, 1e-9


@dataclass(frozen=True)
class Point:
    """A point on the line: the step `t`, loss and gradient there, and the slope along the line."""

    t: float
    loss: float
    gradient: Tensor
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Point], start: Point, t: float, direction_size: float, max_ls: int
) -> tuple[Point, int]:
    """Return a point that satisfies the conditions, or the best found, and the number of evaluations.

    `direction_size` is the largest magnitude of an element of the direction.
    """
    search = _Search(evaluate, start, max_ls)
    bracket, done = search.bracket(t)
    if not done:
        bracket = search.zoom(bracket, direction_size)
    low = min(bracket, key=lambda point: point.loss) if len(bracket) > 1 else bracket[0]
    return low, search.evaluations


class _Search:
    def __init__(self, evaluate: Callable[[float], Point], start: Point, max_ls: int) -> None:
        self._evaluate = evaluate
        self._start = start
        self._left = max_ls
        self.evaluations = 0

    def _at(self, t: float) -> Point:
        self.evaluations += 1
        return self._evaluate(t)

    def _too_high(self, point: Point) -> bool:
        return point.loss > self._start.loss + _SUFFICIENT * point.t * self._start.slope

    def _flat_enough(self, point: Point) -> bool:
        return abs(point.slope) <= -_CURVATURE * self._start.slope

    def bracket(self, t: float) -> tuple[list[Point], bool]:
        """Go on until a point is good (True) or two points enclose a good one."""
        before, point = self._start, self._at(t)
        tries = 0
        while tries < self._left:
            if self._too_high(point) or (tries > 1 and point.loss >= before.loss):
                break
            if self._flat_enough(point):
                return [point], True
            if point.slope >= 0:
                break
            bounds = (point.t + 0.01 * (point.t - before.t), point.t * 10)
            before, point = point, self._at(_interpolate(before, point, bounds))
            tries += 1
        else:
            before = self._start
        self._left -= tries
        return [before, point], False

    def zoom(self, bracket: list[Point], direction_size: float) -> list[Point]:
        """Narrow the bracket until one end is good."""
        stuck = False
        low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
        while self._left > 0:
            if abs(bracket[1].t - bracket[0].t) * direction_size < _TOLERANCE:
                break
            t, stuck = _safeguarded(bracket, _interpolate(bracket[0], bracket[1]), stuck)
            point = self._at(t)
            self._left -= 1
            if self._too_high(point) or point.loss >= bracket[low].loss:
                bracket[high] = point
                low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
                continue
            if self._flat_enough(point):
                return [point]
            if point.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
        return [bracket[low], bracket[high]]


def _safeguarded(bracket: list[Point], t: float, stuck: bool) -> tuple[float, bool]:
    """Keep a new step away from the ends of the bracket; return it and whether it was close to one."""
    left, right = sorted(point.t for point in bracket)
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if stuck or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True


def _interpolate(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """Return the minimum of the cubic through both points, inside the bounds (default: between the points)."""
    low, high = sorted((a.t, b.t)) if bounds is None else bounds
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    left, right = (a, b) if a.t <= b.t else (b, a)
    minimum = right.t - (right.t - left.t) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(minimum, low), high)
