"""np.array with the copy left open."""

import numpy as np
import pytest

from torch2ms.convert import convert_source
from torch2ms.verify import numpy_two


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("np.array(x.clone(), dtype=None, copy=None)", "np.asarray(mint.clone(x), dtype=None)"),
        ("np.array(x, copy=None)", "np.asarray(x)"),
        ("np.array(x, 'float32', copy=None)", "np.asarray(x, 'float32')"),
        ("np.array(x, copy=None, ndmin=2)", None),
        ("np.array(x, copy=False)", None),
        ("np.array(x)", None),
    ],
)
def test_call(call, expected):
    code = f"import numpy as np\nimport torch\nx = torch.ones(3)\ny = {call}\n"
    assert f"y = {expected or call}\n" in convert_source(code).text


def test_code_inside_is_converted_too():
    code = "import numpy as np\nimport torch\ny = np.array(torch.cat([torch.ones(2), torch.ones(2)]), copy=None)\n"
    assert "y = np.asarray(mint.cat([mint.ones(2), mint.ones(2)]))\n" in convert_source(code).text


def test_files_without_pytorch_stay():
    code = "import numpy as np\ny = np.array([1], copy=None)\n"
    assert convert_source(code).text == code


def test_numpy_1_reads_the_none_as_numpy_2_does(monkeypatch):
    monkeypatch.setattr(np, "array", np.array)
    numpy_two.install()
    x = np.ones(3)
    assert np.shares_memory(np.array(x, copy=None), x)
    assert not np.shares_memory(np.array(x), x)
    assert np.array([1, 2], copy=None).tolist() == [1, 2]
