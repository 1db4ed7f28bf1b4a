"""The facts of a project and of one of its files, as the driver asks for them."""
from __future__ import annotations

import ast
from collections.abc import Mapping

from torch2ms.analysis.facts import Facts, Options, ProjectFacts, facts_for, project_facts
from torch2ms.garbage import paused

__all__ = ["Facts", "Options", "build_project_facts", "facts_for"]


def build_project_facts(files: Mapping[str, tuple[str, ast.Module]]) -> ProjectFacts:
    """The cross-file facts of {module name: (path, tree)}; files that did not parse are simply absent."""
    with paused():
        return project_facts(files)
