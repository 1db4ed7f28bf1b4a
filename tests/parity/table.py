"""The parity table: a row per subject and dtype, the totals, and what must not be."""

from __future__ import annotations

from collections import Counter, defaultdict

from tests.parity.exceptions import ERRORS
from tests.parity.rows import CLASSES, Row

_COLUMNS = ("op", "form", "api", "dtype", "samples", *CLASSES, "jit", "seconds", "note")


def text(rows: list[Row]) -> str:
    """The rows as tab-separated text."""
    lines = ["\t".join(_COLUMNS)]
    for row in sorted(rows, key=lambda r: (r.entry, r.form, r.api, r.dtype)):
        values = [row.entry, row.form, row.api, row.dtype, row.samples, *(getattr(row, c) for c in CLASSES)]
        lines.append("\t".join(map(str, [*values, row.jit, row.seconds, _note(row)])))
    return "\n".join(lines) + "\n"


def _note(row: Row) -> str:
    order = ("different", "error", "jit", "refused", "unspelled")
    notes = [f"{kind}: {row.reasons[kind][0]}" for kind in order if kind in row.reasons]
    return " ".join(" | ".join(notes).split())[:400]


def explained(row: Row) -> str:
    """Why a row has errors; "" where nothing explains them."""
    return ERRORS.get(row.key) or ERRORS.get(f"{row.entry} | {row.form}") or ERRORS.get(row.entry) or ""


def faults(rows: list[Row]) -> list[str]:
    """Silent differences, and errors that nothing explains."""
    found = []
    for row in rows:
        for kind in ("different", "error"):
            if getattr(row, kind) and not (kind == "error" and explained(row)):
                found.append(f"{kind}: {row.key}: {row.reasons[kind][0]} <- {row.examples[kind][0]}")
        if row.jit == "different":
            found.append(f"different under jit: {row.key}: {row.reasons['jit'][0]}")
    return sorted(found)


def summary(rows: list[Row]) -> str:
    """The totals as text."""
    total: Counter[str] = Counter()
    compiled = Counter(row.jit for row in rows if row.jit)
    for row in rows:
        for kind in CLASSES:
            total[kind] += getattr(row, kind)
        total["at run time"] += row.at_run_time
        total["explained"] += row.error if row.error and explained(row) else 0
        total["unspelled"] += row.unspelled
    samples = sum(total[c] for c in CLASSES)
    share = lambda n: f"{n} ({100 * n / max(1, samples):.2f} %)"  # noqa: E731
    lines = [f"{samples} samples: " + ", ".join(f"{c} {share(total[c])}" for c in CLASSES)]
    lines.append(
        f"errors explained: {total['explained']}; refused at run time: {total['at run time']}; unspelled: {total['unspelled']}"
    )
    converted = [row for row in rows if row.equal]
    inside = sum(row.samples for row in converted)
    lines.append(f"converted rows: {sum(r.equal for r in converted)} of {inside} samples equal")
    by_entry: dict[str, int] = defaultdict(int)
    for row in rows:
        by_entry[row.entry] += row.equal
    lines.append(f"entries with an equal sample: {sum(bool(n) for n in by_entry.values())} of {len(by_entry)}")
    lines.append("under jit: " + ", ".join(f"{kind} {n}" for kind, n in sorted(compiled.items())))
    return "\n".join([*lines, *faults(rows)]) + "\n"
