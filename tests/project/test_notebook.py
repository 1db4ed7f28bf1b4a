"""Notebooks: cells convert together, magics stay, the file stays a notebook."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from torch2ms.diagnostics import Severity
from torch2ms.project.config import Config
from torch2ms.project.discover import EntryKind
from torch2ms.project.gather import gather_folder
from torch2ms.project.magics import Magics, statement_starts
from torch2ms.project.outcome import FileOutcome
from torch2ms.project.run import Settings, convert_all

OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["old\n"]}


def cell(source: str | list[str], kind: str = "code", **more: object) -> dict[str, object]:
    found: dict[str, object] = {
        "cell_type": kind,
        "id": f"id{abs(hash(str(source))) % 10**6}",
        "metadata": {"tags": ["keep"]},
        "source": source,
    }
    if kind == "code":
        found |= {"execution_count": 7, "outputs": [OUTPUT]}
    return found | more


def notebook(*cells: dict[str, object], language: str = "python") -> bytes:
    kernel = {"kernelspec": {"display_name": "Python 3", "language": language, "name": "python3"}}
    return (
        json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"
    ).encode()


def convert(folder: Path, data: bytes, name: str = "n.ipynb") -> FileOutcome:
    (folder / name).write_bytes(data)
    run = convert_all(
        gather_folder(folder, Config().patterns(Path()), (EntryKind.PYTHON, EntryKind.NOTEBOOK)), Settings()
    )
    return next(file for file in run.files if file.rel == name)


def sources(outcome: FileOutcome) -> list[str]:
    assert outcome.data is not None
    document = json.loads(outcome.data)
    nbformat.validate(document)
    return ["".join(c["source"]) for c in document["cells"]]


def test_cells_share_their_names_and_only_changed_ones_lose_their_outputs(tmp_path):
    data = notebook(
        cell("# Title, with torch", "markdown"),
        cell(["import torch\n", "from torch import nn"]),
        cell("print('untouched')"),
        cell("net = nn.Linear(2, 1)\ny = net(torch.ones(3, 2))\nprint(y.size(0))"),
    )
    outcome = convert(tmp_path, data)
    before, after = json.loads(data)["cells"], json.loads(outcome.data)["cells"]
    assert after[0] == before[0] and after[2] == before[2]
    assert "y.shape[0]" in sources(outcome)[3] and "mint.nn.Linear" in sources(outcome)[3]
    for index in (1, 3):
        assert after[index]["outputs"] == [] and after[index]["execution_count"] is None
        assert after[index]["id"] == before[index]["id"] and after[index]["metadata"] == before[index]["metadata"]
    assert isinstance(after[1]["source"], list) and isinstance(after[3]["source"], str)


def test_magics_shell_and_help_lines_stay(tmp_path):
    magic = "%matplotlib inline\n!nvidia-smi --query torch\nfiles = !ls\n%%not_a_cell = 1\ntorch.zeros?\n?torch"
    body = f"import torch\n{magic}\nif True:\n    %time x = torch.ones(1)\n    !echo done\ns = '''\n%d torch\n'''\nz = (5\n% 3)\nw = torch.zeros(1)"
    outcome = convert(
        tmp_path, notebook(cell(body), cell("%%bash\necho torch.ones"), cell("%%time\nv = torch.ones(2)"))
    )
    first, second, third = sources(outcome)
    for line in magic.splitlines():
        assert line in first.splitlines()
    assert "    %time x = torch.ones(1)\n    !echo done\n" in first and "\n%d torch\n" in first and "\n% 3)" in first
    assert "w = mint.zeros" in first
    assert second == "%%bash\necho torch.ones"
    assert third.startswith("%%time\nv = mint.ones")


def test_pip_lines_name_mindspore(tmp_path):
    data = notebook(
        cell("%pip install -q torch==2.1 torchvision tqdm\n!pip3 install numpy\nimport torch\nx = torch.ones(1)")
    )
    first = sources(convert(tmp_path, data))[0].splitlines()
    assert first[:2] == ["%pip install -q 'mindspore>=2.10,<2.11' torch2ms tqdm", "!pip3 install numpy"]


def test_a_training_loop_over_several_cells_converts(tmp_path):
    outcome = convert(
        tmp_path,
        notebook(
            cell("import torch\nfrom torch import nn"),
            cell(
                "net = nn.Linear(2, 1)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nx, y = torch.ones(4, 2), torch.ones(4, 1)"
            ),
            cell(
                "for epoch in range(3):\n    optimizer.zero_grad()\n    loss = ((net(x) - y) ** 2).mean()\n    loss.backward()\n    optimizer.step()"
            ),
            cell("print(loss.item())"),
        ),
    )
    assert "value_and_grad" in sources(outcome)[2] and ".backward()" not in sources(outcome)[2]
    assert sources(outcome)[3] == "print(loss.item())"
    assert sum(outcome.result.stats.loops.values()) == 1


def test_a_bad_cell_is_named_and_the_others_convert(tmp_path):
    outcome = convert(
        tmp_path, notebook(cell("text", "markdown"), cell("import torch\nx = torch.ones(1)"), cell("y = x +\n"))
    )
    errors = [d for d in outcome.diagnostics if d.severity is Severity.ERROR]
    assert [d.code for d in errors] == ["T2M001"] and "cell 3" in errors[0].message
    assert outcome.cell_line(errors[0].span.line) == (3, 1)
    assert "mint.ones" in sources(outcome)[1]


def test_findings_point_into_their_cells(tmp_path):
    outcome = convert(
        tmp_path, notebook(cell("import torch"), cell("t", "markdown"), cell("a = 1\nb = torch.fx.symbolic_trace(a)"))
    )
    finding = next(d for d in outcome.diagnostics if d.severity is Severity.ERROR)
    assert outcome.cell_line(finding.span.line) == (3, 2)


def test_a_module_of_the_project_is_known_in_the_notebook(tmp_path):
    (tmp_path / "model.py").write_text(
        "import torch.nn as nn\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n"
    )
    outcome = convert(
        tmp_path,
        notebook(cell("import torch\nfrom model import Net\nnet = Net()\nnet.eval()\ny = net.forward(torch.ones(1))")),
    )
    assert "net.set_train(False)" in sources(outcome)[0] and "net.construct(" in sources(outcome)[0]


def test_classes_and_functions_of_the_notebook_are_known_in_all_cells(tmp_path):
    (tmp_path / "model.py").write_text("import torch.nn as nn\n\n\nclass Base(nn.Module):\n    cells = 3\n")
    outcome = convert(
        tmp_path,
        notebook(
            cell("import torch\nfrom model import Base"),
            cell("class Net(Base):\n    def forward(self, x):\n        return x.add(1)\ndef make():\n    return Net()"),
            cell("net = make()\nnet.train()\ny = net.forward(torch.ones(1)), net.cells, net.parameters()"),
        ),
    )
    texts = sources(outcome)
    assert "def construct(self, x):" in texts[1]
    assert texts[2] == "net = make()\nnet.set_train()\ny = net.construct(mint.ones(1)), net.cells_, net.parameters()"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"cells": [torch', "not valid JSON"),
        (b'{"torch": 1}', "not a notebook"),
        (b'{"worksheets": [{"cells": []}], "nbformat": 3, "x": "torch"}', "format 3"),
    ],
)
def test_bad_notebooks(tmp_path, data, said):
    outcome = convert(tmp_path, data)
    assert outcome.data is None and said in outcome.diagnostics[0].message


def test_other_languages_and_torch_free_notebooks_stay(tmp_path):
    assert convert(tmp_path, notebook(cell("library(torch)"), language="R")).data is None
    (tmp_path / "plain.ipynb").write_bytes(notebook(cell("x = 1")))
    run = convert_all(gather_folder(tmp_path, Config().patterns(Path()), (EntryKind.NOTEBOOK,)), Settings())
    assert all(file.rel != "plain.ipynb" for file in run.files)


@pytest.mark.parametrize(
    "dump",
    [{"indent": 2}, {"indent": 1, "ensure_ascii": True}, {"indent": None}, {"indent": None, "separators": (",", ":")}],
)
def test_the_json_stays_as_it_was_written(tmp_path, dump):
    document = json.loads(
        notebook(cell("é", "markdown"), cell("import torch\nx = torch.ones(1)", outputs=[], execution_count=None))
    )
    data = json.dumps(document, **{"ensure_ascii": False, **dump}).encode()
    outcome = convert(tmp_path, data)
    document["cells"][1]["source"] = sources(outcome)[1]
    assert outcome.data == json.dumps(document, **{"ensure_ascii": False, **dump}).encode()


def test_statement_starts():
    lines = ["a = (1,", "% 2)", "s = '''", "!x", "'''", "b = 1 + \\", "% c", "# (", "%magic (", "d = '('", "e"]
    assert list(statement_starts(lines)) == [True, False, True, False, False, True, False, True, True, True, True]


def test_magics_come_back_in_order():
    magics = Magics()
    text = "%a\nx = %b 1\n  !c"
    hidden = magics.hide(text)
    assert hidden is not None and "%" not in hidden and "!" not in hidden
    assert magics.show(hidden) == text


def test_pytorch_in_magics_is_named(tmp_path):
    outcome = convert(
        tmp_path,
        notebook(
            cell("import torch\nx = torch.ones(1)\n%timeit torch.relu(x)\ntorch.relu?\n!ls torch.d\n%time y = x"),
            cell("%%writefile net.py\nimport torch\n"),
            cell("%%bash\necho torch.ones"),
            cell("!torchrun train.py\nout = !python -m torch.distributed.run train.py\n%pip install torch"),
            cell("%%time\nz = torch.ones(2)"),
        ),
    )
    found = [(*outcome.cell_line(d.span.line), d.code) for d in outcome.diagnostics if d.severity is Severity.ERROR]
    assert sorted(found) == [(1, 3, "T2M009"), (2, 1, "T2M009"), (4, 1, "T2M009"), (4, 2, "T2M009")]
    assert "mint.ones" in sources(outcome)[0] and "%timeit torch.relu(x)" in sources(outcome)[0]


def test_a_step_function_at_the_top_of_a_cell_has_no_blank_lines_above_it(tmp_path):
    outcome = convert(
        tmp_path,
        notebook(
            cell("import torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)"),
            cell("for _ in range(3):\n    opt.zero_grad()\n    net(torch.ones(1, 2)).sum().backward()\n    opt.step()"),
            cell("\n\nprint(torch.ones(2))"),
        ),
    )
    assert sources(outcome)[1].startswith("def forward_fn") and sources(outcome)[2] == "\n\nprint(mint.ones(2))"
