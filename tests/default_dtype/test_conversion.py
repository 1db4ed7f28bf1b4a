"""What is emitted for programs that change the default data type, and that nothing changes for the others."""

from __future__ import annotations

import ast

import pytest

from torch2ms.analysis.facts import Options, project_facts
from torch2ms.convert import convert_source
from torch2ms.diagnostics import Severity

SETS = "import torch\nfrom torch import nn\ntorch.set_default_dtype(torch.float64)\n"


def converted(source: str, **options: str | bool) -> str:
    result = convert_source(source, path="program.py", options=Options(**options))  # type: ignore[arg-type]
    assert not [d for d in result.diagnostics if d.severity is Severity.ERROR], result.diagnostics
    return result.text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("torch.set_default_dtype(torch.double)", "set_default_dtype(mindspore.float64)"),
        ("torch.set_default_dtype(d=dtype)", "set_default_dtype(d=dtype)"),
        ("torch.set_default_tensor_type(torch.DoubleTensor)", "set_default_dtype(mindspore.float64)"),
        ("torch.set_default_tensor_type('torch.cuda.DoubleTensor')", "set_default_dtype(mindspore.float64)"),
        ("torch.set_default_tensor_type(kind)", "set_default_tensor_type(kind)"),
        ("torch.set_default_dtype(torch.float32)", "set_default_dtype(mindspore.float32)"),
        ("a = torch.get_default_dtype()", "a = get_default_dtype()"),
        ("a = torch.tensor([1.5])", "a = tensor.from_data([1.5])"),
        ("a = torch.tensor([1.5], dtype=torch.float32)", "a = mindspore.tensor([1.5], dtype=mindspore.float32)"),
        ("a = torch.as_tensor([1.5])", "a = tensor.as_tensor([1.5])"),
        ("a = torch.scalar_tensor(2)", "a = mindspore.tensor(2, dtype=get_default_dtype())"),
        ("a = torch.Tensor([1, 2])", "a = mindspore.tensor([1, 2], dtype=get_default_dtype())"),
        ("a = torch.Tensor(2, 3)", "a = mint.empty((2, 3), dtype=get_default_dtype())"),
        ("a = torch.FloatTensor([1, 2])", "a = mindspore.tensor([1, 2], dtype=mindspore.float32)"),
        ("a = torch.zeros(2)", "a = mint.zeros(2)"),
        ("a = {'sqrt': torch.sqrt}", "a = {'sqrt': lambda *args, **kwargs: mint.sqrt(*args, **kwargs)}"),
        ("a = torch.subtract", "a = lambda *args, **kwargs: mint.sub(*args, **kwargs)"),
        ("a = {'make': torch.tensor}", "a = {'make': tensor.from_data}"),
    ],
)
def test_spellings(line: str, expected: str) -> None:
    assert expected in converted(SETS + "dtype = torch.float64\nkind = pick()\n" + line + "\n").splitlines()


def test_an_argument_of_unknown_kind_is_asked_at_run_time() -> None:
    text = converted(SETS + "def f(x):\n    return torch.Tensor(x), torch.tensor(x)\n")
    assert "return tensor.default_tensor(x), tensor.from_data(x)" in text


@pytest.mark.parametrize("kind", ["torch.float16", "torch.half", "torch.bfloat16"])
def test_half_precisions_are_refused_with_the_reason(kind: str) -> None:
    result = convert_source(f"import torch\ntorch.set_default_dtype({kind})\n", path="program.py")
    (said,) = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    assert said.code == "T2M101" and "where float32 and float64 can be" in said.message


@pytest.mark.parametrize("name", ["torch.trapz", "torch.igamma", "torch.hypot", "torch.ldexp", "torch.fft.fftfreq"])
def test_functions_without_the_digits_are_refused_in_such_programs_alone(name: str) -> None:
    call = f"y = {name}(x, x)\n" if "fft" not in name else f"y = {name}(4)\n"
    head = "import torch\nx = torch.ones(2)\n"
    for sets in (False, True):
        result = convert_source(head + sets * "torch.set_default_dtype(torch.float64)\n" + call, path="program.py")
        assert ["T2M101"] * sets == [d.code for d in result.diagnostics if d.severity is Severity.ERROR]


def test_pure_refuses() -> None:
    result = convert_source(SETS, path="program.py", options=Options(target="pure"))
    assert "T2M101" in [d.code for d in result.diagnostics]


TRAINING = """net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = net(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
"""


def test_nothing_is_compiled_and_it_is_said() -> None:
    head = "import torch\nfrom torch import nn\n"
    assert "@mindspore.jit" in converted(head + TRAINING, jit=True)
    result = convert_source(SETS + TRAINING, path="program.py", options=Options(jit=True))
    assert "@mindspore.jit" not in result.text
    assert any("default data type" in d.message for d in result.diagnostics)


def of_library(library: str, default: str) -> str:
    """The conversion of a module of a project whose main program sets the default."""
    files = {"main": f"import torch\nimport lib\ntorch.set_default_dtype(torch.{default})\n", "lib": library}
    project = project_facts({name: (f"{name}.py", ast.parse(text)) for name, text in files.items()})
    return convert_source(library, path="lib.py", project=project).text


def test_other_files_of_the_project_know() -> None:
    library = "import torch\na = torch.tensor([0.1])\n"
    assert "from_data" in of_library(library, "float64")
    assert "from_data" not in of_library(library, "float32")


def test_a_write_keeps_the_type_where_a_program_has_two() -> None:
    library = "import torch\ndef f():\n    y = torch.zeros(2, dtype=torch.float32)\n    y += torch.rand(2)\n    return y\n"
    assert "y = (y + mint.rand(2)).to(y.dtype)" in of_library(library, "float64")
    assert ".to(y.dtype)" not in of_library(library, "float32")


def test_programs_that_read_the_default_alone_are_as_before() -> None:
    text = converted("import torch\na = torch.get_default_dtype()\nb = torch.tensor([1.5]), torch.sqrt, torch.Tensor(2)\n")
    assert text == (
        "import mindspore\nfrom torch2ms.runtime import mint\na = mindspore.float32\n"
        "b = mindspore.tensor([1.5]), mint.sqrt, mint.empty(2, dtype=mindspore.float32)\n"
    )
