"""Where converted code meets numpy, text, Python's containers, and PyTorch code that was left alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.side_by_side import check, convert, execute, plain
from tests.tools import check_diagnostics

PROGRAMS = Path(__file__).parents[1] / "programs"


def test_tensors_among_numpy_text_and_containers() -> None:
    check((PROGRAMS / "values.py").read_text(), allow=("T2M301",))


def test_data_random_numbers_devices_and_checkpoints_around_a_model() -> None:
    check((PROGRAMS / "surroundings.py").read_text())


def test_a_model_trains_on_a_data_pipeline_that_stays_pytorchs() -> None:
    source = (PROGRAMS / "border.py").read_text()
    converted = convert(source).text
    kept = source[source.index("def batches") : source.index("class Net")]
    assert kept in converted and "import torch\n" not in converted.replace(kept, "")
    # in PyTorch there is no border to cross
    alone = source.replace("from torch2ms.runtime import interop\n", "").replace("interop.convert_tensor((x, y))", "(x, y)")
    expected, found = plain(execute(alone, "before")["RESULT"]), plain(execute(converted, "after")["RESULT"])
    assert max(abs(a - b) for a, b in zip(expected, found, strict=True)) < 1e-4
    assert len(found) == 9 and found[-1] < found[0]


LEFT_ALONE = """\
import torch
def batches():  # torch2ms: skip
    import torch
    return [torch.ones(2)]
def names():  # torch2ms: skip
    return ["a"]
for batch in batches():  # T2M402
    print(torch.relu(batch), names())
"""


def test_tensors_that_cross_unconverted_are_spoken_of() -> None:
    check_diagnostics(LEFT_ALONE)
    crossing = LEFT_ALONE.replace("  # T2M402", "").replace("relu(batch)", "relu(interop.convert_tensor(batch))")
    check_diagnostics("from torch2ms.runtime import interop\n" + crossing)


def run(*arguments: object, cwd: Path | None = None, code: int = 0) -> str:
    command = [sys.executable, *map(str, arguments)]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "GLOG_v": "3"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_a_project_trains_on_a_data_pipeline_in_a_file_of_its_own(tmp_path: Path) -> None:
    """PyTorch's loader with two workers feeds the converted model, and the losses are PyTorch's."""
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(PROGRAMS / "border_project", old)
    losses = run("train.py", cwd=old).split()
    report = json.loads(run("-m", "torch2ms", "check", old, "--format", "json", code=1))
    said = [(Path(f["path"]).name, f["line"]) for f in report["findings"] if f["code"] == "T2M402"]
    train = (old / "train.py").read_text()
    assert said == [("train.py", 1 + train[: train.index("in loader(")].count("\n"))]

    # as the advice says
    train = train.replace("from data import", "from torch2ms.runtime import interop\n\nfrom data import")
    train = train.replace("in loader(size(), workers=2)", "in map(interop.convert_tensor, loader(size(), workers=2))")
    (old / "train.py").write_text(train)
    run("-m", "torch2ms", "convert", old, "-o", new)
    assert (new / "data.py").read_bytes() == (old / "data.py").read_bytes()
    assert "import torch\n" not in (new / "train.py").read_text()
    found = run("train.py", cwd=new).split()
    assert len(losses) == len(found) == 12 and float(found[-1]) < float(found[0])
    assert max(abs(float(a) - float(b)) for a, b in zip(losses, found)) < 1e-5
