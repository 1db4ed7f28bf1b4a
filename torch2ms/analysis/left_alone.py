"""Definitions that a comment keeps from conversion: `# torch2ms: skip` on their line, or `skip-file` anywhere."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from torch2ms.analysis.canonical import is_torch

_SKIP = "torch2ms: skip"
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def skip_lines(text: str) -> frozenset[int]:
    """Lines with a skip comment; 0 stands for the whole file."""
    if _SKIP not in text:
        return frozenset()
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        # `skip[T2M102]` silences a code, it leaves nothing alone
        if token.type == tokenize.COMMENT and _SKIP in token.string and f"{_SKIP}[" not in token.string:
            lines.add(0 if f"{_SKIP}-file" in token.string else token.start[0])
    return frozenset(lines)


def is_marked(node: Definition, lines: frozenset[int]) -> bool:
    """Whether one of the lines belongs to the head of the definition."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.lineno in lines or any(line in lines for line in range(first, node.body[0].lineno))


def left_alone(text: str, tree: ast.Module) -> frozenset[str]:
    """The functions and classes of a file's top level that stay PyTorch's: left alone, and using it, also through others."""
    lines = skip_lines(text)
    if not lines:
        return frozenset()
    definitions = {node.name: node for node in tree.body if isinstance(node, Definition)}
    names = {name: set(_names(node)) for name, node in definitions.items()}
    imported = set(_imported(tree))
    found = {name for name, used in names.items() if used & imported}
    while new := {name for name, used in names.items() if used & found} - found:
        found |= new
    return frozenset(name for name in found if 0 in lines or is_marked(definitions[name], lines))


def _names(definition: ast.AST) -> Iterator[str]:
    for node in ast.walk(definition):
        if isinstance(node, ast.Name):
            yield node.id


def _imported(tree: ast.AST) -> Iterator[str]:
    """Every name of the file, inner ones too, that an import from PyTorch binds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.asname or a.name.partition(".")[0] for a in node.names if is_torch(a.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and is_torch(node.module or ""):
            yield from (a.asname or a.name for a in node.names)
