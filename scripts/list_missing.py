"""Writes `torch2ms/rules/missing.py`: the names that the rules emit and the runtime lacks."""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.rules.test_right_sides import _OPTIONAL, TARGETS, _in_functions, names, resolved

TARGET = Path(__file__).resolve().parents[1] / "torch2ms" / "rules" / "missing.py"
HEAD = '''"""Names that rules emit and the runtime does not have: their uses are refused. Made by `scripts/list_missing.py`."""

from __future__ import annotations

MISSING: frozenset[str] = frozenset(
    """
'''


def main() -> None:
    """Look every name up and write those that are not found."""
    importlib.import_module("torch2ms.runtime")
    emitted = {name for api in TARGETS for name in names(api) if not name.startswith("self")}
    emitted |= {name for _, name in _in_functions() if not name.endswith(".")}
    emitted = {name for name in emitted if name.partition(".")[0] not in _OPTIONAL}
    missing = sorted(name for name in emitted if not _exists(name))
    TARGET.write_text(HEAD + "".join(f"    {name}\n" for name in missing) + '    """.split()\n)\n')
    print(f"{len(missing)} of {len(emitted)} names are missing")


def _exists(name: str) -> bool:
    try:
        resolved(name)
    except (AttributeError, ImportError):
        return False
    return True


if __name__ == "__main__":
    main()
