"""Module names, and which files can touch PyTorch at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from torch2ms.project.gather import gather_files
from torch2ms.project.modules import imported_names, module_names, touched_by_torch
from torch2ms.project.session import Request, run_request


def test_names_below_the_root(tmp_path):
    rels = [
        "a.py",
        "pkg/__init__.py",
        "pkg/b.py",
        "scripts/run-it.py",
        "src/lib/__init__.py",
        "src/lib/c.py",
        "__init__.pyi",
    ]
    assert module_names(rels, tmp_path) == {
        "a.py": "a",
        "pkg/__init__.py": "pkg",
        "pkg/b.py": "pkg.b",
        "scripts/run-it.py": "scripts.run-it",
        "src/lib/__init__.py": "lib",
        "src/lib/c.py": "lib.c",
        "__init__.pyi": "__init__",
    }


def test_a_package_as_root_gives_its_name(tmp_path):
    (tmp_path / "pkg/sub").mkdir(parents=True)
    for folder in ("pkg", "pkg/sub"):
        (tmp_path / folder / "__init__.py").touch()
    assert module_names(["m.py", "__init__.py"], tmp_path / "pkg/sub") == {
        "m.py": "pkg.sub.m",
        "__init__.py": "pkg.sub",
    }


def test_imported_names():
    data = b"import a, b.c as d  # x\nfrom . import e\nfrom ..f import g\nif 1:\n    from h.i import (\n  j)\nimport k; x\n"
    assert imported_names(data, "p.q.m", False) == {"a", "b.c", "p.q", "p.f", "h.i", "k"}
    assert imported_names(b"from .x import y", "p.q", True) == {"p.q.x"}


def test_importers_of_torch_files_and_what_they_import_are_touched():
    files = {
        "net.py": b"import torch\nfrom metrics import accuracy",
        "metrics.py": b"from pkg.meters import Meter\ndef accuracy(output): return output.topk(5)",
        "pkg/meters.py": b"class Meter: pass",
        "pkg/__init__.py": b"",
        "pkg/use.py": b"from net import Net",
        "pkg/far.py": b"from . import use",
        "lone/other.py": b"import json",
        "main.py": b"import pkg.far",
    }
    assert touched_by_torch(files, module_names(files, Path("."))) == set(files) - {"lone/other.py"}


@pytest.mark.parametrize("library", ["jax", "mxnet.gluon", "tensorflow.keras", "flax"])
def test_files_of_another_library_are_not_touched(library: str) -> None:
    files = {
        "net.py": b"import torch\nimport other, both",
        "other.py": b"# as in torch\nfrom LIBRARY import nn\nimport helper\ndef f(x): x.backward()".replace(b"LIBRARY", library.encode()),
        "both.py": b"import LIBRARY, numpy\nimport torch.nn".replace(b"LIBRARY", library.encode()),
        "helper.py": b"def g(x): return x.repeat(2)",
    }
    assert touched_by_torch(files, module_names(files, Path("."))) == {"net.py", "both.py"}


def test_a_lone_file_brings_what_it_imports(tmp_path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "scripts").mkdir()
    texts = {
        "pkg/__init__.py": "",
        "pkg/net.py": "from .base import Base\nimport torch\n",
        "pkg/base.py": "import torch\n",
        "pkg/unused.py": "import torch\n",
        "scripts/helper.py": "x = 1\n",
        "scripts/train.py": "from pkg.net import Net\nimport helper, json\n",
    }
    for rel, text in texts.items():
        (tmp_path / rel).write_text(text)
    sources = gather_files([tmp_path / "scripts/train.py"])
    assert set(sources.data) == {"scripts/train.py"}
    assert set(sources.around) == set(texts) - {"scripts/train.py", "pkg/unused.py"}


def test_utf_16_is_said_and_not_passed_over(tmp_path) -> None:
    path = tmp_path / "wide.py"
    for encoding in ("utf-16-le", "utf-16-be"):
        data = ("\ufeffimport torch\n").encode(encoding)
        path.write_bytes(data)
        _, run = run_request(Request((tmp_path,), jobs=1, no_cache=True))
        (outcome,) = run.files
        assert [d.code for d in outcome.diagnostics] == ["T2M003"] and "UTF-16" in outcome.diagnostics[0].message
        assert outcome.data is None and path.read_bytes() == data
