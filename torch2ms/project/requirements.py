"""Requirements in pip's notation: which PyTorch ones become which MindSpore ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.requirements import Requirement

MINDSPORE = "mindspore>=2.10,<2.11"
_TORCH = frozenset({"torch", "pytorch"})
# their classes come from the runtime
_REPLACED = frozenset({"torchvision", "torchaudio", "triton", "pytorch-triton"})
_TORCH_INDEX = re.compile(r"download\.pytorch\.org|/whl/(cu|cpu|rocm)")
_COMMENT = re.compile(r"(^|\s+)#.*$")
_OPTION = re.compile(r"^(-i|--index-url|--extra-index-url|-f|--find-links)(\s+|=)\S+\s*$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a converted project needs: MindSpore, the runtime unless it is vendored, PyTorch where code still uses it."""

    runtime: str = "torch2ms"
    keep_torch: bool = False

    def instead(self, requirement: str) -> list[str] | None:
        """The requirements for one in pip's notation; None where it stays as it is."""
        parsed = _parsed(requirement)
        if parsed is None:
            return None
        name = _canonical(parsed.name)
        if name in _REPLACED:
            return None if self.keep_torch else []
        if name not in _TORCH:
            return None
        marker = f"; {parsed.marker}" if parsed.marker else ""
        needed = [text + marker for text in (MINDSPORE, self.runtime) if text]
        return [requirement, *needed] if self.keep_torch else needed


def _parsed(requirement: str) -> Requirement | None:
    # here, as most runs meet no requirement
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(requirement)
    except InvalidRequirement:
        return None


def _canonical(name: str) -> str:
    from packaging.utils import canonicalize_name

    return canonicalize_name(name)


def _name(requirement: str) -> str:
    parsed = _parsed(requirement)
    return requirement if parsed is None else _canonical(parsed.name)


def change_requirements(text: str, wanted: Wanted) -> str:
    """A requirements.txt with its PyTorch lines replaced; comments, markers, order and newlines stay."""
    present = {_name(_bare(line)) for line in text.splitlines()}
    return "".join(_lines(text, wanted, present))


def _lines(text: str, wanted: Wanted, present: set[str]) -> Iterator[str]:
    dropping = False
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        end = line[len(body) :]
        if dropping:  # the continued lines (hashes) of a requirement that is gone
            dropping = body.endswith("\\")
            continue
        bare = _bare(body)
        if _OPTION.match(bare) and _TORCH_INDEX.search(bare) and not wanted.keep_torch:
            continue
        instead = wanted.instead(bare)
        if instead is None:
            yield line
            continue
        dropping = body.endswith("\\")
        comment = _COMMENT.search(body)
        kept = [name for name in instead if name == bare or _name(name) not in present]
        for number, name in enumerate(kept):
            yield (
                name
                + (comment[0] if comment and number == 0 else "")
                + (end or ("\n" if number < len(kept) - 1 else ""))
            )
        if not kept and comment:
            yield comment[0].lstrip() + end


def _bare(line: str) -> str:
    """A line without its comment, its per-requirement options and its continuation."""
    return re.sub(r"\s+--hash.*$", "", _COMMENT.sub("", line).rstrip().removesuffix("\\").rstrip()).strip()


def change_install_line(line: str, wanted: Wanted | None = None) -> str:
    """A `pip install` line of a shell, Dockerfile or notebook with its packages replaced; other lines as they are."""
    wanted = wanted or Wanted()
    words = list(_words(line))
    texts = [line[start:end] for start, end in words]
    at = _packages_at(texts)
    if at is None:
        return line
    present = {_name(text.strip("'\"")) for text in texts[at:]}
    edits: list[tuple[int, int, str]] = []
    touched = False
    for number in range(at, len(words)):
        start, end = words[number]
        text = texts[number].strip("'\"")
        instead = None if text.startswith("-") else wanted.instead(text)
        if instead is not None:
            touched = True
            kept = [name for name in instead if name == text or _name(name) not in present]
            edits.append((start, end, " ".join(_quoted(name) for name in kept)))
    if touched and not wanted.keep_torch:
        edits += _index_options(words, texts, at)
    for start, end, new in sorted(edits, reverse=True):
        if not new:
            while start > 0 and line[start - 1] in " \t" and (end >= len(line) or line[end] in " \t\\&;|)"):
                start -= 1
        line = line[:start] + new + line[end:]
    return line


def _index_options(words: list[tuple[int, int]], texts: list[str], at: int) -> Iterator[tuple[int, int, str]]:
    number = at
    while number < len(texts):
        text = texts[number]
        if text in ("-i", "--index-url", "--extra-index-url", "-f", "--find-links") and number + 1 < len(texts):
            if _TORCH_INDEX.search(texts[number + 1]):
                yield words[number][0], words[number + 1][1], ""
            number += 1
        elif text.startswith("--") and "=" in text and _TORCH_INDEX.search(text):
            yield *words[number], ""
        number += 1


def _words(line: str) -> Iterator[tuple[int, int]]:
    """Where the words of a shell command stand; quotes belong to their word, operators stand alone."""
    for match in re.finditer(r"""(?:[^\s'"\\;&|]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+|[;&|]+""", line):
        yield match.span()


def _packages_at(texts: list[str]) -> int | None:
    for number in range(len(texts) - 1):
        command = texts[number].lstrip("%!").rpartition("/")[2]
        if re.fullmatch(r"pip[\d.]*", command) and texts[number + 1] == "install":
            return number + 2
    return None


def _quoted(requirement: str) -> str:
    return f"'{requirement}'" if re.search(r"[<>;&|\s*]", requirement) else requirement
