"""Where converted code meets numpy, text, Python's containers, and PyTorch code that was left alone."""

from __future__ import annotations

from pathlib import Path

from tests.side_by_side import check, convert, execute, plain

PROGRAMS = Path(__file__).parents[1] / "programs"


def test_tensors_among_numpy_text_and_containers() -> None:
    check((PROGRAMS / "values.py").read_text(), allow=("T2M301",))


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
