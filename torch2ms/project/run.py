"""A conversion run over many files: read, narrow down to what touches PyTorch, look up, convert, collect."""

from __future__ import annotations

import ast
import time
import tokenize
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.garbage import paused
from torch2ms.project.cache import Cache, digest, fingerprint, from_json, to_json
from torch2ms.project.config import Config
from torch2ms.project.discover import EntryKind
from torch2ms.project.gather import Sources
from torch2ms.project.modules import mentions_torch, module_names, touched_by_torch
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.project.own_rules import own_packages, own_rules
from torch2ms.project.pool import WorkerDied, apart, run, with_deep_stack
from torch2ms.project.text import decode
from torch2ms.project.work import Context, Job, failed, setup, work
from torch2ms.source import SourceFile, Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Options, ProjectFacts
    from torch2ms.rules import Api

_START = Span(1, 0, 1, 0)
# below this many bytes of source a pool costs more than it saves
_SMALL = 60_000


@dataclass(slots=True)
class Settings:
    """How a run is carried out."""

    config: Config = field(default_factory=Config)
    jobs: int = 1
    cache: Cache = field(default_factory=lambda: Cache(None))
    checking: bool = False
    strict: bool = False
    on_start: Callable[[int], None] = lambda total: None
    on_done: Callable[[FileOutcome], None] = lambda outcome: None


def convert_all(sources: Sources, settings: Settings) -> RunOutcome:
    """The outcome of every file of the sources, in order of their paths."""
    start = time.perf_counter()
    names = module_names([*sources.around, *sources.data], sources.root)
    python = {entry.rel: sources.data[entry.rel] for entry in sources.convert if entry.kind is EntryKind.PYTHON}
    rules = own_rules(settings.config)
    packages = own_packages(rules)
    touched = touched_by_torch({**sources.around, **python}, names, packages)
    outcomes: dict[str, FileOutcome] = {}
    jobs: list[Job] = []
    for entry in sources.convert:
        data = sources.data[entry.rel]
        if entry.rel in touched or entry.rel in sources.named or (entry.rel not in python and mentions_torch(data, packages)):
            jobs.append(Job(entry.rel, entry.kind, data))
    todo = _Todo(settings, rules, names, {rel: data for rel, data in {**sources.around, **python}.items() if rel in touched})
    todo.run(jobs, outcomes)
    for problem in sources.problems:
        outcomes[problem.rel] = _problem(problem.rel, problem.code, problem.message)
    files = [outcomes[rel] for rel in sorted(outcomes)]
    return RunOutcome(sources.root, files, time.perf_counter() - start, settings.jobs)


def _problem(rel: str, code: str, message: str) -> FileOutcome:
    return FileOutcome(rel, EntryKind.OTHER, Result(SourceFile(rel, ""), "", (Diagnostic(code, _START, message),)))


