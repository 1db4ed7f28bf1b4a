"""A tree with everything that file systems allow, converted into itself: each thing stays what it is, once."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

SOURCE = "import torch\n\n\ndef f(x):\n    return torch.relu(x)\n"


@pytest.fixture
def tree(here: Path) -> Path:
    """Links to a file, to the tree itself and to nothing; modes; folders to leave out; names and sizes out of the ordinary."""
    a = here / "a"
    for folder in (a, a / ".git", a / "venv" / "lib"):
        folder.mkdir(parents=True)
    for name in ("real.py", "ro.py", "run.py", "w\u00f6rk it \u5f20.py", "venv/lib/x.py", ".git/hook.py"):
        (a / name).write_text(SOURCE)
    (a / "venv" / "pyvenv.cfg").write_text("home = /usr\n")
    (a / "big.py").write_text(SOURCE + f"# {'a comment that fills the file ' * 10}\n" * 18_000)
    (a / "data.bin").write_bytes(bytes(range(256)))
    (a / "link.py").symlink_to("real.py")
    (a / "loop").symlink_to(".")
    (a / "broken.py").symlink_to("missing.py")
    (a / "ro.py").chmod(0o444)
    (a / "run.py").chmod(0o755)
    return a


def snapshot(folder: Path) -> dict[str, tuple[int, object]]:
    """Mode and content, or target, of everything below a folder but the output."""
    found: dict[str, tuple[int, object]] = {}
    for path in sorted(folder.rglob("*")):
        rel = path.relative_to(folder).as_posix()
        if rel.partition("/")[0] == "out":
            continue
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[rel] = path.lstat().st_mode, content
    return found


def test_a_tree_of_everything(tree, run):
    assert (tree / "big.py").stat().st_size > 5_000_000
    before = snapshot(tree)
    out = tree / "out"
    result = run("convert", tree, "-o", out)
    assert "broken.py" in result.output, "a link that leads nowhere is reported"
    assert snapshot(tree) == before, "the input is left alone"

    for name in ("real.py", "ro.py", "run.py", "w\u00f6rk it \u5f20.py", "big.py"):
        text = (out / name).read_text()
        assert "mint" in text and "import torch\n" not in text, name
    assert (out / "link.py").is_symlink() and os.readlink(out / "link.py") == "real.py"
    assert (out / "loop").is_symlink() and os.readlink(out / "loop") == "."
    assert stat.S_IMODE((out / "ro.py").stat().st_mode) == 0o444
    assert stat.S_IMODE((out / "run.py").stat().st_mode) == 0o755
    assert (out / "data.bin").read_bytes() == bytes(range(256))
    assert not (out / ".git").exists() and not (out / "venv").exists() and not (out / "out").exists()

    written = {path: path.lstat().st_mtime_ns for path in out.rglob("*.py")}
    run("convert", tree, "-o", out)
    assert {path: path.lstat().st_mtime_ns for path in out.rglob("*.py")} == written
    assert snapshot(tree) == before and not (out / "out").exists()


def test_what_the_user_put_into_the_output_is_not_overwritten(tree, run):
    out = tree / "out"
    out.mkdir()
    (out / "real.py").write_text("mine = 1\n")
    assert run("convert", tree, "-o", out).exit_code == 2
    assert (out / "real.py").read_text() == "mine = 1\n"
    assert sorted(path.name for path in out.iterdir()) == ["real.py"]
    run("convert", tree, "-o", out, "--force")
    assert "mint" in (out / "real.py").read_text()
