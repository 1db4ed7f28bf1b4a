"""`super().__init__(...)` of a class made from a layer takes the arguments of the layer's counterpart."""

from torch2ms.convert import convert_source


def convert(call):
    text = f"import torch.nn as nn\n\nclass A(nn.Linear):\n    def __init__(self, n, device=None, dtype=None):\n        {call}\n"
    return convert_source(text)


def test_the_device_is_dropped_and_the_rest_keyed_anew():
    text = convert("super().__init__(n, n, True, device, dtype)").text
    assert "super().__init__(n, n, True, dtype=dtype)" in text


def test_a_call_without_arguments_stays():
    assert "super().__init__()" in convert("super().__init__()").text


def test_a_module_of_the_project_stays():
    text = "import torch.nn as nn\n\nclass B(nn.Module):\n    pass\n\nclass A(B):\n    def __init__(self, n):\n        super().__init__(n, device=3)\n"
    assert "super().__init__(n, device=3)" in convert_source(text).text
