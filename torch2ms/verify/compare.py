"""Compares two traces: every loss, final weights and buffers relative to how far they moved, modes of all modules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from torch2ms.verify.trace import Trace


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The bounds of equality.

    A loss may differ by `loss` relative to the larger of its own size and 1e-3; a weight by `moved` of the largest
    change that its tensor saw, plus `weight` absolute. A weight whose largest gradient stays under `null` of the
    largest gradient of all is a null direction (a bias before a batch norm): rounding alone moves it under Adam, so
    it is listed but not judged. Where traces of PyTorch that differ by rounding alone are at hand, whatever lies
    within `noise` times the largest difference of those is rounding noise that the program itself amplifies.
    """

    loss: float = 1e-3
    moved: float = 0.05
    weight: float = 1e-4
    null: float = 1e-6
    noise: float = 4.0


@dataclass(frozen=True, slots=True)
class Row:
    """One compared quantity: `difference` is judged against `bound`."""

    what: str
    torch: str
    mindspore: str
    difference: float
    bound: float
    ok: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome; `problems` are sentences about what could not be compared or does not fit.

    `noise` is the largest relative difference of a loss that rounding alone made in PyTorch, where that was measured.
    `refusal` names the API at which the MindSpore run ended, as the conversion had said, when all updates were done.
    """

    losses: tuple[Row, ...]
    weights: tuple[Row, ...]
    problems: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    refusal: str = ""
    noise: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether everything agreed and something was compared."""
        return bool(self.losses) and not self.problems and all(row.ok for row in (*self.losses, *self.weights))

    @property
    def worst_loss(self) -> float:
        """The largest relative difference of a loss."""
        return max((row.difference for row in self.losses), default=math.nan)

    @property
    def worst_weight(self) -> float:
        """The largest weight difference as a multiple of its bound."""
        return max((row.difference / row.bound for row in self.weights), default=math.nan)

    def to_json(self) -> dict[str, object]:
        """Plain data for `--format json`."""
        return {"ok": self.ok, **asdict(self)}


def compare(torch: Trace, mindspore: Trace, tolerance: Tolerance, disturbed: Sequence[Trace] = ()) -> Comparison:
    """Compare the trace of the original with that of its conversion.

    `disturbed` are traces of the original whose numbers differ in the last bit: they show how far rounding alone
    carries this program.
    """
    problems = _problems(torch, mindspore)
    losses = tuple(
        _loss_row(i, a, b, tolerance) for i, (a, b) in enumerate(zip(torch.losses, mindspore.losses, strict=False))
    )
    weights, missing, ignored = _weight_rows(torch, mindspore, tolerance)
    measured = 0.0
    if disturbed:
        noises = [compare(torch, trace, tolerance) for trace in disturbed]
        if not all(row.ok for noise in noises for row in noise.weights):
            # rounding alone tips single elements of this program, now here, now there: their mean square tells more
            weights, _, _ = _weight_rows(torch, mindspore, tolerance, _mean_square)
            noises = [
                replace(noise, weights=_weight_rows(torch, trace, tolerance, _mean_square)[0])
                for noise, trace in zip(noises, disturbed, strict=True)
            ]
        measured = max(noise.worst_loss for noise in noises)
        # before the first update rounding has nowhere to grow
        if not all(noise.losses and noise.losses[0].ok for noise in noises):
            problems = (*problems, "the PyTorch run does not repeat itself: its first loss is another each time")
        bounds: dict[str, float] = {}
        for row in (row for noise in noises for row in (*noise.losses, *noise.weights)):
            bounds[row.what] = max(bounds.get(row.what, 0.0), tolerance.noise * row.difference)
        losses, weights = _widened(losses, bounds), _widened(weights, bounds)
    problems = (*problems, *missing, *_flag_problems(torch, mindspore))
    refusal = mindspore.refused if _is_late(torch, mindspore) else ""
    return Comparison(losses, weights, problems, ignored, refusal, measured)


def _widened(rows: tuple[Row, ...], bounds: dict[str, float]) -> tuple[Row, ...]:
    """The rows with the bounds of rounding noise where those are wider."""
    made = []
    for row in rows:
        bound = max(row.bound, bounds.get(row.what, 0.0))
        made.append(replace(row, bound=bound, ok=row.ok or row.difference <= bound))
    return tuple(made)


