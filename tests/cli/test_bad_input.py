"""One bad file costs one line; the others convert, and nothing is half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

GOOD = "import torch\nx = torch.exp(torch.ones(3))\n"
BAD = {
    "syntax.py": (b"import torch\ndef f(:\n    pass\n", "T2M001"),
    "python2.py": (b"import torch\nprint torch.ones(3)\n", "T2M002"),
    "binary.py": (b"import torch\x00\x01\x02", "T2M003"),
    "latin.py": (b"import torch\nname = '\xe9'\n", "T2M003"),
    "cookie.py": (b"# -*- coding: no-such-codec -*-\nimport torch\n", "T2M003"),
}


@pytest.fixture
def mixed(here: Path) -> Path:
    folder = here / "mixed"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    for name, (data, _) in BAD.items():
        (folder / name).write_bytes(data)
    (folder / "empty.py").write_bytes(b"")
    (folder / "comment.py").write_bytes(b"# nothing but this")
    return folder


def test_each_bad_file_has_its_line_and_the_rest_converts(mixed, run):
    result = run("convert", "mixed")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    for name, (data, code) in BAD.items():
        said = [line for line in lines if line.startswith(f"mixed/{name}:")]
        assert len(said) == 1 and f" {code} " in said[0], (name, said)
        assert (mixed.parent / "mixed_ms" / name).read_bytes() == data
    assert "mint.exp" in (mixed.parent / "mixed_ms/good.py").read_text()
    assert (mixed.parent / "mixed_ms/empty.py").read_bytes() == b""
    assert (mixed.parent / "mixed_ms/comment.py").read_bytes() == b"# nothing but this"
    assert not any("empty.py" in line or "comment.py" in line for line in lines)


def test_a_named_bad_file_is_reported_even_without_torch(here, run):
    (here / "bad.py").write_bytes(b"\x00")
    result = run("check", "bad.py")
    assert result.exit_code == 1 and "T2M003" in result.output


def test_bad_files_without_torch_are_none_of_our_business(here, run):
    (here / "proj").mkdir()
    (here / "proj/bad.py").write_text("print 'hello'\n")
    (here / "proj/good.py").write_text(GOOD)
    result = run("convert", "proj")
    assert result.exit_code == 0 and "bad.py" not in result.output


def test_links_and_special_files(here, run):
    folder = here / "a"
    folder.mkdir()
    (folder / "real.py").write_text(GOOD)
    (folder / "link.py").symlink_to("real.py")
    (folder / "loop").symlink_to(".")
    (folder / "broken.py").symlink_to("missing.py")
    (here / "outside.py").write_text(GOOD)
    (folder / "out.py").symlink_to("../outside.py")
    (folder / "name with space and é.py").write_text(GOOD)
    (folder / "data.bin").write_bytes(os.urandom(6_000_000))
    (folder / ".git").mkdir()
    (folder / ".git/hook.py").write_text(GOOD)
    (folder / "env").mkdir()
    (folder / "env/pyvenv.cfg").write_text("")
    (folder / "env/x.py").write_text(GOOD)
    os.mkfifo(folder / "pipe.py")
    result = run("convert", "a")
    assert result.exit_code == 0, result.output
    assert "a/broken.py:1:1 T2M008" in result.output and "missing.py" in result.output
    assert "a/pipe.py:1:1 T2M008" in result.output
    out = here / "a_ms"
    assert os.readlink(out / "link.py") == "real.py" and os.readlink(out / "loop") == "."
    assert (out / "link.py").read_text() == (out / "real.py").read_text() != GOOD
    assert "mint.exp" in (out / "name with space and é.py").read_text()
    assert (out / "data.bin").read_bytes() == (folder / "data.bin").read_bytes()
    assert not (out / ".git").exists() and not (out / "env").exists() and not (out / "pipe.py").exists()
    assert (here / "outside.py").read_text() == GOOD
    run("convert", "a", "--in-place")
    assert (here / "outside.py").read_text() == GOOD
    assert (folder / "link.py").is_symlink()


def test_link_loop_and_broken_link_as_path(here, run):
    (here / "loop").symlink_to("loop")
    result = run("convert", "loop")
    assert result.exit_code == 2 and result.output.startswith("error: loop is a link")


def test_output_is_not_written_through_a_link(here, run):
    (here / "proj/sub").mkdir(parents=True)
    (here / "proj/sub/a.py").write_text(GOOD)
    (here / "elsewhere").mkdir()
    (here / "proj_ms").mkdir()
    (here / "proj_ms/sub").symlink_to("../elsewhere")
    result = run("convert", "proj", "--force")
    assert result.exit_code == 2 and "sub/a.py" in result.output
    assert list((here / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["a.py", "folder"])
def test_unreadable(here, run, monkeypatch, name):
    (here / "proj/folder").mkdir(parents=True)
    (here / "proj/a.py").write_text(GOOD)
    (here / "proj/b.py").write_text(GOOD)
    read, scan = Path.read_bytes, os.scandir

    def refuse(path):
        if Path(path).name == name:
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", lambda self: (refuse(self), read(self))[1])
    monkeypatch.setattr(os, "scandir", lambda path: (refuse(path), scan(path))[1])
    result = run("convert", "proj")
    assert result.exit_code == 1
    assert f"proj/{name}:1:1 T2M005" in result.output and "permission denied" in result.output
    assert "mint.exp" in (here / "proj_ms/b.py").read_text()


def test_deep_expression_converts_or_is_named(here, run):
    (here / "deep.py").write_text("import torch\nx = torch.ones(1)\ny = " + " + ".join(["x"] * 1500) + "\n")
    result = run("convert", "deep.py", "-o", "out.py")
    assert result.exit_code in (0, 1) and "Traceback" not in result.output
    text = Path("out.py").read_text()
    assert "mint.ones" in text or ("T2M901" in result.output and text == (here / "deep.py").read_text())


def test_encodings_survive(here, run):
    folder = here / "proj"
    folder.mkdir()
    files = {
        "bom.py": b"\xef\xbb\xbfimport torch\nx = torch.ones(1)  # \xc3\xa9\n",
        "crlf.py": b"import torch\r\nx = torch.ones(1)\r\n",
        "cr.py": b"import torch\rx = torch.ones(1)\r",
        "gbk.py": "# -*- coding: gbk -*-\nimport torch\nname = '张量'\nx = torch.ones(1)\n".encode("gbk"),
        "latin.py": b"# coding: latin-1\nimport torch\nname = '\xe9'\nx = torch.ones(1)\n",
        "no_newline.py": b"import torch\nx = torch.ones(1)",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    assert run("convert", "proj").exit_code == 0
    out = {name: (here / "proj_ms" / name).read_bytes() for name in files}
    assert all(b"mint.ones" in data for data in out.values())
    assert out["bom.py"].startswith(b"\xef\xbb\xbf") and out["bom.py"].endswith(b"# \xc3\xa9\n")
    assert out["crlf.py"].count(b"\n") == out["crlf.py"].count(b"\r\n") == 2
    assert b"\n" not in out["cr.py"]
    assert "name = '张量'".encode("gbk") in out["gbk.py"]
    assert b"name = '\xe9'" in out["latin.py"]
    assert not out["no_newline.py"].endswith(b"\n")
    for name, data in out.items():
        compile(data, name, "exec")


def test_devices_and_pipes_are_refused_at_once(here, run):
    (here / "a.py").write_text(GOOD)
    os.mkfifo(here / "pipe.py")
    for args in (["a.py", "-o", "/dev/full"], ["/dev/zero"], ["pipe.py"], ["a.py", "-o", "pipe.py"]):
        result = run("convert", *args)
        assert result.exit_code == 2 and "not a file" in result.output or "neither a file" in result.output
