"""What the user does not want to hear: `# torch2ms: skip[CODE]` comments, selected and ignored codes, the baseline."""

from __future__ import annotations

import io
import json
import os
import re
import tokenize
from collections import Counter
from pathlib import Path

from torch2ms.diagnostics import Diagnostic
from torch2ms.project.config import Config
from torch2ms.project.errors import UsageProblem
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.project.patterns import Patterns
from torch2ms.source import Span

_COMMENT = re.compile(r"#\s*torch2ms:\s*skip\[([A-Za-z0-9, ]*)\]")
# these tell of files that could not be converted at all; no configuration hides them
_ALWAYS = frozenset({"T2M901", "T2M902"})
# found by `check` alone, so that another command cannot say whether their comments are used
_CHECKED = frozenset({"T2M009", "T2M010"})


def suppress(run: RunOutcome, config: Config) -> RunOutcome:
    """The run without the findings that comments, configuration and baseline suppress."""
    baseline = config.baseline_path
    known = read_baseline(baseline) if baseline else Counter()
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
            if _wanted(d.code, config, ignored) and not _take(known, run, file, d, baseline)
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
    comments = skip_comments(file.result.source.text)
    if not comments:
        return file.diagnostics
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
    for line, codes in comments.items():
        for code in codes:
            if (line, code) not in used and code not in _CHECKED:
                kept.append(
                    Diagnostic("T2M007", Span(line, 0, line, 0), f"skip[{code}] suppresses nothing on this line")
                )
    return tuple(kept)


def _lines(span: Span) -> range:
    return range(span.line, max(span.line, span.end_line) + 1)


def skip_comments(text: str) -> dict[int, tuple[str, ...]]:
    """Line -> the codes that its `# torch2ms: skip[CODE, ...]` comment names."""
    if "skip[" not in text:
        return {}
    found: dict[int, tuple[str, ...]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            match = _COMMENT.search(token.string) if token.type == tokenize.COMMENT else None
            if match:
                found[token.start[0]] = tuple(code.strip().upper() for code in match[1].split(",") if code.strip())
    except (tokenize.TokenError, SyntaxError):
        return {}
    return found


def add_skips(file: FileOutcome) -> str:
    """The source text with a skip comment at the end of each line that has findings."""
    codes: dict[int, set[str]] = {}
    for diagnostic in file.diagnostics:
        codes.setdefault(diagnostic.span.line, set()).add(diagnostic.code)
    lines = file.result.source.text.splitlines(keepends=True)
    for line, found in codes.items():
        body = lines[line - 1].rstrip("\r\n")
        end = lines[line - 1][len(body) :]
        match = _COMMENT.search(body)
        if match:
            found |= {code.strip().upper() for code in match[1].split(",") if code.strip()}
            body = body[: match.start()].rstrip() + body[match.end() :]
        lines[line - 1] = f"{body}  # torch2ms: skip[{', '.join(sorted(found))}]{end}"
    return "".join(lines)


def write_baseline(path: Path, run: RunOutcome) -> int:
    """Records the findings of a run as known; the number of them. Lines are not recorded, so code may move."""
    counts: Counter[tuple[str, str, str]] = Counter(
        _key(run, file, diagnostic, path) for file, diagnostic in run.findings()
    )
    rows = [
        {"path": rel, "code": code, "message": message, "count": n}
        for (rel, code, message), n in sorted(counts.items())
    ]
    path.write_text(json.dumps({"tool": "torch2ms", "findings": rows}, indent=1) + "\n", encoding="utf-8")
    return counts.total()


def read_baseline(path: Path) -> Counter[tuple[str, str, str]]:
    """The known findings with how often each is known."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["findings"]
        return Counter({(row["path"], row["code"], row["message"]): int(row["count"]) for row in rows})
    except FileNotFoundError:
        raise UsageProblem(f"the baseline {path} does not exist", "torch2ms check --write-baseline makes it") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageProblem(f"the baseline {path} cannot be read: {error}") from None


def _key(run: RunOutcome, file: FileOutcome, diagnostic: Diagnostic, baseline: Path) -> tuple[str, str, str]:
    path = os.path.relpath(run.root.resolve() / file.rel, baseline.resolve().parent)
    return Path(path).as_posix(), diagnostic.code, diagnostic.message


def _take(
    known: Counter[tuple[str, str, str]],
    run: RunOutcome,
    file: FileOutcome,
    diagnostic: Diagnostic,
    baseline: Path | None,
) -> bool:
    if baseline is None:
        return False
    key = _key(run, file, diagnostic, baseline)
    if known[key] <= 0:
        return False
    known[key] -= 1
    return True
