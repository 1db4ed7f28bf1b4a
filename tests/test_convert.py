from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import check_noop, check_transformed
from torch2ms import plan
from torch2ms.analysis.facts import Facts
from torch2ms.convert import convert_source
from torch2ms.project.facts import build_project_facts


def codes(text: str) -> list[str]:
    """The codes that are said about a text, which stays as it is."""
    result = convert_source(text, "source.py")
    assert not result.changed
    return [d.code for d in result.diagnostics]


def test_without_pytorch_nothing_is_looked_at() -> None:
    result = convert_source("def f(:", "source.py")
    assert not result.changed and not result.diagnostics
    check_noop("x = y.size(0)\nnn = 1\n")


def test_syntax_errors() -> None:
    assert codes("import torch\ndef f(:\n") == ["T2M001"]
    assert codes("import torch\nprint 'hello'\n") == ["T2M002"]
    assert codes("import torch\ntry:\n    pass\nexcept E, e:\n    pass\n") == ["T2M002"]
    assert codes("import torch\nx = '\0'\n") == ["T2M001"]


def test_newer_syntax() -> None:
    newer = "import torch\ntype X = int\n"
    assert codes(newer) == (["T2M004"] if sys.version_info < (3, 12) else [])


def test_the_place_of_a_syntax_error() -> None:
    (diagnostic,) = convert_source("import torch\n\nx = (\n", "source.py").diagnostics
    assert diagnostic.span.line == 3


def test_a_failure_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(facts: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr(plan, "plan", fail)
    result = convert_source("import torch\n", "source.py")
    assert [d.code for d in result.diagnostics] == ["T2M901"]
    assert not result.changed and "lost" in result.diagnostics[0].message and "fail" in result.diagnostics[0].help


def test_skipped_files() -> None:
    assert codes("# torch2ms: skip-file\nimport torch\nx = torch.zeros(1)\n") == ["T2M006"]


def test_skipped_definitions() -> None:
    check_transformed(
        "import torch\ndef f():  # torch2ms: skip\n    return torch.zeros(1)\nx = torch.zeros(1)\n",
        "from torch2ms.runtime import mint\nimport torch\ndef f():  # torch2ms: skip\n    return torch.zeros(1)\nx = mint.zeros(1)\n",
    )


def test_files_that_use_pytorch_through_the_project() -> None:
    import ast

    files = {"net": "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x): return x\n", "use": "from net import Net\nnet = Net()\nnet.eval()\n"}
    project = build_project_facts({name: (f"{name}.py", ast.parse(text)) for name, text in files.items()})
    assert convert_source(files["use"], "use.py", project).text == "from net import Net\nnet = Net()\nnet.set_train(False)\n"


def test_counts() -> None:
    result = convert_source("import torch\nx = torch.zeros(1) + torch.zeros(2)\n", "source.py")
    assert result.stats.apis == {"torch.zeros": 2} and result.stats.sites == {"proven": 2}


def test_dynamic_imports() -> None:
    result = convert_source("import importlib\nF = importlib.import_module('torch.nn.functional')\nfx = importlib.import_module('torch.fx')\n", "source.py")
    assert result.text == (
        "import importlib\nfrom torch2ms.runtime import mint, unsupported\nF = mint.nn.functional\n"
        "fx = unsupported(\"torch.fx\", \"importlib.import_module('torch.fx')\", \"import what is needed by name\")\n"
    )
    assert [d.code for d in result.diagnostics] == ["T2M105", "T2M101"]


def test_stand_ins() -> None:
    check_transformed(
        "try:\n    import torch\nexcept ImportError:\n    torch = None\ndef f(x): return torch is not None and isinstance(x, torch.Tensor)\n",
        "try:\n    import mindspore\nexcept ImportError:\n    mindspore = None\ndef f(x): return mindspore is not None and isinstance(x, mindspore.Tensor)\n",
    )


def test_a_byte_order_mark_stays() -> None:
    assert convert_source("\ufeffimport torch\nx = torch.zeros(1)\n").text == "\ufefffrom torch2ms.runtime import mint\nx = mint.zeros(1)\n"


def test_columns_are_characters() -> None:
    (diagnostic,) = convert_source("import torch\nx = 'äöü', torch.fx.symbolic_trace(1)\n").diagnostics
    assert (diagnostic.span.line, diagnostic.span.col) == (2, 11)


def test_silenced_findings_skip_nothing() -> None:
    text = "import torch\ndef f():  # torch2ms: skip[T2M101]\n    return torch.zeros(1)\n"
    assert "mint.zeros" in convert_source(text).text


def test_planning_does_not_load_libcst() -> None:
    code = "import sys, torch2ms.plan, torch2ms.transforms as t; t.transforms(); sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent.parent, timeout=120).returncode == 0


def test_a_conversion_keeps_nothing_of_the_file_in_memory():
    """A worker process converts thousands of files."""
    source = "import torch\ndef f(net, opt, x):\n    with torch.no_grad():\n        x.add_(1)\n    opt.zero_grad()\n    net(x).sum().backward()\n    opt.step()\n"
    convert_source(source, path="kept.py")
    gc.collect()
    assert not [o for o in gc.get_objects() if type(o) is Facts and o.source.path == "kept.py"]
