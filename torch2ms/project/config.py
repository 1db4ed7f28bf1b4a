"""`[tool.torch2ms]` of pyproject.toml: every key checked, unknown ones refused with a suggestion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from torch2ms.diagnostics import CODES
from torch2ms.project.errors import UsageProblem, did_you_mean
from torch2ms.project.patterns import Patterns

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Config:
    """What the user chose; the defaults are those of a project without configuration."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    omit: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    target: str = "portable"
    jit: bool = False
    tape: bool = True
    runtime: str = "package"
    rules: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    baseline: str = ""
    source: Path | None = None

    def patterns(self, root: Path) -> Patterns:
        """The path patterns for paths relative to `root`; the patterns themselves count from the configuration file."""
        return Patterns(self.include, self.exclude, self.omit, self.below(root))

    def below(self, root: Path) -> str:
        """What to put before a path relative to `root` to make it relative to the folder of the configuration file."""
        root = root.resolve()
        home = self.source.resolve().parent if self.source else root
        return f"{root.relative_to(home).as_posix()}/" if root != home and root.is_relative_to(home) else ""

    @property
    def baseline_path(self) -> Path | None:
        """The baseline file, if there is one; relative paths count from the configuration file."""
        if not self.baseline:
            return None
        return (self.source.parent if self.source else Path()) / self.baseline

    @property
    def vendored(self) -> str:
        """The top-level name under which the runtime is copied into the output; empty: the installed package."""
        return "" if self.runtime == "package" else self.runtime


def load_config(path: Path, explicit: Path | None = None) -> Config:
    """The configuration of the nearest pyproject.toml with a `[tool.torch2ms]` at or above `path`, or of `explicit`."""
    if explicit is not None:
        return read_config(explicit) or Config(source=explicit)
    start = path.resolve()
    for folder in (start, *start.parents) if start.is_dir() else start.parents:
        found = folder / "pyproject.toml"
        if found.is_file():
            config = read_config(found)
            if config is not None:
                return config
    return Config()


def read_config(path: Path) -> Config | None:
    """The checked `[tool.torch2ms]` of one file; None where it has none."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageProblem(f"cannot read {path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        # a broken pyproject.toml that does not speak of torch2ms is not ours to complain about
        if b"torch2ms" not in path.read_bytes():
            return None
        raise UsageProblem(f"{path} is not valid TOML: {error}") from None
    table = document.get("tool", {}).get("torch2ms")
    if table is None:
        return None
    return replace(_checked(table, path), source=path)


def _checked(table: Any, path: Path) -> Config:
    if not isinstance(table, dict):
        raise UsageProblem(f"{path}: [tool.torch2ms] must be a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        check = _CHECKS.get(key)
        if check is None:
            raise UsageProblem(
                f"{path}: unknown key {key!r} in [tool.torch2ms]{did_you_mean(key, _CHECKS)}",
                "the keys are " + ", ".join(_CHECKS),
            )
        try:
            values[key.replace("-", "_")] = check(value)
        except ValueError as error:
            raise UsageProblem(f"{path}: [tool.torch2ms] {key}: {error}") from None
    return Config(**values)


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("expected a list of strings")
    return tuple(value)


def _codes(value: Any) -> tuple[str, ...]:
    return tuple(check_code(code) for code in _strings(value))


def check_code(code: str) -> str:
    """The code or prefix of codes (`T2M1`) in capitals; ValueError with a suggestion where none begins so."""
    upper = code.upper()
    if not upper or not any(known.startswith(upper) for known in CODES):
        raise ValueError(f"unknown code {code!r}{did_you_mean(upper, CODES)}")
    return upper


def _per_file(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError('expected a table such as { "scripts/*" = ["T2M103"] }')
    return {pattern: _codes(codes) for pattern, codes in value.items()}


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a string")
    return value


def _target(value: Any) -> str:
    if value not in ("portable", "pure"):
        raise ValueError(
            f"expected 'portable' or 'pure', not {value!r}{did_you_mean(str(value), ('portable', 'pure'))}"
        )
    return str(value)


def _runtime(value: Any) -> str:
    return check_runtime_name(_string(value)) if value != "package" else "package"


def check_runtime_name(name: str) -> str:
    """The name, which must do as a top-level package of the output; ValueError where it cannot."""
    if not name.isidentifier() or name in ("torch", "torch2ms", "mindspore", "numpy"):
        raise ValueError(f"{name!r} cannot be the name of the vendored runtime; use an identifier such as 'ms_runtime'")
    return name


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "include": _strings,
    "exclude": _strings,
    "omit": _strings,
    "select": _codes,
    "ignore": _codes,
    "per-file-ignores": _per_file,
    "target": _target,
    "jit": _flag,
    "tape": _flag,
    "runtime": _runtime,
    "rules": _strings,
    "branches": _strings,
    "baseline": _string,
}
assert {key.replace("-", "_") for key in _CHECKS} == {item.name for item in fields(Config)} - {"source"}
