"""The report as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import zip_longest
from pathlib import Path

import torch2ms
from torch2ms.diagnostics import CODES, Diagnostic, Severity
from torch2ms.edits import Provenance
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.report.code import highlighted
from torch2ms.report.coverage import NEEDS_TORCH, Coverage, file_sites
from torch2ms.report.diff import FileDiff, Hunk, hunks

_HERE = Path(__file__).parent
_PROVENANCES = (
    (Provenance.PROVEN, "proven", "the kind of the object was inferred"),
    (Provenance.ONE_NAME, "one-name", "the name can mean nothing else than PyTorch"),
    (Provenance.GUARDED, "helpers", "a helper asks the object at run time"),
    (Provenance.REFUSED, "refused", "raises when it is reached; rewrite it by hand"),
)
# a page with more rows than this becomes slow in a browser
_MOST_LINES = 60_000


def page(run: RunOutcome, found: Coverage, title: str) -> str:
    """The page."""
    body = "\n".join(
        (
            _head(found, run, title),
            "<main>",
            _attention(found),
            _apis(found),
            _files(run),
            _packages(found),
            *_sources(run),
            "</main>",
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>torch2ms: {escape(title)}</title>\n<style>\n{_read('page.css')}</style>\n</head>\n<body>\n"
        f"{body}\n<script>\n{_read('page.js')}</script>\n</body>\n</html>\n"
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _head(found: Coverage, run: RunOutcome, title: str) -> str:
    cards = "".join(
        f'<div class="card {name}" title="{escape(why)}"><b>{found.sites[provenance.value]}</b><span>{name}</span></div>'
        for provenance, name, why in _PROVENANCES
    )
    bar = "".join(
        f'<span class="{name}" style="flex-grow:{found.sites[provenance.value]}"></span>'
        for provenance, name, _ in _PROVENANCES
        if found.sites[provenance.value]
    )
    loops = ", ".join(f"{number} {escape(form)}" for form, number in found.loops.most_common())
    steps = f" Training steps: {loops}." if loops else ""
    left = sum(len(refusal.places) for refusal in found.refusals)
    files = len({place.partition(":")[0] for refusal in found.refusals for place in refusal.places})
    effort = f"{left} places in {files} files need attention." if left else "Nothing needs attention."
    return (
        f"<header><h1>{escape(title)}</h1><p>{found.converted} of {found.total} uses of PyTorch convert "
        f"({found.share(found.converted):.1%}). {effort}{steps} {found.compared_uses} of the converted uses are of functions "
        "and layers whose values, dtypes and gradients are compared with PyTorch&#39;s on its own samples; tests hold the others.</p>"
        f'<div class="bar" role="img" aria-label="shares of converted uses">{bar}</div><div class="cards">{cards}</div>'
        '<p class="search"><input id="search" type="search" placeholder="filter by name, code or text ( / )" '
        'aria-label="filter"><span id="hits" role="status"></span></p>'
        f'<p class="small">torch2ms {torch2ms.__version__}, {len(run.files)} files. '
        "Keys: <kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous file, <kbd>o</kbd> open or close it.</p></header>"
    )


def _attention(found: Coverage) -> str:
    rows = []
    for refusal in found.refusals:
        places = ", ".join(map(escape, refusal.places[:20]))
        more = f" and {len(refusal.places) - 20} more" if len(refusal.places) > 20 else ""
        advice = f"<p>{escape(refusal.help)}</p>" if refusal.help else ""
        rows.append(
            f'<tr><td class="n">{len(refusal.places)}</td><td><abbr title="{escape(CODES[refusal.code].explanation)}">'
            f"{refusal.code}</abbr></td><td>{escape(refusal.message)}{advice}<small><code>{places}</code>{more}</small></td></tr>"
        )
    if not rows:
        return ""
    return _table("Needs attention, most frequent first", ("times", "code", "what, and what to do"), rows)


def _apis(found: Coverage) -> str:
    names = sorted(
        found.converted_apis.keys() | found.refused_apis.keys(),
        key=lambda name: (-found.refused_apis[name], -found.converted_apis[name], name),
    )
    rows = [
        f'<tr><td><code>{escape(name)}</code></td><td class="n">{found.converted_apis[name]}</td>'
        f'<td class="n{" bad" if found.refused_apis[name] else ""}">{found.refused_apis[name]}</td>'
        f"<td>{'values, on PyTorch&#39;s samples' if name in found.compared else ''}</td></tr>"
        for name in names
    ]
    heads = ("API", "converted", "refused", "compared with PyTorch")
    return _table(f"APIs ({len(rows)})", heads, rows, closed=len(rows) > 20) if rows else ""


def _files(run: RunOutcome) -> str:
    rows = []
    for number, file in enumerate(run.files):
        sure, guarded, refused = file_sites(file)
        link = f'<a href="#f{number}"><code>{escape(run.shown(file))}</code></a>'
        rows.append(
            f'<tr><td>{link}</td><td class="n">{sure}</td><td class="n">{guarded}</td>'
            f'<td class="n{" bad" if refused else ""}">{refused}</td></tr>'
        )
    return _table(f"Files ({len(rows)})", ("file", "converted", "helpers", "refused"), rows)


def _packages(found: Coverage) -> str:
    rows = [
        f'<tr><td><code>{escape(name)}</code></td><td class="n">{number}</td>'
        f"<td>{'works on PyTorch objects' if name in NEEDS_TORCH else ''}</td></tr>"
        for name, number in sorted(
            found.packages.items(), key=lambda item: (item[0] not in NEEDS_TORCH, -item[1], item[0])
        )
    ]
    rows += [
        f"<tr><td><code>{escape(rel)}</code></td><td></td><td>custom kernel, to be written anew</td></tr>"
        for rel in found.kernels
    ]
    return _table("Other packages and kernels", ("package", "files", ""), rows) if rows else ""


def _table(title: str, heads: tuple[str, ...], rows: list[str], closed: bool = False) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    opened = "" if closed else " open"
    return (
        f'<details class="section"{opened}><summary><h2>{escape(title)}</h2></summary>'
        f'<div class="scroll"><table class="list"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div></details>'
    )


def _sources(run: RunOutcome) -> Iterator[str]:
    lines = 0
    yield "<h2>Before and after</h2>"
    for number, file in enumerate(run.files):
        if not file.changed and not file.diagnostics:
            continue
        rows = list(_rows(file))
        lines += sum(row.count("<tr") for row in rows)
        if lines > _MOST_LINES:
            yield '<p class="small">The rest is left out; report fewer folders at once to see it.</p>'
            return
        errors = sum(d.severity is Severity.ERROR for d in file.diagnostics)
        badge = f' <span class="badge">{errors}</span>' if errors else ""
        yield (
            f'<details class="file" id="f{number}"><summary><code>{escape(run.shown(file))}</code>{badge}</summary>'
            f'<div class="scroll"><table class="code">{"".join(rows)}</table></div></details>'
        )


def _rows(file: FileOutcome) -> Iterator[str]:
    """Groups of rows with the old text, the new text and what was said, for changed places and for those spoken of."""
    source, text = file.result.source.text, file.result.text
    old, new = highlighted(source), highlighted(text)
    said: dict[int, list[Diagnostic]] = {}
    for diagnostic in file.diagnostics:
        said.setdefault(diagnostic.span.line, []).append(diagnostic)
    changed = hunks(FileDiff(file.rel, _plain(source), _plain(text)))
    covered = {line for hunk in changed for line in range(hunk.old_start, hunk.old_start + hunk.old_count)}
    lonely = sorted(line for line in said if line not in covered)
    blocks = [(hunk.old_start, "".join(_hunk(hunk, old, new, said))) for hunk in changed]
    blocks += [(line, _group([_row(line, old, None, old, said.get(line))])) for line in lonely if line <= len(old)]
    for position, (_, block) in enumerate(sorted(blocks)):
        yield (_group(['<tr class="gap"><td colspan="5"></td></tr>']) if position else "") + block


def _group(rows: list[str], name: str = "") -> str:
    """Rows that belong together: a narrow window shows all old lines of a change before the new ones."""
    opening = f'<tbody class="{name}">' if name else "<tbody>"
    return f"{opening}{''.join(rows)}</tbody>" if rows else ""


def _plain(text: str) -> bytes:
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace")


def _hunk(hunk: Hunk, old: list[str], new: list[str], said: dict[int, list[Diagnostic]]) -> Iterator[str]:
    before, after = hunk.old_start, hunk.new_start
    removed: list[int] = []
    added: list[int] = []
    for sign, _ in (*hunk.lines, (" ", b"")):
        if sign == "-":
            removed.append(before)
            before += 1
        elif sign == "+":
            added.append(after)
            after += 1
        else:
            pairs = zip_longest(removed, added)
            yield _group([_row(left, old, right, new, said.get(left or 0), changed=True) for left, right in pairs], "change")
            removed, added = [], []
            if before < hunk.old_start + hunk.old_count:
                yield _group([_row(before, old, after, new, said.get(before))])
            before, after = before + 1, after + 1


def _row(
    left: int | None,
    old: list[str],
    right: int | None,
    new: list[str],
    said: list[Diagnostic] | None,
    changed: bool = False,
) -> str:
    notes = "".join(
        f'<span class="note {d.severity.name.lower()}" title="{escape(d.help)}">{d.code} {escape(d.message)}</span>'
        for d in said or ()
    )
    before = _cell(left, old, "del" if changed else "")
    after = _cell(right, new, "add" if changed else "same")
    return f"<tr>{before}{after}<td class='said'>{notes}</td></tr>"


def _cell(line: int | None, lines: list[str], kind: str) -> str:
    if line is None or line > len(lines):
        return '<td class="l"></td><td class="none"></td>'
    return f'<td class="l">{line}</td><td class="{kind}"><pre>{lines[line - 1]}</pre></td>'
