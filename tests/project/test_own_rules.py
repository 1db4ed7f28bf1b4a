"""Rows of a project's own: they go before the tables, are never run, count in the cache, and are named when they are wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from torch2ms.project.cache import Cache
from torch2ms.project.config import Config, load_config
from torch2ms.project.discover import EntryKind
from torch2ms.project.errors import UsageProblem
from torch2ms.project.gather import gather_folder
from torch2ms.project.own_rules import own_rules
from torch2ms.project.run import Settings, convert_all
from torch2ms.rules import Api, find

CODE = """\
import torch


def f(x):
    y = torch.relu(torch.brandnew(x, dim=1))
    return torch.cdist(y, y)
"""
ROWS = """\
import nowhere
raise SystemExit("this file must not run")
ROWS = [
    Api("torch.relu(input)", "mint.tanh(input)"),
    Api("torch.brandnew(input, dim=None)", "mint.softmax(input, dim)"),
    rules.Api("torch.cdist(x1, x2, p=2.0)", None, "use ours.distances"),
]
"""


@pytest.fixture(autouse=True)
def tables() -> Iterator[None]:
    """No row of one test may answer in the next."""
    yield
    convert(Path(__file__).parent / "nothing", Config())
    assert find("torch.brandnew") is None


def convert(folder: Path, config: Config, cache: Cache | None = None, jobs: int = 1) -> str:
    """The converted text of a.py."""
    if not folder.exists():
        from torch2ms.project.run import options_of
        from torch2ms.project.work import Context, setup

        setup(Context(None, options_of(config)))
        return ""
    sources = gather_folder(folder, config.patterns(folder), (EntryKind.PYTHON,))
    run = convert_all(sources, Settings(config, jobs, cache or Cache(None)))
    return next(file for file in run.files if file.rel == "a.py").result.text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.torch2ms]\nrules = ["tools/rows.py"]\nexclude = ["tools/"]\n')
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "rows.py").write_text(ROWS)
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


@pytest.mark.parametrize("jobs", [1, 2])
def test_own_rows_go_before_the_tables(project, jobs):
    for number in range(40 * (jobs - 1)):  # enough for worker processes
        (project / f"b{number}.py").write_text(CODE * 30)
    text = convert(project, load_config(project), jobs=jobs)
    assert "y = mint.tanh(mint.softmax(x, dim=1))" in text
    assert "use ours.distances" in text and "nowhere" not in sys.modules


def test_without_them_the_tables_hold_again(project):
    convert(project, load_config(project))
    text = convert(project, Config())
    assert "relu(" in text and "tanh" not in text and "softmax" not in text


def test_results_are_kept_for_these_rows_alone(project, tmp_path_factory):
    cache = Cache(tmp_path_factory.mktemp("cache"))
    assert "mint.tanh(" in convert(project, load_config(project), cache)
    rows = project / "tools" / "rows.py"
    rows.write_text(ROWS.replace("mint.tanh", "mint.sigmoid"))
    assert "mint.sigmoid(" in convert(project, load_config(project), cache)
    assert "relu(" in convert(project, Config(), cache)


@pytest.mark.parametrize(
    "row, said",
    [
        ('Api("torch.relu(input)", "mint.tanh(inptu)")', "'torch.relu(input)' cannot be used: 'inptu' on the right"),
        ('Api("torch.relu(input)", "mint.tanh(input")', "is not valid"),
        ('Api("torch.relu(input", "mint.tanh(input)")', "is not closed"),
        ('Api("torch.relu(in put)", "mint.tanh(input)")', "is not valid"),
        ('Api("ours.relu(input)", "mint.tanh(input)")', "is no name of PyTorch, and the file does not import 'ours'"),
        ('Api("torch.relu(input)", "ours.tanh(input)")', "'ours' on the right is neither a parameter on the left nor"),
        ('Api("torch.relu(input)", None)', "needs an advice"),
        ('Api("torch.relu(input)", None, 3)', "is not read"),
        ('Api("torch.relu(input)", right(), "mint.tanh(input)")', "is not read"),
        ("Api(name, other)", "the row Api(name, other) is not read"),
        ('Api(torch="torch.relu", mindspore="mint.relu")', "is not read"),
        ("*MORE", "the row *MORE is not read"),
        ('Api("torch.relu", "mint.relu"), Api("torch.relu(x)", "mint.tanh(x)")', "two rows for torch.relu"),
    ],
)
def test_a_wrong_row_is_named(project, row, said):
    (project / "tools" / "rows.py").write_text(f"ROWS = [\n    {row},\n]\n")
    with pytest.raises(UsageProblem) as problem:
        convert(project, load_config(project))
    assert said in str(problem.value) and "rows.py:2: " in str(problem.value)


@pytest.mark.parametrize("text", ["", "ROWS = make()", "ROWS = [", "\0"])
def test_a_file_without_rows(project, text):
    (project / "tools" / "rows.py").write_text(text)
    with pytest.raises(UsageProblem, match="rows.py"):
        convert(project, load_config(project))
    (project / "tools" / "rows.py").unlink()
    with pytest.raises(UsageProblem, match="cannot be read"):
        convert(project, load_config(project))


def test_rows_of_an_installed_package(tmp_path, monkeypatch):
    packages = tmp_path / "packages"
    (packages / "ourpack").mkdir(parents=True)
    (packages / "ourpack" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (packages / "ourpack" / "rows.py").write_text('ROWS = [Api("torch.brandnew(input)", "mint.tanh(input)")]\n')
    info = packages / "ourpack-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ourpack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[torch2ms.rules]\nourpack = ourpack.rows\n")
    monkeypatch.syspath_prepend(str(packages))
    assert own_rules(Config(rules=("ourpack",))) == (Api("torch.brandnew(input)", "mint.tanh(input)"),)
    assert "ourpack" not in sys.modules
    with pytest.raises(UsageProblem, match="no installed package has the rules 'ourpac'; did you mean 'ourpack'"):
        own_rules(Config(rules=("ourpac",)))


OWN_PACKAGES = """\
import fastops
from mslib.sparse import anything
from torch2ms.rules import Api

