"""CPU time of converting a tree against the time libcst needs to parse its files that contain PyTorch.

Run as `python benchmarks/convert.py PATH [--repeat N]`; both times come from one run, so the ratio holds on a busy machine.
The budget is 3.5. With `--paconvert EXECUTABLE`, the `paconvert` of an environment with PaConvert 3.3.1 (from PyPI), the whole
commands are compared instead: user time against PaConvert's, a second run against the first, the memory of the workers.
"""

from __future__ import annotations

import argparse
import ast
import cProfile
import gc
import pstats
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import commands
import libcst

from torch2ms.analysis.facts import ProjectFacts
from torch2ms.convert import convert_source
from torch2ms.garbage import frozen, paused
from torch2ms.project.facts import build_project_facts
from torch2ms.project.modules import module_names
from torch2ms.project.text import decode
from torch2ms.source import SourceFile

BUDGET = 3.5


def read(root: Path) -> dict[str, SourceFile]:
    """The decodable files that parse, by relative path."""
    found = {}
    for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
        source = decode(path.read_bytes(), path.name if path == root else path.relative_to(root).as_posix())
        if isinstance(source, SourceFile):
            try:
                libcst.parse_module(source.text)
            except libcst.ParserSyntaxError:
                continue
            found[source.path] = source
    return found


def facts(sources: dict[str, SourceFile], root: Path) -> ProjectFacts:
    """What the files tell of one another; their trees are not needed any longer."""
    names = module_names(sources, root)
    with paused():
        trees = {names[path]: (path, ast.parse(source.text)) for path, source in sources.items()}
    return build_project_facts(trees)


def convert(sources: dict[str, SourceFile], root: Path) -> None:
    """The whole conversion: parsing for the project facts, facts, plan, emission, guard."""
    project = facts(sources, root)
    with frozen():
        for path, source in sources.items():
            result = convert_source(source.text, path, project)
            broken = [d for d in result.diagnostics if d.code == "T2M901"]
            if broken:
                raise SystemExit(f"{path}: {broken[0].message}")


def parse(sources: dict[str, SourceFile]) -> None:
    """The yardstick."""
    for source in sources.values():
        if "torch" in source.text:
            libcst.parse_module(source.text)


def seconds(run: Callable[[], None]) -> float:
    """The CPU time of one run."""
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    """Prints both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    parser.add_argument("--paconvert", metavar="EXECUTABLE", help="compare whole commands with this one")
    arguments = parser.parse_args()
    if arguments.paconvert:
        commands.compare(arguments.path.resolve(), arguments.paconvert, arguments.repeat)
        return
    warnings.simplefilter("ignore")
    sources = read(arguments.path)
    convert(sources, arguments.path)  # imports and tables are loaded once
    if arguments.profile:
        profile = cProfile.Profile()
        profile.runcall(convert, sources, arguments.path)
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)
    # in turns, as a busy machine is faster at some times than at others
    rounds = [
        (seconds(lambda: parse(sources)), seconds(lambda: convert(sources, arguments.path))) for _ in range(arguments.repeat)
    ]
    parsing, converting = (min(times) for times in zip(*rounds))
    middle = statistics.median(convert / parse for parse, convert in rounds)
    print(
        f"{len(sources)} files: parse {parsing:.3f} s, convert {converting:.3f} s, "
        f"ratio {converting / parsing:.2f}, median of {len(rounds)} rounds {middle:.2f} (budget {BUDGET})"
    )


if __name__ == "__main__":
    main()
