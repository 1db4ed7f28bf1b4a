from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.emit.edited import check
from torch2ms.analysis.facts import Facts
from torch2ms.edits import CallEdit, Edit, Replace

TARGETS = {
    "torch.zeros": "mint.zeros", "torch.nn.Linear": "mint.nn.Linear", "torch.nn.Module": "nn.Cell", "torch.nn.Sequential": "nn.SequentialCell",
    "torch.nn.functional.relu": "mint.nn.functional.relu", "torch.relu": "mint.nn.functional.relu", "torch.Tensor": "mindspore.Tensor",
    "torch.optim.SGD": "optim.SGD", "torch.optim.lr_scheduler.StepLR": "optim.lr_scheduler.StepLR", "torch.utils.data.DataLoader": "data.DataLoader",
    "torch.tensor": "mindspore.tensor", "torch.nn.Parameter": "Parameter", "torch.autograd.grad": "grad", "torch.float32": "mindspore.float32",
    "torch.compile": "compile", "torch.distributions.Normal": "distributions.Normal",
    "torch.nn.init.ones_": "nn.init.ones_",
}


def table(facts: Facts) -> Iterator[Edit]:
    """Converts what the table lists and leaves everything else."""
    for node in ast.walk(facts.tree):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and not facts.skipped(node):
            target = TARGETS.get(facts.names.of(node) or "")
            parent = facts.parent(node)
            if target is None:
                continue
            if isinstance(parent, ast.Call) and parent.func is node:
                yield CallEdit(parent, f"${target}")
            else:
                yield Replace(node, f"${target}")


def imports(before: str, after: str, **options: object) -> None:
    """With the table above, `before` becomes `after`."""
    check(before, table, after, **options)


def test_one_block_where_the_first_import_stood() -> None:
    imports(
        """\
        '''doc'''
        from __future__ import annotations

        import os
        import torch  # lib
        import torch.nn as nn
        # functional
        import torch.nn.functional as F
        import numpy as np
        from torch.utils.data import DataLoader

        x: torch.Tensor = torch.zeros(1)
        class A(nn.Module): a = nn.Linear(1, 2), nn.Parameter(x), F.relu(x), DataLoader(x), torch.tensor(1)
        """,
        """\
        '''doc'''
        from __future__ import annotations

        import os
        import mindspore  # lib
        from mindspore import Parameter
        from torch2ms.runtime import mint, nn
        from torch2ms.runtime.data import DataLoader
        from torch2ms.runtime.mint.nn import functional as F
        # functional
        import numpy as np

        x: mindspore.Tensor = mint.zeros(1)
        class A(nn.Cell): a = mint.nn.Linear(1, 2), Parameter(x), F.relu(x), DataLoader(x), mindspore.tensor(1)
        """,
    )


def test_names_that_were_imported_themselves_stay() -> None:
    imports(
        "from torch import zeros, tensor as t, Tensor\nfrom torch.nn import (\n    Linear as L,\n    Sequential,\n)\nx: Tensor = Sequential(L(1, 2), zeros(t(1)))\n",
        "from mindspore import Tensor, tensor as t\nfrom torch2ms.runtime.mint import zeros\nfrom torch2ms.runtime.mint.nn import Linear as L\n"
        "from torch2ms.runtime.nn import SequentialCell\nx: Tensor = SequentialCell(L(1, 2), zeros(t(1)))\n",
    )


def test_module_aliases_stay() -> None:
    imports(
        "import torch.nn as tnn\nimport torch.optim as O\nfrom torch.optim import lr_scheduler as S\nfrom torch import distributions as D\ny = tnn.Module, O.SGD(S.StepLR()), D.Normal, tnn.Linear\n",
        "from torch2ms.runtime import distributions as D, mint, nn as tnn, optim as O\nfrom torch2ms.runtime.optim import lr_scheduler as S\n"
        "y = tnn.Cell, O.SGD(S.StepLR()), D.Normal, mint.nn.Linear\n",
    )


def test_an_alias_serves_every_spelling() -> None:
    imports(
        "import torch\nimport torch.nn.functional as F\ny = torch.relu(F.relu(torch.nn.functional.relu(1)))\n",
        "from torch2ms.runtime.mint.nn import functional as F\ny = F.relu(F.relu(F.relu(1)))\n",
    )


def test_unused_imports_of_pytorch_go() -> None:
    imports("import os, torch\nfrom torch import nn\nx = os\n", "import os\nx = os\n")
    imports("import torch\n", "")


def test_what_is_still_needed_stays() -> None:
    imports(
        "import torch\nfrom torch import nn, optim\nx = torch.zeros(1), torch.left_alone(1), nn.Module, optim.left_alone\n",
        "from torch2ms.runtime import mint, nn\nimport torch\nfrom torch import optim\nx = mint.zeros(1), torch.left_alone(1), nn.Cell, optim.left_alone\n",
    )


def test_a_name_that_pytorch_keeps_is_not_given_away() -> None:
    imports(
        "from torch import nn\nx = nn.Module, nn.left_alone\n",
        "from torch2ms.runtime import nn as nn_\nfrom torch import nn\nx = nn_.Cell, nn.left_alone\n",
    )


def test_names_of_the_user_are_not_shadowed() -> None:
    imports(
        "import torch\nmint = 1\ndef f(data): return torch.utils.data.DataLoader(data)\ndef g(): return torch.zeros(mint)\n",
        "from torch2ms.runtime import data as data_, mint as mint_\nmint = 1\ndef f(data): return data_.DataLoader(data)\ndef g(): return mint_.zeros(mint)\n",
    )
    imports(
        "import torch\ndef f(data): return data\nx = torch.utils.data.DataLoader(1)\n",
        "from torch2ms.runtime import data\ndef f(data): return data\nx = data.DataLoader(1)\n",
    )
    imports(
        "from torch.autograd import grad\ndef f(): return grad(1)\ndef g(grad): return grad\n",
        "from torch2ms.runtime import grad\ndef f(): return grad(1)\ndef g(grad): return grad\n",
    )


