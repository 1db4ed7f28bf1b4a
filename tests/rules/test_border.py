"""Where converted code meets numpy, text, Python's containers, and PyTorch code that was left alone."""

from __future__ import annotations

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
