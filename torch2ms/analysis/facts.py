"""The way in to the analysis: the facts of a project and of one of its files."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from torch2ms.analysis.call_summaries import summarize_calls
from torch2ms.analysis.file_facts import Facts, FunctionNode, Options
from torch2ms.analysis.names import resolve_names
from torch2ms.analysis.project import CallEffects, ClassFacts, FunctionFacts, ModuleFacts, ProjectFacts
from torch2ms.analysis.summary import extended, infer_project, outline
from torch2ms.source import SourceFile

__all__ = [
    "CallEffects",
    "ClassFacts",
    "Facts",
    "FunctionFacts",
    "FunctionNode",
    "ModuleFacts",
    "Options",
    "ProjectFacts",
    "facts_for",
    "project_facts",
]


def project_facts(files: Mapping[str, tuple[str, ast.Module]]) -> ProjectFacts:
    """The cross-file facts of {module name: (path, tree)}."""
    project, names = outline(files)
    engine = infer_project(project, names)
    summarize_calls(project, engine)
    project.settle()
    return project


def facts_for(
    source: SourceFile,
    tree: ast.Module,
    module: str = "",
    project: ProjectFacts | None = None,
    options: Options | None = None,
) -> Facts:
    """The facts of one file; without a project the file is a project of its own, and a notebook is one more module of it."""
    if project is None:
        project, (names,) = outline({module: (source.path, tree)})
    elif module not in project.modules:
        project, names = extended(project, module, source.path, tree)
    else:
        is_package = source.path.replace("\\", "/").rpartition("/")[2] == "__init__.py"
        names = resolve_names(tree, module, project, is_package)
    return Facts(source, tree, names, project, options or Options())