def test_builtins_are_not_shadowed() -> None:
    imports(
        "import torch\nx = torch.compile(1), compile('a', 'b', 'eval')\n",
        "from torch2ms.runtime import compile as compile_\nx = compile_(1), compile('a', 'b', 'eval')\n",
    )
    imports("import torch\nx = torch.compile(1)\n", "from torch2ms.runtime import compile\nx = compile(1)\n")


def test_imports_in_functions_stay_there() -> None:
    imports(
        "def f():\n    # late\n    import torch\n    from torch import nn\n    return torch.zeros(nn.Module)\n",
        "def f():\n    # late\n    from torch2ms.runtime import mint, nn\n    return mint.zeros(nn.Cell)\n",
    )
    imports(
        "import torch\nx = torch.zeros(1)\ndef f():\n    import torch\n    return torch.zeros(1)\ndef g():\n    import torch\n    pass\n",
        "from torch2ms.runtime import mint\nx = mint.zeros(1)\ndef f():\n    return mint.zeros(1)\ndef g():\n    pass\n",
    )


def test_guarded_imports() -> None:
    imports(
        "try:\n    import torch\n    HAS_TORCH = True\nexcept ImportError:\n    HAS_TORCH = False\ndef f(x): return HAS_TORCH and isinstance(x, torch.Tensor)\n",
        "try:\n    import mindspore\n    HAS_TORCH = True\nexcept ImportError:\n    HAS_TORCH = False\ndef f(x): return HAS_TORCH and isinstance(x, mindspore.Tensor)\n",
    )
    imports(
        "try:\n    import torch\nexcept ImportError:\n    OK = False\n",
        "try:\n    import mindspore\nexcept ImportError:\n    OK = False\n",
    )
    imports(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from torch import Tensor\ndef f(x: Tensor): pass\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from mindspore import Tensor\ndef f(x: Tensor): pass\n",
    )


def test_star_imports() -> None:
    imports("from torch import *\nfrom torch.nn import *\nx = zeros(1), Linear(1, 2)\n", "from torch2ms.runtime.mint import zeros\nfrom torch2ms.runtime.mint.nn import Linear\nx = zeros(1), Linear(1, 2)\n")
    imports("from torch import *\nx = zeros(1), ones(1)\n", "from torch2ms.runtime.mint import zeros\nfrom torch import *\nx = zeros(1), ones(1)\n")


def test_files_without_imports_of_pytorch() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        for node in ast.walk(facts.tree):
            if isinstance(node, ast.Call):
                yield CallEdit(node, "$mint.f")

    check("'''doc'''\n\nx = f(1)\n", edits, "'''doc'''\nfrom torch2ms.runtime import mint\n\nx = mint.f(1)\n")
    check("'''doc'''\nfrom __future__ import annotations\nimport os\n\nx = f(1)\n", edits, "'''doc'''\nfrom __future__ import annotations\nimport os\nfrom torch2ms.runtime import mint\n\nx = mint.f(1)\n")
    check("#!/bin/python\n\nx = f(1)\n", edits, "#!/bin/python\n\nfrom torch2ms.runtime import mint\nx = mint.f(1)\n")


def test_other_packages_that_offer_pytorch() -> None:
    imports("import msadapter.pytorch as torch\nx = torch.zeros(1)\n", "from torch2ms.runtime import mint\nx = mint.zeros(1)\n")


def test_skipped_definitions_keep_pytorch() -> None:
    imports(
        "import torch\ndef f(x: 'torch.Tensor'):  # torch2ms: skip\n    return torch.zeros(x)\ny = torch.zeros(1)\n",
        "from torch2ms.runtime import mint\nimport torch\ndef f(x: 'torch.Tensor'):  # torch2ms: skip\n    return torch.zeros(x)\ny = mint.zeros(1)\n",
    )


def test_a_long_import_is_wrapped() -> None:
    names = [f"name_of_a_function_{n}" for n in range(8)]
    source = f"from torch import {', '.join(names)}\nx = {', '.join(f'{n}(1)' for n in names)}\n"

    def edits(facts: Facts) -> Iterator[Edit]:
        for node in ast.walk(facts.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield CallEdit(node, f"$mint.{node.func.id}")

    block = "".join(f"    {n},\n" for n in names)
    check(source, edits, f"from torch2ms.runtime.mint import (\n{block})\nx = {', '.join(f'{n}(1)' for n in names)}\n")


def test_vendored_runtime_and_pure_target() -> None:
    source = "import torch\nfrom torch import nn, optim\nx = torch.zeros(nn.Module, optim.SGD)\n"
    imports(source, "from our_ms import mint, nn, optim\nx = mint.zeros(nn.Cell, optim.SGD)\n", runtime_package="our_ms")
    imports(source, "from mindspore import mint, nn\nfrom torch2ms.runtime import optim\nx = mint.zeros(nn.Cell, optim.SGD)\n", target="pure")
    imports(
        "from torch import nn\nx = nn.Module, nn.init.ones_\n",
        "from mindspore import nn\nfrom torch2ms.runtime import nn as nn_\nx = nn.Cell, nn_.init.ones_\n",
        target="pure",
    )


def test_exported_names() -> None:
    imports(
        "import torch\nfrom torch import nn\nx = nn.Module\n__all__ = ['torch', 'nn', 'x']\n",
        "from torch2ms.runtime import nn\nx = nn.Cell\n__all__ = ['nn', 'x']\n",
    )
