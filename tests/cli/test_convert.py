"""`torch2ms convert` as a user meets it."""

from __future__ import annotations

import ast
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_default_output_is_complete_and_beside(project, run):
    before = tree(project)
    result = run("convert", "proj")
    assert result.exit_code == 0, result.output
    out = project.parent / "proj_ms"
    assert tree(project) == before
    assert set(tree(out)) == {*before, ".torch2ms.json"}
    assert (out / "notes.txt").read_bytes() == before["notes.txt"]
    text = (out / "pkg/model.py").read_text()
    assert "nn.Cell" in text and "# the only layer" in text
    assert "proj_ms" in result.output and "files" in result.output


def test_second_run_writes_nothing(project, run):
    run("convert", "proj")
    stamps = {p: p.stat().st_mtime_ns for p in (project.parent / "proj_ms").rglob("*.py")}
    result = run("convert", "proj")
    assert "0 files written" in result.output
    assert {p: p.stat().st_mtime_ns for p in stamps} == stamps


def test_output_converts_to_itself(project, run):
    run("convert", "proj")
    out = project.parent / "proj_ms"
    assert run("diff", out).output == ""
    assert run("check", out).exit_code == 0


def test_refusal_gives_exit_code_1_and_says_where(here, run):
    (here / "a.py").write_text("import torch\n\n\ndef f(x):\n    return torch.fx.symbolic_trace(x)\n")
    result = run("convert", "a.py")
    assert result.exit_code == 1
    first = result.output.splitlines()[0]
    assert first.startswith("a.py:5:12 T2M10") and "torch.fx.symbolic_trace" in first
    assert "unsupported(" in (here / "a_ms.py").read_text()


def test_foreign_files_are_not_overwritten(project, run):
    out = project.parent / "proj_ms"
    (out / "pkg").mkdir(parents=True)
    (out / "pkg/model.py").write_text("mine\n")
    result = run("convert", "proj")
    assert result.exit_code == 2
    assert "pkg/model.py" in result.output and "--force" in result.output
    assert tree(out) == {"pkg/model.py": b"mine\n"}
    assert run("convert", "proj", "--force").exit_code == 0
    assert "nn.Cell" in (out / "pkg/model.py").read_text()


def test_foreign_files_that_are_not_in_the_way_stay(project, run):
    out = project.parent / "proj_ms"
    out.mkdir()
    (out / "mine.txt").write_text("mine\n")
    assert run("convert", "proj").exit_code == 0
    assert (out / "mine.txt").read_text() == "mine\n"


def test_edited_output_is_not_overwritten(project, run):
    run("convert", "proj")
    out = project.parent / "proj_ms/pkg/model.py"
    out.write_text(out.read_text() + "# my own line\n")
    (project / "pkg/model.py").write_text((project / "pkg/model.py").read_text().replace("4, 2", "4, 3"))
    result = run("convert", "proj")
    assert result.exit_code == 2 and "pkg/model.py" in result.output
    assert "# my own line" in out.read_text()


def test_file_that_vanished_from_the_input_vanishes_from_the_output(project, run):
    run("convert", "proj")
    (project / "pkg/model.py").unlink()
    (project / "plain.py").unlink()
    result = run("convert", "proj")
    assert result.exit_code == 0 and "2 no longer needed" in result.output
    assert not (project.parent / "proj_ms/pkg/model.py").exists()
    assert not (project.parent / "proj_ms/plain.py").exists()


def test_output_inside_input(project, run):
    out = project / "build" / "ms"
    assert run("convert", "proj", "-o", out).exit_code == 0
    assert run("convert", "proj", "-o", out).exit_code == 0
    assert not list(out.rglob("build"))


def test_output_that_is_the_input_or_holds_it(project, run):
    for output in (project, project.parent):
        before = tree(project.parent)
        result = run("convert", "proj", "-o", output)
        assert result.exit_code == 2 and result.output.startswith("error: "), result.output
        assert tree(project.parent) == before


