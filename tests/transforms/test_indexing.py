from torch2ms.convert import convert_source


def test_a_range_among_the_indices_becomes_a_list():
    text = "import torch\nx = torch.zeros(3, 3)\nx[range(x.shape[0]), [0, 1, 2]] = 1.0\n"
    assert "x[list(range(x.shape[0])), [0, 1, 2]] = 1.0" in convert_source(text).text


def test_a_range_elsewhere_stays():
    text = "import torch\nx = torch.zeros(3, 3)\nfor i in range(3):\n    x[i] = 1.0\n"
    assert "for i in range(3):\n    x[i] = 1.0" in convert_source(text).text
