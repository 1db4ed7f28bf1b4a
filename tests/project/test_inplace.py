"""In-place changes one by one: journal, files changed meanwhile, backups."""

from __future__ import annotations

import json

import pytest

from torch2ms.project import inplace
from torch2ms.project.cache import digest
from torch2ms.project.errors import UsageProblem
from torch2ms.project.inplace import Change


@pytest.fixture
def root(tmp_path):
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_bytes(f"old {name}\n".encode())
    return tmp_path


def changes(root):
    return [Change(name, (root / name).read_bytes(), f"new {name}\n".encode()) for name in ("a.py", "b.py", "c.py")]


def test_changes_are_written_and_nothing_else_stays(root):
    assert inplace.apply_changes(root, changes(root), backup=False) == []
    assert {p.name: p.read_text() for p in root.iterdir()} == {n: f"new {n}\n" for n in ("a.py", "b.py", "c.py")}


def test_a_file_that_changed_meanwhile_is_left_alone(root):
    planned = changes(root)
    (root / "b.py").write_text("someone else\n")
    failures = inplace.apply_changes(root, planned, backup=False)
    assert [rel for rel, _ in failures] == ["b.py"]
    assert (root / "b.py").read_text() == "someone else\n" and (root / "c.py").read_text() == "new c.py\n"


def test_a_journal_is_completed(root):
    journal = root / inplace.STATE / "journal"
    journal.mkdir(parents=True)
    planned = changes(root)
    for number, change in enumerate(planned):
        (journal / str(number)).write_bytes(change.new)
    (journal / "journal.json").write_text(json.dumps([[c.rel, digest(c.old)] for c in planned]))
    (root / "a.py").write_bytes(planned[0].new)
    (root / "b.py").write_bytes(b"edited since\n")
    inplace.finish(root)
    assert (root / "a.py").read_bytes() == planned[0].new
    assert (root / "b.py").read_bytes() == b"edited since\n"
    assert (root / "c.py").read_bytes() == planned[2].new
    assert not (root / inplace.STATE).exists()


def test_a_journal_killed_while_staging_changes_nothing(root):
    journal = root / inplace.STATE / "journal"
    journal.mkdir(parents=True)
    (journal / "0").write_bytes(b"half")
    assert inplace.finish(root) == 0
    assert (root / "a.py").read_text() == "old a.py\n" and not (root / inplace.STATE).exists()


def test_backups_stack(root):
    first = changes(root)
    inplace.apply_changes(root, first, backup=True)
    second = [Change("a.py", b"new a.py\n", b"newer\n")]
    inplace.apply_changes(root, second, backup=True)
    assert (root / inplace.STATE / ".gitignore").read_text() == "*\n"
    assert inplace.undo(root) == 1
    assert (root / "a.py").read_text() == "new a.py\n"
    assert inplace.undo(root) == 3
    assert (root / "a.py").read_text() == "old a.py\n"
    with pytest.raises(UsageProblem):
        inplace.undo(root)
