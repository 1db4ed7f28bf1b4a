"""What calls of the functions of a project do to their arguments, for the files that only call them."""

from __future__ import annotations

import ast

from torch2ms.analysis.cells import Unit
from torch2ms.analysis.file_facts import Facts, Options
from torch2ms.analysis.infer import Engine
from torch2ms.analysis.kinds import Kinds
from torch2ms.analysis.names import Names
from torch2ms.analysis.project import CallEffects, FunctionFacts, ProjectFacts
from torch2ms.source import SourceFile


def summarize_calls(project: ProjectFacts, engine: Engine) -> None:
    """Fills in `FunctionFacts.effects` of the functions that other files call.

    Only functions in whose code, or in whose callees, something is written in place are looked at closely; of the others it is
    known that they write nothing.
    """
    writers = _writers(engine)
    known: dict[str, Facts] = {}

    def elsewhere(qualified: str) -> CallEffects | None:
        facts = project.functions.get(qualified)
        if facts is None:
            return None
        if facts.effects is None:
            units = [unit for unit in engine.named(qualified) if unit in writers]
            facts.effects = _looked_at(_facts(units[0]), qualified) if units else _writes_nothing(facts)
        return facts.effects

    def _facts(unit: Unit) -> Facts:
        module = unit.names.module
        if module not in known:
            known[module] = _facts_of_writers(project, engine, unit.names, writers)
            known[module].effects_elsewhere = elsewhere
        return known[module]

    for unit, callers in list(engine.callers.items()):
        if any(caller.names is not unit.names for caller in callers):
            elsewhere(unit.qualified)


def _looked_at(facts: Facts, qualified: str) -> CallEffects | None:
    """The effects of one function; flows and storages go, as of a whole project they would fill the memory."""
    found = facts.call_effects(qualified)
    facts.forget()
    return found


def _writes_nothing(facts: FunctionFacts) -> CallEffects:
    everything = CallEffects.anything(facts.parameters)
    return CallEffects(frozenset(), everything.shares, everything.keeps, True)


def _writers(engine: Engine) -> dict[Unit, None]:
    """The functions that write in place, and those that call them."""
    found = {unit: None for units in engine.units.values() for unit in units if unit.writes}
    todo = list(found)
    while todo:
        for caller in engine.callers.get(todo.pop(), ()):
            if caller not in found and not isinstance(caller.node, ast.Module):
                found[caller] = None
                todo.append(caller)
    return {unit: None for unit in found if not isinstance(unit.node, ast.Lambda)}


def _facts_of_writers(project: ProjectFacts, engine: Engine, names: Names, writers: dict[Unit, None]) -> Facts:
    """The facts of a file with the kinds of those functions alone."""
    facts = Facts(SourceFile("", ""), names.tree, names, project, Options())
    found: dict[ast.AST, object] = {}
    for unit in writers:
        if unit.names is names:
            found.update(engine.kinds_inside(unit))
    facts.kinds = Kinds(found, names, project)  # type: ignore[arg-type]
    return facts
