"""`torch2ms check`: 1 while PyTorch is left, 0 when nothing is."""

from __future__ import annotations

import ast
import json


def test_unconverted_project_fails_at_each_import(project, run):
    result = run("check", "proj")
    assert result.exit_code == 1
    lines = [line for line in result.output.splitlines() if " T2M009 " in line]
    assert [line.split()[0] for line in lines] == ["proj/pkg/model.py:1:1", "proj/pkg/model.py:2:1"]


def test_converted_project_passes(project, run):
    run("convert", "proj")
    result = run("check", "proj_ms")
    assert result.exit_code == 0 and result.output == "no PyTorch left\n"


def test_unsupported_calls_fail_after_the_conversion_too(here, run):
    (here / "a.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    run("convert", "a.py", "-o", "b.py")
    result = run("check", "b.py")
    assert result.exit_code == 1 and "T2M010 torch.fx.symbolic_trace" in result.output


def test_skipped_code_may_use_torch(here, run):
    (here / "a.py").write_text("import torch\n\n\ndef keep(x):  # torch2ms: skip\n    return torch.exp(x)\n")
    assert run("check", "a.py").exit_code == 0
    (here / "b.py").write_text(
        "import torch\n\n\ndef keep(x):  # torch2ms: skip\n    return torch.exp(x)\n\n\nz = torch.ones(1)\n"
    )
    assert run("check", "b.py").exit_code == 1


def test_an_unrelated_name_is_no_torch(here, run):
    (here / "a.py").write_text("torch = 3\nprint(torch)  # torch\n")
    assert run("check", "a.py").exit_code == 0


def test_strict_fails_on_what_rests_on_helpers(here, run):
    (here / "a.py").write_text("# torch2ms\n\n\ndef f(x, torch_device):\n    return x.to(torch_device)\n")
    plain, strict = run("check", "a.py"), run("check", "--strict", "a.py")
    assert plain.exit_code == 0
    assert strict.exit_code == 1 and "T2M103" in strict.output and "1 through helpers" in strict.output


def test_select_ignore_and_skip_comments(here, run):
    (here / "a.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    assert run("check", "a.py", "--ignore", "T2M009", "--ignore", "T2M1").exit_code == 0
    assert "T2M009" not in run("check", "a.py", "--select", "T2M1").output
    code = next(w for w in run("check", "a.py", "--select", "T2M1").output.split() if w.startswith("T2M1"))
    (here / "a.py").write_text(
        f"import torch\ny = torch.fx.symbolic_trace(1)  # torch2ms: skip[{code}]\nz = 1  # torch2ms: skip[T2M102]\n"
    )
    result = run("check", "a.py", "--ignore", "T2M009")
    assert result.exit_code == 0 and "a.py:3:1 T2M007" in result.output and code not in result.output


def test_add_skips_silences_and_keeps_the_code(here, run):
    text = "import torch\ny = torch.fx.symbolic_trace(1)  # why\n"
    (here / "a.py").write_text(text)
    assert run("check", "a.py", "--add-skips").exit_code == 0
    new = (here / "a.py").read_text()
    assert [line.partition("  # torch2ms")[0] for line in new.splitlines()] == text.splitlines()
    assert run("check", "a.py").exit_code == 0


def test_baseline(here, run):
    (here / "a.py").write_text("import torch\ny = torch.fx.symbolic_trace(1)\n")
    assert run("check", "a.py", "--write-baseline", "base.json").exit_code == 0
    assert run("check", "a.py", "--baseline", "base.json").exit_code == 0
    (here / "a.py").write_text("# moved\n\nimport torch\ny = torch.fx.symbolic_trace(1)\nz = torch.jit.fork(1)\n")
    result = run("check", "a.py", "--baseline", "base.json", "--select", "T2M1")
    assert result.exit_code == 1 and "torch.jit.fork" in result.output and "symbolic_trace" not in result.output
    assert run("check", "a.py", "--baseline", "missing.json").exit_code == 2


def test_json(project, run):
    document = json.loads(run("check", "proj", "--format", "json").output)
    assert {finding["code"] for finding in document["findings"]} == {"T2M009"}
    assert document["findings"][0]["path"] == "proj/pkg/model.py"


def test_dependency_files_count(project, run):
    (project / "requirements.txt").write_text("numpy\ntorch>=2\n")
    result = run("check", "proj")
    assert "proj/requirements.txt:2:1 T2M009" in result.output


def test_a_silenced_code_does_not_leave_the_definition_alone(here, run):
    (here / "a.py").write_text("import torch\n\n\ndef f(x):  # torch2ms: skip[T2M103]\n    return torch.exp(x)\n")
    run("convert", "a.py", "-o", "b.py")
    assert "mint.exp(x)" in (here / "b.py").read_text()


def test_strict_shows_what_rests_on_a_name(here, run):
    (here / "a.py").write_text("import torch\n\n\ndef f(x):\n    return x.a.contiguous()\n")
    result = run("check", "a.py", "--strict", "--ignore", "T2M009,T2M3")
    assert result.exit_code == 1 and "a.py:5:12 T2M107 `.contiguous`" in result.output
    assert "T2M107" not in run("check", "a.py").output


def test_imitations_of_torch_count(here, run):
    (here / "a.py").write_text("import msadapter.pytorch as torch\nx = torch.ones(1)\n")
    assert "a.py:1:1 T2M009" in run("check", "a.py").output


def test_standard_input(run):
    result = run("check", "-", input=b"import torch\nx = torch.ones(2)\n")
    assert result.exit_code == 1 and result.output.startswith("<stdin>:1:1 T2M009")
    named = run("check", "-", "--stdin-filename", "lib/a.py", input=b"import torch\nx = torch.ones(2)\n")
    assert named.output.startswith("lib/a.py:1:1 T2M009")
    assert run("check", "-", input=b"x = 1\n").exit_code == 0
    for option in ("--add-skips", "--staged", "--write-baseline=b.json"):
        result = run("check", "-", option, input=b"")
        assert result.exit_code == 2 and "needs files" in result.output, option
    result = run("report", "-")
    assert result.exit_code == 2 and "`-` is standard input" in result.output


def test_the_baseline_takes_fewer_uses_and_no_more(here, run):
    (here / "a.py").write_text("import torch\nx = torch.ones(2)\ny = torch.ones(2)\n")
    assert run("check", "--write-baseline", "known.json").exit_code == 0
    for uses, code in ((1, 0), (2, 0), (3, 1)):
        (here / "a.py").write_text("import torch\n" + "x = torch.ones(2)\n" * uses)
        assert run("check", "--baseline", "known.json").exit_code == code, uses


COMMENTS = """\
import torch  # torch2ms: skip[T2M009, T2M9999]
x = torch.ones(2)  # torch2ms: skip


@torch.no_grad()  # torch2ms: skip
def f(y):
    return torch.relu(y)


def g(y):  # torch2ms: skpi
    return y


class A(
    object  # torch2ms: skip
):
    pass


def h(y):  #torch2ms:skip
    return y


s = "# torch2ms: skip"
"""


def test_comments_that_do_nothing_are_named(here, run):
    (here / "a.py").write_text(COMMENTS)
    lines = [line for line in run("check", "a.py").output.splitlines() if "T2M007" in line]
    assert [line.split(" ")[0] for line in lines] == ["a.py:1:1", "a.py:2:1", "a.py:10:1", "a.py:20:1"]
    assert "there is no such code; did you mean 'T2M902'?" in lines[0] or "no such code" in lines[0]
    assert "belongs on the line of a def or class" in lines[1] and "did you mean 'skip'?" in lines[2]
    assert "it knows `torch2ms: skip`" in lines[3]


AWKWARD = """\
import torch
import torch.nn as nn

net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
net(torch.ones(2)).sum().backward()
opt.step()
a = torch.fx.symbolic_trace(\"\"\"one
two\"\"\")
b = 1 + \\
    torch.fx.symbolic_trace(2)
c = torch.fx.symbolic_trace(f\"\"\"{
    a}
\"\"\")
"""


def test_add_skips_writes_where_a_comment_can_stand_and_only_for_findings(here, run):
    (here / "a.py").write_text(AWKWARD)
    run("check", "--add-skips")
    text = (here / "a.py").read_text()
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(AWKWARD)), "a comment went into a string"
    assert text.count("skip[T2M101]") == 3 and "T2M205" not in text
    assert run("check").exit_code == 0