def test_two_outputs_are_equal_and_hold_no_path_of_the_machine(project, run):
    run("convert", "proj", "-o", "one")
    run("convert", "proj", "-o", "two/deep")
    one, two = tree(Path("one")), tree(Path("two/deep"))
    one.pop(".torch2ms.json"), two.pop(".torch2ms.json")
    assert one == two
    assert not any(str(project.parent).encode() in data for data in one.values())


def test_in_place(project, run):
    result = run("convert", "proj", "--in-place")
    assert result.exit_code == 0 and "1 file in place" in result.output
    assert "nn.Cell" in (project / "pkg/model.py").read_text()
    assert not (project / ".torch2ms").exists()
    assert run("diff", "proj").output == ""


def test_backup_and_undo(project, run):
    before = tree(project)
    assert run("convert", "proj", "--in-place", "--backup").exit_code == 0
    assert tree(project) != before
    result = run("undo", "proj")
    assert result.exit_code == 0 and "1 file brought back" in result.output
    assert tree(project) == before
    assert run("undo", "proj").exit_code == 2


def test_undo_refuses_files_changed_since(project, run):
    before = tree(project)
    run("convert", "proj", "--in-place", "--backup")
    model = project / "pkg/model.py"
    model.write_text(model.read_text() + "# later\n")
    result = run("undo", "proj")
    assert result.exit_code == 2 and "pkg/model.py" in result.output
    assert "# later" in model.read_text()
    assert run("undo", "proj", "--force").exit_code == 0
    assert tree(project) == before


def test_single_file(here, project, run):
    assert run("convert", "proj/pkg/model.py").exit_code == 0
    assert (project / "pkg/model_ms.py").is_file()
    assert run("convert", "proj/pkg/model.py", "-o", "out.py").exit_code == 0
    assert "nn.Cell" in Path("out.py").read_text()
    Path("other.py").write_text("mine\n")
    assert run("convert", "proj/pkg/model.py", "-o", "other.py").exit_code == 2
    assert Path("other.py").read_text() == "mine\n"
    Path("folder").mkdir()
    assert run("convert", "proj/pkg/model.py", "-o", "folder").exit_code == 0
    assert Path("folder/model.py").is_file()


def test_several_files_need_in_place(project, run):
    assert run("convert", "proj/pkg/model.py", "proj/plain.py").exit_code == 2
    assert run("convert", "proj/pkg/model.py", "proj/plain.py", "--in-place").exit_code == 0
    assert "nn.Cell" in (project / "pkg/model.py").read_text()


def test_stdin_to_stdout(run):
    source = b"import torch\r\nx = torch.zeros(2)  # keep\r\n"
    result = run("convert", "-", input=source)
    assert result.exit_code == 0
    assert b"mint.zeros(2)" in result.stdout_bytes or b"mint.zeros((2,))" in result.stdout_bytes
    assert result.stdout_bytes.count(b"\r\n") == result.stdout_bytes.count(b"\n")
    assert b"# keep" in result.stdout_bytes
    plain = b"x = 1\n"
    assert run("convert", "-", input=plain).stdout_bytes == plain


def test_wrong_use(project, run):
    for args in (
        ["missing"],
        ["proj", "-o", "x", "--in-place"],
        ["proj", "--backup"],
        ["proj", "--vendor-runtime", "not-a-name"],
        ["proj", "--in-place", "--vendor-runtime", "ms_runtime"],
        ["proj", "--select", "T2M9999"],
        ["proj", "--in-plac"],
    ):
        result = run("convert", *args)
        assert result.exit_code == 2, (args, result.output)
        assert "Traceback" not in result.output
    assert "did you mean" in run("convert", "proj", "--select", "T2M1022").output
    assert "--in-place" in run("convert", "proj", "--in-plac").output


def test_folder_without_python(here, run):
    (here / "data").mkdir()
    (here / "data/x.csv").write_text("1\n")
    result = run("convert", "data")
    assert result.exit_code == 2 and "no Python file" in result.output


