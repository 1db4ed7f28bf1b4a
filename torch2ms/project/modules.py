"""The module names of a project's files, and which files can touch PyTorch objects at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

_TORCH = re.compile(rb"torch|msadapter|safe_open|t\0o\0r\0c\0h")  # also as an editor writes it in UTF-16
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import\b|import[ \t]+([^\n#;]+))", re.MULTILINE)
# a file of another library of tensors, whose methods have the names of PyTorch's
_OTHER_LIBRARY = re.compile(
    rb"^[ \t]*(?:import|from)[ \t]+(?:jax|flax|haiku|mxnet|tensorflow|keras|paddle|theano|chainer|oneflow)\b", re.MULTILINE
)
_IMPORTS_TORCH = re.compile(rb"^[ \t]*(?:import|from)[ \t]+[^\n#]*torch", re.MULTILINE)
_INIT = "__init__.py"


def mentions_torch(data: bytes, packages: Collection[str] = ()) -> bool:
    """Whether the bytes hold the name of PyTorch, of a package that imitates it, or of one of these packages."""
    return _TORCH.search(data) is not None or any(package.encode() in data for package in packages)


def is_of_another_library(data: bytes) -> bool:
    """Whether the bytes import another library of tensors and not PyTorch."""
    return _OTHER_LIBRARY.search(data) is not None and _IMPORTS_TORCH.search(data) is None


def module_names(rels: Iterable[str], root: Path) -> dict[str, str]:
    """Relative path -> dotted module name below the project's root.

    Where `root` is itself a package its name comes first; a `src` folder that is no package is left out of the names.
    """
    rels = list(rels)
    prefix = _package_above(root)
    skip_src = f"src/{_INIT}" not in rels
    names = {}
    for rel in rels:
        path = PurePosixPath(rel)
        parts = [*prefix, *path.parts[:-1], *([] if path.name == _INIT else [path.stem])]
        if skip_src and not prefix and len(parts) > 1 and parts[0] == "src":
            del parts[0]
        names[rel] = ".".join(parts) or path.stem
    return names


def _package_above(root: Path) -> list[str]:
    parts: list[str] = []
    folder = root.resolve()
    while (folder / _INIT).is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    return parts


def imported_names(data: bytes, name: str, is_package: bool) -> set[str]:
    """Dotted names that the file imports, relative ones made absolute; found without parsing, so possibly too many."""
    names: set[str] = set()
    for dots, source, plain in _IMPORT.findall(data):
        if plain:
            names.update(part.split()[0].decode(errors="replace") for part in plain.split(b",") if part.split())
            continue
        target = source.decode(errors="replace")
        if dots:
            parts = name.split(".")
            keep = len(parts) - len(dots) + (1 if is_package else 0)
            target = ".".join([*parts[: max(keep, 0)], *([target] if target else [])])
        names.add(target)
    return names


def touched_by_torch(
    files: Mapping[str, bytes], names: Mapping[str, str], packages: Collection[str] = ()
) -> set[str]:
    """The paths whose text names PyTorch or one of the packages, those that import one of them, and all that these import.

    What such a file imports is handed tensors without naming PyTorch: `def accuracy(output, target): output.topk(5)`.
    Files of another library of tensors stay as they are.
    """
    files = {rel: data for rel, data in files.items() if not is_of_another_library(data)}
    named = {rel for rel, data in files.items() if mentions_torch(data, packages)}
    if not named or len(named) == len(files):
        return named
    imports = _imports(files, names)
    importers: dict[str, set[str]] = {}
    for rel, targets in imports.items():
        for target in targets:
            importers.setdefault(target, set()).add(rel)
    return _reached(_reached(named, importers), imports)


def _reached(start: set[str], edges: Mapping[str, set[str]]) -> set[str]:
    reached, waiting = set(start), list(start)
    while waiting:
        new = edges.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached


def imports_of(rel: str, data: bytes, names: Mapping[str, str], index: Mapping[str, list[str]]) -> Iterator[str]:
    """The project's files that a file imports, by the endings of their names: rather too many than too few."""
    is_package = PurePosixPath(rel).name == _INIT
    for imported in imported_names(data, names[rel], is_package):
        # `from package import module` names the package alone; what lies directly in it then counts too
        yield from index.get(imported, ())
        yield from index.get(imported + ".*", ())


def index_by_ending(names: Mapping[str, str]) -> dict[str, list[str]]:
    """Every ending of every module name (`c`, `b.c`, `a.b.c`) -> the paths; `b.*` -> the modules directly in package b."""
    index: dict[str, list[str]] = {}
    for rel, name in names.items():
        parts = name.split(".")
        for start in range(len(parts)):
            index.setdefault(".".join(parts[start:]), []).append(rel)
            if start < len(parts) - 1:
                index.setdefault(".".join(parts[start:-1]) + ".*", []).append(rel)
    return index


def _imports(files: Mapping[str, bytes], names: Mapping[str, str]) -> dict[str, set[str]]:
    index = index_by_ending({rel: names[rel] for rel in files})
    return {rel: set(imports_of(rel, data, names, index)) - {rel} for rel, data in files.items()}
