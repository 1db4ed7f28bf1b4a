"""Convert each FOLDER/*/before.py and compare the result with the after.py beside it.

    python scripts/compare_gold.py FOLDER [--verify]

The same program means: equal syntax trees up to the names of gradients and the place of a def (and of the gradient
function made from it). `--verify` also trains before.py and its conversion side by side.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import re
import subprocess
import sys
from pathlib import Path

from torch2ms.convert import convert_source

_GRADIENTS = re.compile(r"(step_)?grads?\w*$")
_MAKERS = {"value_and_grad", "vjp", "tuple"}


def _belongs_to_def(stmt: ast.stmt) -> bool:
    """Whether a statement goes where the def goes: the def, the gradient function, the parameters it takes."""
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return True
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
        return False
    return isinstance(stmt.value.func, ast.Name) and stmt.value.func.id in _MAKERS


def _canonical(text: str) -> str:
    """The program with inner defs first in their block and gradients named by their order."""
    tree = ast.parse(text)
    named: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [s for s in node.body if _belongs_to_def(s)] + [s for s in node.body if not _belongs_to_def(s)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and _GRADIENTS.match(node.id):
            node.id = named.setdefault(node.id, f"gradients_{len(named)}")
    return ast.unparse(tree)


def _difference(folder: Path) -> list[str]:
    before = (folder / "before.py").read_text()
    wanted = _canonical((folder / "after.py").read_text())
    found = _canonical(convert_source(before, path="before.py").text)
    return list(difflib.unified_diff(wanted.splitlines(), found.splitlines(), "after.py", "converted", lineterm="", n=1))


def _verdict(folder: Path) -> str:
    command = [sys.executable, "-m", "torch2ms", "verify", str(folder / "before.py"), "--steps", "12"]
    done = subprocess.run(command, capture_output=True, text=True)
    return "trains equally" if done.returncode == 0 else "FAILS: " + (done.stdout + done.stderr).strip()[-1500:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--verify", action="store_true")
    options = parser.parse_args()
    failed = 0
    for before in sorted(options.folder.glob("*/before.py")):
        difference = _difference(before.parent)
        print(f"{before.parent.name}: {'differs' if difference else 'the same program'}", flush=True)
        print("\n".join("    " + line for line in difference), end="\n" if difference else "")
        failed += bool(difference)
        if options.verify:
            verdict = _verdict(before.parent)
            failed += verdict.startswith("FAILS")
            print(f"    {verdict}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
