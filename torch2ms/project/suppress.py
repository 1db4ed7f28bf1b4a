"""What the user does not want to hear: `# torch2ms: skip[CODE]` comments, selected and ignored codes, the baseline."""

from __future__ import annotations

from torch2ms.diagnostics import CODES, Diagnostic
from torch2ms.project.baseline import Baseline
from torch2ms.project.config import Config
from torch2ms.project.errors import did_you_mean
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.project.patterns import Patterns
from torch2ms.project.skips import skip_comments, stray_comments
from torch2ms.source import Span

# these tell of files that could not be converted at all; no configuration hides them
_ALWAYS = frozenset({"T2M901", "T2M902"})
# found by `check` alone, so that another command cannot say whether their comments are used
_CHECKED = frozenset({"T2M009", "T2M010"})


def suppress(run: RunOutcome, config: Config) -> RunOutcome:
    """The run without the findings that comments, configuration and baseline suppress."""
    baseline = Baseline(config.baseline_path) if config.baseline_path else None
    prefix = config.below(run.root)
    patterns = {pattern: Patterns(include=(pattern,), prefix=prefix) for pattern in config.per_file_ignores}
    files = []
    for file in run.files:
        ignored = [
            c
            for pattern, codes in config.per_file_ignores.items()
            if patterns[pattern].converts(file.rel)
            for c in codes
        ]
        kept = tuple(
            d
            for d in _uncommented(file)
            if _wanted(d.code, config, ignored) and not (baseline is not None and baseline.takes(run, file, d))
        )
        files.append(file if kept == file.diagnostics else file.saying(kept))
    return RunOutcome(run.root, files, run.seconds, run.jobs)


def _wanted(code: str, config: Config, ignored: list[str]) -> bool:
    if code in _ALWAYS:
        return True
    if config.select and not code.startswith(config.select):
        return False
    return not code.startswith((*config.ignore, *ignored))


def _uncommented(file: FileOutcome) -> tuple[Diagnostic, ...]:
    text = file.result.source.text
    if "torch2ms" not in text:
        return file.diagnostics
    comments = skip_comments(text)
    used: set[tuple[int, str]] = set()
    kept = []
    for diagnostic in file.diagnostics:
        hits = [
            (line, code)
            for line in _lines(diagnostic.span)
            for code in comments.get(line, ())
            if diagnostic.code == code
        ]
        used.update(hits)
        if not hits:
            kept.append(diagnostic)
    unused = ((line, code) for line, codes in comments.items() for code in codes if (line, code) not in used)
    said = [(line, _unused(code)) for line, code in unused if code not in _CHECKED]
    said += stray_comments(text)
    return (*kept, *(Diagnostic("T2M007", Span(line, 0, line, 0), message) for line, message in said))


def _unused(code: str) -> str:
    if code in CODES:
        return f"skip[{code}] suppresses nothing on this line"
    return f"skip[{code}] suppresses nothing: there is no such code{did_you_mean(code, CODES)}"


def _lines(span: Span) -> range:
    return range(span.line, max(span.line, span.end_line) + 1)
