"""The cache answers what a run would, and only while nothing that matters changed."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result, Stats
from torch2ms.project.cache import Cache, digest, from_json, to_json
from torch2ms.project.config import Config
from torch2ms.project.discover import EntryKind
from torch2ms.project.gather import gather_folder
from torch2ms.project.outcome import FileOutcome
from torch2ms.project.run import Settings, convert_all
from torch2ms.source import SourceFile, Span

KINDS = (EntryKind.PYTHON, EntryKind.NOTEBOOK)
BASE = "import torch.nn as nn\n\n\nclass Base(nn.Module):\n    pass\n"
NET = "import torch\nfrom base import Base\n\n\nclass Net(Base):\n    def forward(self, x):\n        return torch.exp(x)\n"
OTHER = "import torch\n\nx = torch.zeros(3)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "proj"
    folder.mkdir()
    for name, text in {"base": BASE, "net": NET, "other": OTHER}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def convert(folder: Path, cache: Cache, config: Config | None = None) -> dict[str, FileOutcome]:
    run = convert_all(gather_folder(folder, Config().patterns(folder), KINDS), Settings(config or Config(), 1, cache))
    return {file.rel: file for file in run.files}


def plain(outcome: FileOutcome) -> FileOutcome:
    return dataclasses.replace(outcome, seconds=0.0, cached=False)


def test_cached_outcomes_equal_fresh_ones(project, tmp_path):
    cache = Cache(tmp_path / "cache")
    fresh, again = convert(project, cache), convert(project, cache)
    assert not any(f.cached for f in fresh.values()) and all(f.cached for f in again.values())
    assert {rel: plain(f) for rel, f in fresh.items()} == {rel: plain(f) for rel, f in again.items()}
    assert "nn.Cell" in fresh["base.py"].result.text


def test_a_change_reaches_the_files_that_rest_on_it_and_no_others(project, tmp_path):
    cache = Cache(tmp_path / "cache")
    convert(project, cache)
    (project / "base.py").write_text("class Base:\n    pass\n\n# torch\n")
    after = convert(project, cache)
    assert not after["base.py"].cached and not after["net.py"].cached
    assert "construct" not in after["net.py"].result.text
    assert after["other.py"].cached


def test_a_change_that_alters_no_facts_reaches_only_its_own_file(project, tmp_path):
    cache = Cache(tmp_path / "cache")
    convert(project, cache)
    (project / "base.py").write_text("# a comment\n" + BASE)
    after = convert(project, cache)
    assert not after["base.py"].cached and after["net.py"].cached and after["other.py"].cached


def test_options_matter(project, tmp_path):
    cache = Cache(tmp_path / "cache")
    convert(project, cache)
    pure = convert(project, cache, Config(target="pure"))
    assert not any(f.cached for f in pure.values())
    assert "torch2ms" not in pure["other.py"].result.text


def test_damaged_entries_are_ignored(project, tmp_path):
    cache = Cache(tmp_path / "cache")
    fresh = convert(project, cache)
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-7])
    again = convert(project, cache)
    assert not any(f.cached for f in again.values())
    assert again["net.py"].result.text == fresh["net.py"].result.text


def test_a_cache_that_cannot_be_written_is_no_error(project, tmp_path):
    (tmp_path / "file").write_text("")
    assert convert(project, Cache(tmp_path / "file"))["net.py"].changed


def test_many_writers(tmp_path):
    cache = Cache(tmp_path / "cache")
    key = digest("key")
    wrong = []

    def work(number: int) -> None:
        for _ in range(30):
            cache.put(key, {"value": "x" * 5000})
            found = cache.get(key)
            if found != {"value": "x" * 5000}:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_everything_of_an_outcome_survives():
    source = SourceFile("n.ipynb", "x = 1\n", "latin-1", "\r\n")
    stats = Stats({"proven": 2}, {"torch.exp": 1}, {"torch.svd": 3}, {"lifted": 1})
    said = (Diagnostic("T2M102", Span(1, 2, 3, 4), "message é", "help"),)
    outcome = FileOutcome(
        "n.ipynb", EntryKind.NOTEBOOK, Result(source, "x = 2\n", said, stats), b"\xff\x00data", ((2, 1), (9, 4))
    )
    found = from_json(to_json(outcome), outcome.rel, outcome.kind, b"irrelevant")
    assert found is not None and plain(found) == outcome
    # a field added to these classes must be added to the cache, too
    assert [f.name for f in dataclasses.fields(Result)] == ["source", "text", "diagnostics", "stats"]
    assert [f.name for f in dataclasses.fields(Diagnostic)] == ["code", "span", "message", "help"]