class _Todo:
    """Looks files up in the cache and converts the rest."""

    def __init__(self, settings: Settings, rules: tuple[Api, ...], names: dict[str, str], touched: dict[str, bytes]) -> None:
        self.settings = settings
        self.names = names
        self.touched = touched
        mode = "strict" if settings.strict else "check" if settings.checking else "convert"
        config = settings.config
        self.rules = rules
        options = repr((config.jit, config.tape))
        self.base = digest(fingerprint(), mode, config.target, options, config.vendored, repr(self.rules))

    def run(self, jobs: list[Job], outcomes: dict[str, FileOutcome]) -> None:
        """Fills `outcomes` for all jobs."""
        self.settings.on_start(len(jobs))
        if not jobs:
            return
        cache = self.settings.cache
        digests, facts = self._facts_digests()
        keys = {job.rel: digest(self.base, job.rel, job.kind.value, job.data, digests.get(job.rel, "")) for job in jobs}
        missing = []
        for job in jobs:
            value = cache.get(keys[job.rel])
            found = from_json(value, job.rel, job.kind, job.data) if value is not None else None
            if found is None:
                missing.append(job)
            else:
                self._done(found, outcomes)
        if missing:
            facts = facts or self._build()
            self._convert(missing, facts, keys, outcomes)
        cache.close()

    def _done(self, outcome: FileOutcome, outcomes: dict[str, FileOutcome]) -> None:
        outcomes[outcome.rel] = outcome
        self.settings.on_done(outcome)

    def _convert(
        self, missing: list[Job], facts: ProjectFacts, keys: dict[str, str], outcomes: dict[str, FileOutcome]
    ) -> None:
        import torch2ms.convert  # noqa: F401 loaded once here, so that forked workers share it

        size = sum(len(job.data) for job in missing)
        jobs = 1 if size < _SMALL else min(self.settings.jobs, len(missing))
        missing.sort(key=lambda job: -len(job.data))
        settings = self.settings
        context = Context(facts, options_of(settings.config), settings.checking, settings.strict, self.rules)
        for index, answer in run(work, missing, jobs, setup, (context,)):
            job = missing[index]
            if isinstance(answer, WorkerDied):
                self._done(failed(job, "the worker process died (out of memory, killed, or a crash)"), outcomes)
                continue
            if not any(d.code == "T2M901" for d in answer.diagnostics):
                self.settings.cache.put(keys[job.rel], to_json(answer))
            self._done(answer, outcomes)

    def _facts_digests(self) -> tuple[dict[str, str], ProjectFacts | None]:
        """The digest of the facts under each file; the facts themselves only where they had to be built for it."""
        if self.settings.cache.folder is None:
            return {}, None
        state = [part for rel in sorted(self.touched) for part in (rel, self.names[rel], self.touched[rel])]
        key = digest(self.base, "facts", *state)
        known = self.settings.cache.get(key)
        if isinstance(known, dict):
            return known, None
        from torch2ms.project.dependence import facts_digests

        facts = self._build()
        digests = facts_digests(facts, self.touched, self.names)
        self.settings.cache.put(key, digests)
        return digests, facts

    def _build(self) -> ProjectFacts:
        sources = [(rel, self.names[rel], data) for rel, data in self.touched.items()]
        if self.settings.jobs == 1 or sum(len(data) for data in self.touched.values()) < _SMALL:
            return _facts(sources)
        # the trees of a whole project are large, the facts are small: workers must not inherit the former
        facts = apart(_facts, sources)
        return _facts([]) if isinstance(facts, WorkerDied) else facts


def _facts(sources: Sequence[tuple[str, str, bytes]]) -> ProjectFacts:
    """The facts of (path, module, bytes); a file on which they break is left out, and the conversion tells of it."""
    trees: dict[str, tuple[str, ast.Module]] = {}
    alone: dict[str, frozenset[str]] = {}
    with paused():
        for rel, name, data in sorted(sources, key=lambda source: (source[0].endswith(".pyi"), source[0])):
            tree = _parse(data, rel)
            if tree is not None and name not in trees:
                trees[name] = rel, tree
                alone[name] = _left_alone(data, rel, tree)
        facts = _built(trees)
        if facts is None:
            facts = _built({name: tree for name, tree in trees.items() if _built({name: tree}) is not None})
        trees.clear()
    if facts is not None:
        for name, module in facts.modules.items():
            module.left_alone = alone.get(name, frozenset())
        return facts
    from torch2ms.project.facts import build_project_facts

    return build_project_facts({})


def _left_alone(data: bytes, rel: str, tree: ast.Module) -> frozenset[str]:
    source = decode(data, rel) if b"torch2ms: skip" in data else None
    if not isinstance(source, SourceFile):
        return frozenset()
    from torch2ms.analysis.left_alone import left_alone

    try:
        return left_alone(source.text, tree)
    except (tokenize.TokenError, SyntaxError):
        # the conversion of the file tells of it
        return frozenset()


def _built(trees: dict[str, tuple[str, ast.Module]]) -> ProjectFacts | None:
    from torch2ms.project.facts import build_project_facts

    try:
        return build_project_facts(trees)
    except RecursionError:
        pass
    except Exception:  # noqa: BLE001 the file boundary: which file it was shows when each is tried alone
        return None
    try:
        return with_deep_stack(lambda: build_project_facts(trees))
    except Exception:  # noqa: BLE001 the file boundary
        return None


def _parse(data: bytes, rel: str) -> ast.Module | None:
    source = decode(data, rel)
    if not isinstance(source, SourceFile):
        return None
    try:
        return ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def options_of(config: Config) -> Options:
    """The options of the converter that a configuration stands for."""
    from torch2ms.analysis.facts import Options

    return Options(config.target, config.jit, config.tape, config.vendored or "torch2ms.runtime")