ROWS = [
    Api("fastops.fused.gelu(input, exact=True)", "mslib.ops.gelu(input, exact)"),
    Api("fastops.scatter(src, index)", None, "use mslib.scatter"),
    Api("torch.cdist(x1, x2, p=2.0)", "mslib.distances.pairwise(x1, x2, p)"),
]
"""
USES_THEM = """\
import fastops
import numpy as np
from fastops.fused import gelu


def f(x):
    y = gelu(x)
    return fastops.fused.gelu(y, exact=False)
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_of_and_for_packages_that_the_file_imports(project, jobs):
    (project / "tools" / "rows.py").write_text(OWN_PACKAGES)
    for number in range(80 * (jobs - 1)):  # enough for worker processes
        (project / f"b{number}.py").write_text(CODE * 30)
    (project / "a.py").write_text(USES_THEM)  # names PyTorch nowhere
    text = convert(project, load_config(project), jobs=jobs)
    assert "fastops" not in text and "import numpy as np\n" in text and "from mslib import ops\n" in text
    assert "y = gelu(x)\n    return ops.gelu(y, exact=False)\n" in text and "from mslib.ops import gelu\n" in text
    (project / "a.py").write_text(CODE.replace("torch.relu(torch.brandnew(x, dim=1))", "x"))
    assert "return distances.pairwise(y, y)\n" in convert(project, load_config(project), jobs=jobs)


def test_what_no_row_names_stays_in_such_a_package(project):
    (project / "tools" / "rows.py").write_text(OWN_PACKAGES)
    (project / "a.py").write_text("import fastops\nimport torch\n\nx = fastops.other(torch.ones(2))\ny = fastops.scatter(x, x)\n")
    text = convert(project, load_config(project))
    assert "import fastops\n" in text and "x = fastops.other(mint.ones(2))" in text
    assert 'y = unsupported("fastops.scatter"' in text
    (project / "a.py").write_text(text)
    sources = gather_folder(project, load_config(project).patterns(project), (EntryKind.PYTHON,))
    run = convert_all(sources, Settings(load_config(project), checking=True))
    assert [d.code for _, d in run.findings()] == ["T2M010"]
    (project / "a.py").write_text("import fastops\nimport torch\n\ny = fastops.scatter(x, x)\n")
    assert "fastops.scatter(x, x)\n" in convert(project, Config())
