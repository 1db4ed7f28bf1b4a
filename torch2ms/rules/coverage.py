"""`python -m torch2ms.rules.coverage API_FREQUENCY METHOD_FREQUENCY`: how much of counted uses the tables know.

Both files are tab-separated with a header; the first two columns are a name and its number of uses. The second file's column
`defined_on` says what a method name belongs to; only rows that name an object of PyTorch count.
"""
from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from torch2ms.analysis.canonical import canonical
from torch2ms.rules import INDEX, Api, find, is_module
from torch2ms.rules.methods import OWNERS
from torch2ms.rules.special import TRANSFORMED

_OBJECTS = {
    "tensor": "torch.Tensor", "module": "torch.nn.Module", "optimizer": "torch.optim.Optimizer", "scaler": "torch.amp.GradScaler",
    "scheduler": "torch.optim.lr_scheduler.LRScheduler", "dist": "torch.distributions.Distribution",
}


def sort_of_api(name: str) -> str:
    """`converted`, `transformed`, `refused` or `unknown`."""
    return sort_of(canonical(name))


def sort_of(name: str) -> str:
    """The same for a canonical name."""
    rule = find(name)
    if rule is None:
        owner = name.rpartition(".")[0]
        return sort_of(owner) if owner and not is_module(owner) and find(owner) is not None else "unknown"
    if isinstance(rule, Api):
        return "refused" if rule.mindspore is None else "converted"
    return "transformed" if name in TRANSFORMED else "converted"


def sort_of_method(name: str, defined_on: str) -> str | None:
    """The same for a method name by the objects that have it; None where none of them is PyTorch's."""
    owners = [_OBJECTS[o] for o in defined_on.split(",") if o in _OBJECTS]
    if not owners:
        return None
    found = {sort_of(f"{owner}.{name}") for owner in (*owners, *OWNERS) if f"{owner}.{name}" in INDEX}
    return next((s for s in ("converted", "transformed", "refused") if s in found), "unknown")


def main(arguments: list[str]) -> int:
    """Prints the shares, and the unknown and refused names by use."""
    for path in map(Path, arguments):
        total: Counter[str] = Counter()
        names: dict[str, Counter[str]] = {"unknown": Counter(), "refused": Counter()}
        with path.open(newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                name = row.get("api") or row["method"]
                sort = sort_of_api(name) if "api" in row else sort_of_method(name, row["defined_on"])
                if sort is None or not int(row["uses"]):
                    continue
                total[sort] += int(row["uses"])
                if sort in names:
                    names[sort][name] += int(row["uses"])
        _show(path, total, names)
    return 0


def _show(path: Path, total: Counter[str], names: dict[str, Counter[str]]) -> None:
    uses = sum(total.values())
    out = sys.stdout.write
    out(f"{path.name}: {uses} uses; known {100 - 100 * total['unknown'] / uses:.2f} %, ")
    out(f"converted by rules {100 * total['converted'] / uses:.2f} %, by transforms {100 * total['transformed'] / uses:.2f} %, ")
    out(f"refused by name {100 * total['refused'] / uses:.2f} %\n")
    for sort, counted in names.items():
        out(f"  {sort}: " + ", ".join(f"{name} {count}" for name, count in counted.most_common(60)) + "\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
