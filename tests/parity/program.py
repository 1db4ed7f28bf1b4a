"""Many cases as one Python module, converted once: its functions in both libraries, and what was refused."""

from __future__ import annotations

import atexit
import importlib.util
import itertools
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.parity.calls import Case
from torch2ms.convert import convert_source
from torch2ms.diagnostics import Severity

_HEAD = "import torch\n"
_MODULES = itertools.count()


@dataclass
class Pair:
    """A case before and after: functions by the names `call` and `make`, empty where it was refused."""

    case: Case
    source: str
    converted: str
    theirs: dict[str, Any]
    ours: dict[str, Any]
    refusal: str = ""


def pairs(cases: list[Case]) -> list[Pair]:
    """Convert the cases together; a refusal concerns the case in whose lines it stands."""
    texts, owner = [_HEAD], {}
    line = _HEAD.count("\n")
    sources = [_source(case, i) for i, case in enumerate(cases)]
    for i, text in enumerate(sources):
        texts.append(text)
        for number in range(line + 1, line + text.count("\n") + 1):
            owner[number] = i
        line += text.count("\n")
    result = convert_source("".join(texts))
    refusals: dict[int, str] = {}
    for diagnostic in result.diagnostics:
        if diagnostic.severity is Severity.ERROR:
            text = f"{diagnostic.code} {diagnostic.message}; {diagnostic.help}"
            refusals.setdefault(owner.get(diagnostic.span.line, -1), text)
    theirs = _run("".join(texts), "theirs")
    ours = _run(result.text, "ours") if -1 not in refusals else {}
    after = _functions(result.text)
    found = []
    for i, case in enumerate(cases):
        refusal = refusals.get(i) or refusals.get(-1, "")
        found.append(
            Pair(
                case,
                sources[i],
                after.get(f"call{i}", ""),
                _named(theirs, i),
                {} if refusal else _named(ours, i),
                refusal,
            )
        )
    return found


def _source(case: Case, i: int) -> str:
    names = [f"t{j}: torch.Tensor" for j in range(len(case.tensors))]
    if not case.make:
        return f"\n\ndef call{i}({', '.join(names)}):\n    {case.call}\n"
    return (
        f"\n\ndef make{i}():\n    {case.make}\n"
        f"\n\ndef call{i}({', '.join(['m: torch.nn.Module', *names])}):\n    {case.call}\n"
    )


def _functions(text: str) -> dict[str, str]:
    """The texts of the functions of a module by name."""
    parts = ("\n" + text).split("\ndef ")[1:]
    return {part.partition("(")[0]: "def " + part.strip() for part in parts}


@cache
def _folder() -> Path:
    """Where the modules are written: MindSpore compiles only functions that stand in a file."""
    folder = Path(tempfile.mkdtemp(prefix="torch2ms-parity-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _run(text: str, side: str) -> dict[str, Any]:
    name = f"parity_{side}_{next(_MODULES)}"
    path = _folder() / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # MindSpore's compiler looks it up
    spec.loader.exec_module(module)
    return vars(module)


def _named(namespace: dict[str, Any], i: int) -> dict[str, Any]:
    return {kind: namespace[f"{kind}{i}"] for kind in ("call", "make") if f"{kind}{i}" in namespace}