def _is_late(torch: Trace, mindspore: Trace) -> bool:
    """Whether the MindSpore run was refused something only after the last update that PyTorch made."""
    counts = (torch.steps, torch.backwards) == (mindspore.steps, mindspore.backwards)
    return bool(mindspore.refused and torch.losses) and counts and not torch.error


def _problems(torch: Trace, mindspore: Trace) -> tuple[str, ...]:
    found = []
    for name, trace in (("PyTorch", torch), ("MindSpore", mindspore)):
        if trace.error and not (trace is mindspore and _is_late(torch, mindspore)):
            found.append(f"the {name} run failed: {trace.error.strip().splitlines()[-1]}")
    if not torch.losses:
        found.append("no backward was seen in the PyTorch run, so there is nothing to compare")
    if not found:
        for what in ("steps", "backwards"):
            a, b = getattr(torch, what), getattr(mindspore, what)
            if a != b:
                found.append(f"{what}: PyTorch {a}, MindSpore {b}")
    return tuple(found)


def _loss_row(index: int, a: float, b: float, tolerance: Tolerance) -> Row:
    if math.isnan(a) or math.isnan(b):
        same = math.isnan(a) and math.isnan(b)
        return Row(f"loss {index}", f"{a:.6g}", f"{b:.6g}", 0.0 if same else math.inf, tolerance.loss, same)
    difference = 0.0 if a == b else abs(a - b) / max(abs(a), 1e-3)
    return Row(f"loss {index}", f"{a:.6g}", f"{b:.6g}", difference, tolerance.loss, difference <= tolerance.loss)


def _largest(values: np.ndarray) -> float:
    return float(np.abs(values).max())


def _mean_square(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _weight_rows(
    torch: Trace, mindspore: Trace, tolerance: Tolerance, size: Callable[[np.ndarray], float] = _largest
) -> tuple[tuple[Row, ...], tuple[str, ...], tuple[str, ...]]:
    rows, missing, ignored = [], [], []
    largest = max(torch.gradients.values(), default=0.0)
    names = _counterparts(torch.final, mindspore.final)
    starts = _counterparts(torch.final, torch.start)
    for key, a in torch.final.items():
        b = mindspore.final.get(names.get(key, key))
        if b is None:
            missing.append(f"{key} is missing in the MindSpore run")
        elif a.shape != b.shape:
            missing.append(f"{key} has shape {a.shape} in PyTorch, {b.shape} in MindSpore")
        elif a.size == 0:
            continue
        elif torch.gradients.get(key, math.inf) < tolerance.null * largest:
            ignored.append(f"{key}: null direction (largest gradient {torch.gradients[key]:.1e})")
        else:
            rows.append(_weight_row(key, a, b, torch.start.get(starts.get(key, key)), tolerance, size))
    missing += [f"{key} exists only in the MindSpore run" for key in mindspore.final if key not in {*torch.final, *names.values()}]
    return tuple(rows), tuple(missing), tuple(ignored)


def _counterparts(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> dict[str, str]:
    """Names of the same weight where only one side still holds the module around it: their paths end alike."""
    left = [key for key in theirs if key not in ours]
    found: dict[str, str] = {}
    for key in (key for key in ours if key not in theirs):
        alike = [other for other in left if _end_alike(key, other) and ours[key].shape == theirs[other].shape]
        if len(alike) == 1 and alike[0] not in found.values():
            found[key] = alike[0]
    return found


def _end_alike(first: str, second: str) -> bool:
    long, short = sorted((first.partition("/")[2], second.partition("/")[2]), key=len, reverse=True)
    return long == short or long.endswith("." + short)


def _weight_row(
    key: str,
    a: np.ndarray,
    b: np.ndarray,
    start: np.ndarray | None,
    tolerance: Tolerance,
    size: Callable[[np.ndarray], float],
) -> Row:
    a, b = a.astype(np.float64), b.astype(np.float64)
    moved = size(a - start) if start is not None and start.shape == a.shape else size(a)
    difference = size(a - b)
    bound = tolerance.moved * moved + tolerance.weight
    return Row(key, f"moved {moved:.3g}", f"off by {difference:.3g}", difference, bound, difference <= bound)


def _flag_problems(torch: Trace, mindspore: Trace) -> tuple[str, ...]:
    for step, (a, b) in enumerate(zip(torch.flags, mindspore.flags, strict=False)):
        wrong = [key for key in a if key in b and a[key] != b[key]]
        if wrong:
            key = wrong[0]
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            return (f"step {step}: {key} is {a[key]} in PyTorch, {b[key]} in MindSpore{more}",)
    return ()
