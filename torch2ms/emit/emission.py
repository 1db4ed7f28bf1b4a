"""The way of one file through this room: index, names, imports, text, trees."""
from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from torch2ms.analysis.facts import Options
from torch2ms.analysis.names import Names
from torch2ms.edits import Edit
from torch2ms.emit.anchors import Anchors
from torch2ms.emit.imports import import_edits
from torch2ms.emit.index import Index
from torch2ms.emit.inline import inline
from torch2ms.emit.naming import Naming
from torch2ms.emit.pieces import Pieces
from torch2ms.emit.proof import prove
from torch2ms.emit.reach import reach
from torch2ms.emit.rewrite import Rewriter
from torch2ms.emit.sites import Pairs
from torch2ms.emit.source_lines import SourceLines


@dataclass(frozen=True, slots=True)
class Emitted:
    """The new text of a file, and what had to be done to get it."""

    text: str
    source: str
    tree: ast.Module
    index: Index

    def prove(self, result: ast.Module) -> None:
        """Raises Unproven unless `result`, the tree of the new text, is the old one with the edits carried out."""
        prove(self.source, self.tree, self.index, self.text, result)


def emit(text: str, tree: ast.Module, edits: Iterable[Edit], names: Names, options: Options) -> Emitted:
    """The text with all edits carried out and its imports put right; text outside edited expressions stays byte for byte.

    Raises EditConflict where two edits want the same node and JoinError where libcst reads the file differently than ast.
    """
    index = Index(edits, names)
    found = reach(tree, index)
    anchors = Anchors(names, found)
    naming = Naming(names, anchors, found, options.runtime_package, options.target == "pure")
    for edit in import_edits(tree, anchors, naming):
        index.add(edit)
    if not index.dirty:
        return Emitted(text, text, tree, index)
    source = SourceLines(text)
    inline(source, index, naming)
    if not index.rebuilt:
        return Emitted(source.text(1, source.count), text, tree, index)
    pieces = Pieces(source, tree, index)
    rewriter = Rewriter(index, Pairs(tree, pieces), naming, pieces.commented)
    return Emitted(rewriter.blocks.block(pieces.module).code, text, tree, index)
