"""Verifies the conversion of public training scripts: `python benchmarks/corpus.py LIST.tsv CHECKOUTS [-k WORD]`.

LIST.tsv has the columns repo, entry and notes; an entry is `folder: script arguments`, or `driver NAME` for the small
training driver beside the list. CHECKOUTS holds one folder for each repository, named by --names or by the part of
the repository's name behind the slash. Every repository is converted once, as a whole, into --build.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from torch2ms.verify.run import Job, Verdict, verify

# the flags that make at least four updates happen, where the listed ones stop earlier
_DROPPED_FLAGS = ("--dry-run",)
_OTHER_ARGUMENTS = {
    "time_sequence_prediction": "--steps 4",
    "mnist_forward_forward": "--epochs 4 --train_size 32 --test_size 16",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One runnable script of a repository."""

    repo: str
    name: str
    folder: str
    script: str
    arguments: list[str]
    stub: tuple[str, ...] = ()


def main() -> int:
    """Print the table; exit with 1 when an entry does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--names", help="JSON object: repository -> folder in CHECKOUTS", default="{}")
    parser.add_argument("--build", type=Path, default=Path("build/corpus"))
    parser.add_argument("--driver", type=Path, help="the training driver; default: train_module.py beside LIST.tsv")
    parser.add_argument("-k", default="", help="only entries that contain this word")
    parser.add_argument("--timeout", type=float, default=400)
    parser.add_argument("--torch-only", action="store_true", help="only trace the originals")
    parser.add_argument("--json", type=Path, help="write all verdicts here")
    options = parser.parse_args()
    names = json.loads(options.names)
    # one script reads a pickled array with PyTorch's loader of before 2.6
    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    failures, table = 0, []
    for entry in _entries(options.list):
        if options.k not in f"{entry.repo} {entry.name}":
            continue
        checkout = options.checkouts / names.get(entry.repo, entry.repo.split("/")[1])
        row = _check(entry, checkout, options)
        failures += not row["ok"]
        table.append(row)
        print(_line(row), flush=True)
    print(f"{len(table) - failures} of {len(table)} entries agree")
    if options.json:
        options.json.write_text(json.dumps(table, indent=1))
    return 1 if failures else 0


def _entries(path: Path) -> list[Entry]:
    found = []
    with path.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            text = row["entry"] or ""
            if not row["notes"].startswith("OK"):
                continue
            stub: tuple[str, ...] = ()
            if "[--stub" in text:
                text, _, names = text.partition("[--stub")
                stub = tuple(names.strip(" ]").split(","))
            if text.startswith("driver "):
                found.append(Entry(row["repo"], text, ".", "", [text.split()[1]], stub))
                continue
            folder, _, command = text.partition(": ")
            script, rest = _split_command(command)
            listed = [word for word in rest if word not in _DROPPED_FLAGS]
            other = next((value for key, value in _OTHER_ARGUMENTS.items() if key in folder), None)
            found.append(
                Entry(row["repo"], text.strip(), folder, script, shlex.split(other) if other else listed, stub)
            )
    return found


def _split_command(command: str) -> tuple[str, list[str]]:
    # script names of the corpus hold parentheses, which a shell would not take
    script, _, rest = command.partition(".py")
    return script + ".py", rest.split()


def _check(entry: Entry, checkout: Path, options: argparse.Namespace) -> dict[str, object]:
    source = _prepared(checkout, options)
    converted = source.parent / (source.name + "_ms")
    if not options.torch_only:
        _convert(source, converted)
    script = Path("train_module_driver.py") if not entry.script else Path(entry.folder, entry.script)
    # a checkout whose packages are imported by name needs its root on the path
    job = Job(
        script=source / script,
        converted=converted / script,
        arguments=entry.arguments,
        fake_data=True,
        cwd=(source / script).parent,
        converted_cwd=(converted / script).parent,
        path=[source, *_package_roots(source, script)],
        converted_path=[converted, *_package_roots(converted, script)],
        stub=entry.stub,
        reference=_reference(options.build, entry),
        timeout=options.timeout,
    )
    return _row(entry, verify(job))


def _reference(build: Path, entry: Entry) -> Path:
    folder = build.resolve() / "traces"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (re.sub(r"[^\w.-]+", "_", f"{entry.repo}_{entry.name}") + ".npz")


def _package_roots(root: Path, script: Path) -> list[Path]:
    return [root / parent for parent in script.parents if parent != Path(".")]


def _prepared(checkout: Path, options: argparse.Namespace) -> Path:
    """A copy of the checkout with the small data files that its scripts read."""
    target = (options.build / checkout.name).resolve()
    if target.exists():
        return target
    shutil.copytree(checkout, target, symlinks=True, ignore=shutil.ignore_patterns(".git", "*.gif", "*.png", "*.pdf"))
    driver = options.driver or options.list.parent / "train_module.py"
    shutil.copy(driver, target / "train_module_driver.py")
    _write_data(target)
    return target


def _write_data(root: Path) -> None:
    rng = np.random.RandomState(0)
    language = root / "word_language_model"
    if language.is_dir():
        folder = language / "synth"
        folder.mkdir(exist_ok=True)
        words = [f"w{i}" for i in range(9)]
        for name in ("train", "valid", "test"):
            lines = [" ".join(rng.choice(words, 12)) for _ in range(60)]
            (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    sine = root / "time_sequence_prediction"
    if sine.is_dir():
        _write_sine(sine / "traindata.pt")
    if (root / "pygcn").is_dir():
        _write_graph(root / "data" / "cora", rng)
    if (root / "unet").is_dir():
        _write_images(root / "data", rng)


def _write_sine(path: Path) -> None:
    import torch

    waves = np.stack([np.sin((np.arange(60) + shift) / 4.0) for shift in range(10)]).astype("float64")
    with path.open("wb") as out:
        torch.save(waves, out)


def _write_graph(folder: Path, rng: np.random.RandomState) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nodes, features = 1600, 40
    rows = [
        " ".join([str(i), *map(str, rng.randint(0, 2, features)), f"class{rng.randint(0, 7)}"]) for i in range(nodes)
    ]
    (folder / "cora.content").write_text("\n".join(rows) + "\n")
    edges = {(int(a), int(b)) for a, b in rng.randint(0, nodes, (4000, 2)) if a != b}
    (folder / "cora.cites").write_text("\n".join(f"{a}\t{b}" for a, b in sorted(edges)) + "\n")


def _write_images(folder: Path, rng: np.random.RandomState) -> None:
    from PIL import Image

    for name in ("imgs", "masks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for i in range(20):
        Image.fromarray(rng.randint(0, 256, (64, 64, 3)).astype("uint8")).save(folder / "imgs" / f"s{i}.png")
        mask = (rng.rand(64, 64) > 0.5).astype("uint8")
        Image.fromarray(mask).save(folder / "masks" / f"s{i}.png")


def _convert(source: Path, target: Path) -> None:
    if target.exists():
        return
    command = [sys.executable, "-m", "torch2ms", "convert", str(source), "-o", str(target)]
    # exit code 1 only says that something is left to do; a missing script is reported when it is run
    subprocess.run(command, capture_output=True)


def _row(entry: Entry, verdict: Verdict) -> dict[str, object]:
    compared = verdict.comparison
    return {
        "entry": f"{entry.repo} {entry.name}",
        "ok": compared.ok and verdict.torch.steps + verdict.torch.backwards >= 4,
        "losses": len(compared.losses),
        "worst loss": compared.worst_loss,
        "worst weight": compared.worst_weight,
        "problems": list(compared.problems),
        "ignored": list(compared.ignored),
        "wrong weights": [f"{w.what} {w.torch}, {w.mindspore}" for w in compared.weights if not w.ok],
        "torch": verdict.torch.losses[:6],
        "mindspore": verdict.mindspore.losses[:6],
        "torch error": verdict.torch.error[-3000:],
        "mindspore error": verdict.mindspore.error[-3000:],
    }


def _line(row: dict[str, object]) -> str:
    head = f"{'ok  ' if row['ok'] else 'FAIL'} {row['entry']}"
    figures = f"losses {row['losses']} worst {row['worst loss']:.1e}, weights {row['worst weight']:.1e} of bound"
    problems = "; ".join(row["problems"][:2])  # type: ignore[index]
    return f"{head} | {figures}" + (f" | {problems}" if problems else "")


if __name__ == "__main__":
    sys.exit(main())
