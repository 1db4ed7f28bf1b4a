"""Patches of random edits, taken by git."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torch2ms.report.diff import FileDiff, changed_lines, hunks, patch, side_by_side, split_lines, stat

LINES = st.lists(st.sampled_from([b"a", b"b\r", b"", b"\x0c", b"\xe9", b"+x", b"-- y", b"@@ -1 +1 @@"]), max_size=14)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=LINES, new=LINES, old_end=st.booleans(), new_end=st.booleans())
def test_git_makes_the_new_file_of_the_old_one(tmp_path: Path, old, new, old_end, new_end):
    before = b"\n".join(old) + (b"\n" if old_end and old else b"")
    after = b"\n".join(new) + (b"\n" if new_end and new else b"")
    text = patch(FileDiff("f.py", before, after))
    if before == after:
        assert text == b""
        return
    (tmp_path / "f.py").write_bytes(before)
    done = subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=text, cwd=tmp_path, capture_output=True)
    if not before or not after:
        return  # git wants `new file` and `deleted file` headers there; a conversion never makes or empties a file
    assert done.returncode == 0, (done.stderr, text)
    assert (tmp_path / "f.py").read_bytes() == after


def test_hunks_count_their_lines():
    old = b"".join(b"%d\n" % n for n in range(100))
    new = old.replace(b"5\n", b"five\n", 1).replace(b"\n80\n", b"\n")
    found = hunks(FileDiff("f", old, new))
    assert len(found) == 2
    for hunk in found:
        assert sum(sign in " -" for sign, _ in hunk.lines) == hunk.old_count
        assert sum(sign in " +" for sign, _ in hunk.lines) == hunk.new_count
    assert changed_lines(FileDiff("f", old, new)) == (1, 2)


def test_a_long_file_of_equal_lines_keeps_its_small_difference():
    old = b"import torch\n" + b"# a comment\n" * 30_000 + b"x = 1\n" + b"# a comment\n" * 30_000
    assert changed_lines(FileDiff("f", old, old.replace(b"import torch", b"import mindspore"))) == (1, 1)
    assert changed_lines(FileDiff("f", old, old.replace(b"x = 1", b"x = 2"))) == (1, 1)
    assert len(hunks(FileDiff("f", old, old.replace(b"x = 1\n", b"")))) == 1


def test_only_newlines_end_lines():
    assert split_lines(b"a\x0cb\rc\n\nd") == [b"a\x0cb\rc\n", b"\n", b"d"]
    assert split_lines(b"") == []


def test_stat_and_columns_fit():
    diff = FileDiff("a/long/path.py", b"x\n" * 300, b"y\n" * 200)
    lines = list(stat([diff], 60, colour=False))
    assert lines[-1] == " 1 file changed, 200 insertions(+), 300 deletions(-)"
    assert all(len(line) <= 62 for line in lines)
    wide = FileDiff("p.py", b"a = 1\n" + b"l" * 200 + b"\n", b"a = 2\n" + b"m" * 200 + b"\n")
    assert all(len(line) <= 61 for line in side_by_side(wide, "utf-8", 60, colour=False))