def test_vendored_runtime(project, run):
    result = run("convert", "proj", "-o", "out", "--vendor-runtime", "ms_runtime")
    assert result.exit_code == 0
    text = Path("out/pkg/model.py").read_text()
    assert "torch2ms" not in text and "from ms_runtime import" in text
    assert Path("out/ms_runtime/__init__.py").is_file()
    for path in Path("out/ms_runtime").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not any(name.partition(".")[0] == "torch2ms" for name in names), path
    assert run("convert", "proj", "-o", "out", "--vendor-runtime", "ms_runtime").exit_code == 0


def test_vendored_runtime_does_not_hide_a_module_of_the_project(project, run):
    (project / "ms_runtime.py").write_text("")
    assert run("convert", "proj", "-o", "out", "--vendor-runtime", "ms_runtime").exit_code == 2


def test_pure_output_imports_no_runtime(here, run):
    (here / "a.py").write_text("import torch\nx = torch.exp(torch.ones(3))\n")
    assert run("convert", "a.py", "--pure").exit_code == 0
    text = (here / "a_ms.py").read_text()
    assert "from mindspore import mint" in text and "torch2ms" not in text


def test_permissions_are_kept(project, run):
    script = project / "train.py"
    script.write_text("#!/usr/bin/env python\nimport torch\nprint(torch.ones(1))\n")
    script.chmod(0o755)
    (project / "pkg/model.py").chmod(0o444)
    run("convert", "proj")
    out = project.parent / "proj_ms"
    assert stat.S_IMODE((out / "train.py").stat().st_mode) == 0o755
    assert stat.S_IMODE((out / "pkg/model.py").stat().st_mode) == 0o444
    run("convert", "proj", "--in-place")
    assert stat.S_IMODE(script.stat().st_mode) == 0o755


def test_torch2ms_is_a_module_too(project):
    command = [sys.executable, "-m", "torch2ms", "convert", "proj"]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["json", "sarif", "github", "markdown"])
def test_machine_formats_hold_the_finding_alone(here, run, form):
    (here / "a.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    result = run("convert", "a.py", "--format", form)
    assert result.exit_code == 1
    assert "torch.fx.symbolic_trace" in result.output and "written" not in result.output


def test_one_file_to_standard_output(here, run):
    (here / "a.py").write_text("import torch\nx = torch.ones(2)\ntorch.fx.symbolic_trace(x)\n")
    result = run("convert", "a.py", "-o", "-")
    assert result.exit_code == 1 and "x = mint.ones(2)" in result.stdout and "T2M101" in result.stderr
    assert "T2M101" not in result.stdout and [path.name for path in here.iterdir()] == ["a.py"]
    (here / "b.py").write_text("x = 1\n")
    assert run("convert", "b.py", "-o", "-").stdout == "x = 1\n"
    result = run("convert", ".", "-o", "-")
    assert result.exit_code == 2 and "not a folder" in result.output


def test_a_dependency_file_changes_with_its_folder(here, run):
    (here / "requirements.txt").write_text("torch>=2\n")
    for command in (["convert"], ["convert", "--in-place"], ["check"], ["diff"]):
        result = run(*command, "requirements.txt")
        assert result.exit_code == 2 and "no Python file" in result.output, command
    assert (here / "requirements.txt").read_text() == "torch>=2\n" and len(list(here.iterdir())) == 1


def test_the_summary_has_no_blanks_at_the_ends_and_fits(project, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("convert", project).output.splitlines()
    assert all(line == line.rstrip() and (len(line) <= 41 or "proj" in line) for line in lines), lines


def test_watching_ends_quietly(project, run, monkeypatch):
    rounds = []

    def pause(seconds):
        rounds.append(seconds)
        if len(rounds) == 1:
            (project / "new.py").write_text("import torch\nx = torch.ones(2)\n")
        elif len(rounds) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("torch2ms.cli.watch.time.sleep", pause)
    result = run("convert", project, "--watch")
    assert result.exit_code == 0 and result.output.count("watching for changes") == 2 and "Aborted" not in result.output
    assert "mint.ones(2)" in (project.with_name("proj_ms") / "new.py").read_text()
