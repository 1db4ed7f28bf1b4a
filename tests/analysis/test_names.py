"""Names: every way to import, alias, shadow and re-export."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.programs import check_names, facts, project
from torch2ms.analysis.canonical import canonical, star_names


def test_import_forms() -> None:
    check_names(
        facts("""
        import torch
        import torch as th
        import torch.nn as nn, torch.optim as optim
        import torch.nn.functional
        from torch import nn as layers
        from torch.nn import functional as F
        from torch.nn.functional import relu as act
        from torch.utils.data import DataLoader
        torch.randn          # torch.randn: torch.randn
        th.Tensor.view       # th.Tensor.view: torch.Tensor.view
        nn.Linear            # nn.Linear: torch.nn.Linear
        optim.SGD            # optim.SGD: torch.optim.SGD
        torch.nn.functional.relu  # torch.nn.functional.relu: torch.nn.functional.relu
        layers.ReLU          # layers.ReLU: torch.nn.ReLU
        F.softmax            # F.softmax: torch.nn.functional.softmax
        act                  # act: torch.nn.functional.relu
        DataLoader           # DataLoader: torch.utils.data.DataLoader
        len                  # len: builtins.len
        nowhere              # nowhere: -
    """)
    )


def test_other_libraries_keep_their_names() -> None:
    check_names(
        facts("""
        import numpy as np
        import os.path
        from tqdm import tqdm
        from mylib import nn
        import optax as optim
        np.array      # np.array: numpy.array
        os.path.join  # os.path.join: os.path.join
        tqdm          # tqdm: tqdm.tqdm
        nn.Linear     # nn.Linear: mylib.nn.Linear
        optim.adam    # optim.adam: optax.adam
    """)
    )


def test_aliases_by_assignment() -> None:
    check_names(
        facts("""
        import torch
        nn = torch.nn
        relu = nn.functional.relu
        def f(x):
            softplus = torch.nn.functional.softplus
            return softplus(relu(x))   # softplus: torch.nn.functional.softplus; relu: torch.nn.functional.relu
        g = torch.relu if f else torch.tanh
        g                              # g: -
        class Block(nn.Module):        # nn.Module: torch.nn.Module
            def __init__(self):
                self.nn = nn
                self.nn.Linear         # self.nn.Linear: -
    """)
    )


def test_shadowing() -> None:
    check_names(
        facts("""
        import torch
        from torch import nn
        import torch.nn.functional as F
        def parameter(nn):
            return nn.Linear(1, 2)               # nn.Linear: -
        def local():
            F = make()
            return F.relu(1)                     # F.relu: -
        def imported():
            import jax.nn as nn
            return nn.relu                       # nn.relu: jax.nn.relu
        lambda torch: torch.zeros(1)             # torch.zeros: -
        [torch.x for torch in range(3)]          # torch.x: -
        torch.zeros(1)                           # torch.zeros: torch.zeros
        class Holder:
            F = None
            F                                    # F: -
            def method(self):
                return F.relu                    # F.relu: torch.nn.functional.relu
        def rebinds():
            global nn
            nn = 3
        def walrus():
            if (torch := make()):
                return torch.zeros               # torch.zeros: -
    """)
    )


def test_a_class_body_sees_the_names_around_it_until_it_binds_them() -> None:
    check_names(
        facts("""
        import torch
        class Kind:
            first: torch.dtype = None            # torch.dtype: torch.dtype
            def torch(self) -> torch.dtype:      # torch.dtype: torch.dtype
                return torch.float32             # torch.float32: torch.float32
            torch.last                           # torch.last: Kind.torch.last
    """)
    )


def test_a_global_rebound_elsewhere_is_unknown() -> None:
    check_names(
        facts("""
        from torch import nn
        def rebinds():
            global nn
            nn = make()
        nn.Linear    # nn.Linear: -
    """)
    )


def test_rebinding_in_order() -> None:
    check_names(
        facts("""
        from torch import nn
        nn.Linear                  # nn.Linear: torch.nn.Linear
        from jax import nn
        nn.relu                    # nn.relu: jax.nn.relu
        def later():
            return nn.relu         # nn.relu: jax.nn.relu
    """)
    )


@pytest.mark.parametrize(
    "guard",
    [
        "try:\n    import torch\n    HAS_TORCH = True\nexcept ImportError:\n    torch = None\n    HAS_TORCH = False",
        "try:\n    import torch\nexcept ModuleNotFoundError:\n    class torch: pass",
        "torch = None\nif found:\n    import torch",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\nelse:\n    torch = lazy('torch')",
    ],
)
def test_guarded_imports(guard: str) -> None:
    found = facts(guard + "\ntorch.zeros(1)  # torch.zeros: torch.zeros\n")
    check_names(found)
    assert any(binding.guarded and binding.local == "torch" for binding in found.names.imports)


def test_either_of_two_places() -> None:
    check_names(
        facts("""
        try:
            from torch.optim.lr_scheduler import LRScheduler
        except ImportError:
            from torch.optim.lr_scheduler import _LRScheduler as LRScheduler
        LRScheduler   # LRScheduler: torch.optim.lr_scheduler.LRScheduler
        try:
            from apex.parallel import DataParallel
        except ImportError:
            from torch.nn import DataParallel
        DataParallel  # DataParallel: torch.nn.DataParallel
        if fast:
            import fastnn as nn
        else:
            nn = object()
        nn.Linear     # nn.Linear: -
    """)
    )


def test_star_imports() -> None:
    check_names(
        facts("""
        from torch import *
        from torch.nn import *
        zeros(3)      # zeros: torch.zeros
        Linear        # Linear: torch.nn.Linear
        sum           # sum: torch.sum
        print         # print: builtins.print
        def f(zeros):
            return zeros(3)   # zeros: -
    """)
    )


def test_star_import_of_functional_brings_what_it_imports() -> None:
    check_names(
        facts("""
        from torch.nn.functional import *
        relu     # relu: torch.nn.functional.relu
        torch    # torch: torch
        math     # math: math
        Tensor   # Tensor: torch.Tensor
    """)
    )


def test_string_annotations() -> None:
    found = facts("""
        import torch
        def f(x: "torch.Tensor", y: "Optional[torch.Tensor]" = None) -> "torch.Size":
            pass
    """)
    resolved = {found.names.of(part) for parsed in found.names.table.annotations.values() for part in ast.walk(parsed)}
    assert {"torch.Tensor", "torch.Size"} <= resolved


@pytest.mark.parametrize(
    ("path", "public"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.Linear.forward", "torch.nn.Linear.forward"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.utils.data.dataset.Dataset", "torch.utils.data.Dataset"),
        ("torch.optim.adam.Adam", "torch.optim.Adam"),
        ("torch.optim.lr_scheduler._LRScheduler", "torch.optim.lr_scheduler.LRScheduler"),
        ("torch.autograd.variable.Variable", "torch.autograd.Variable"),
        ("torch.autograd.function.Function", "torch.autograd.Function"),
        ("torch.autograd.grad_mode.no_grad", "torch.no_grad"),
        ("torch.autograd.no_grad", "torch.no_grad"),
        ("torch.nn.utils.clip_grad.clip_grad_norm_", "torch.nn.utils.clip_grad_norm_"),
        ("torch.nn.functional.conv2d", "torch.nn.functional.conv2d"),
        ("torch.random.manual_seed", "torch.manual_seed"),
        ("torch.nn.functional.Tensor", "torch.Tensor"),
        ("torch.nn.parallel.DataParallel", "torch.nn.DataParallel"),
        ("torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.DistributedDataParallel"),
        ("torch.cuda.amp.autocast_mode.autocast", "torch.cuda.amp.autocast"),
        ("torch.set_grad_enabled", "torch.set_grad_enabled"),
        ("msadapter.pytorch.nn.Linear", "torch.nn.Linear"),
        ("mindtorch.torch.zeros", "torch.zeros"),
        ("torchvision.datasets.mnist.MNIST", "torchvision.datasets.MNIST"),
        ("torchvision.models.resnet.resnet18", "torchvision.models.resnet18"),
        ("torchmetrics.Accuracy", "torchmetrics.Accuracy"),
        ("torchx.nn.modules.linear.Linear", "torchx.nn.modules.linear.Linear"),
    ],
)
def test_canonical(path: str, public: str) -> None:
    assert canonical(path) == public
    assert canonical(public) == public


def test_star_tables_are_those_of_the_installed_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch says which names there are")
    assert star_names("torch") == frozenset(torch.__all__)
    namespace: dict[str, object] = {}
    exec("from torch.nn.functional import *", namespace)
    brought = set(namespace) - {"__builtins__", "annotations"}
    assert brought == set(star_names("torch.nn.functional") or ())
    assert star_names("numpy") is None


def test_modules_of_a_project() -> None:
    files = project(
        {
            "pkg/__init__.py": "from .models import Net\n",
            "pkg/utils.py": "from torch import nn\nimport torch.nn.functional as F\nfrom torch import *\ndef helper(): pass\n_hidden = F.relu\n",
            "pkg/models.py": """
            from .utils import *
            from .utils import nn as layers
            from . import utils
            import pkg.utils as u
            class Net(nn.Module):       # nn.Module: torch.nn.Module
                pass
            helper                      # helper: pkg.utils.helper
            F.relu                      # F.relu: torch.nn.functional.relu
            layers.ReLU                 # layers.ReLU: torch.nn.ReLU
            utils.F.gelu                # utils.F.gelu: torch.nn.functional.gelu
            u.helper                    # u.helper: pkg.utils.helper
            zeros                       # zeros: torch.zeros
            _hidden                     # _hidden: -
        """,
            "train.py": """
            from pkg import Net
            from pkg.models import Net as Again
            import pkg
            Net           # Net: pkg.models.Net
            Again         # Again: pkg.models.Net
            pkg.Net       # pkg.Net: pkg.models.Net
        """,
        }
    )
    check_names(files["pkg/models.py"])
    check_names(files["train.py"])
    assert files["train.py"].project.is_module("pkg.models.Net")


def test_scripts_see_their_own_folder_first() -> None:
    files = project(
        {
            "model.py": "class Net: pass\n",
            "mnist/model.py": "import torch.nn as nn\nclass Net(nn.Module): pass\n",
            "mnist/main.py": "from model import Net\nNet  # Net: mnist.model.Net\n",
            "main.py": "from model import Net\nNet  # Net: model.Net\n",
        }
    )
    for path in ("mnist/main.py", "main.py"):
        check_names(files[path])
    assert files["main.py"].project.is_module("mnist.model.Net")
    assert not files["main.py"].project.is_module("model.Net")


def test_no_file_called_torch_is_meant_by_an_import_of_torch() -> None:
    files = project(
        {
            "lib/__init__.py": "",
            "lib/torch.py": """
            import sys
            import torch
            from torch.utils import data
            nn_Module = torch.nn.Module  # torch.nn.Module: torch.nn.Module
            here = sys.modules[__name__]
            here.nn_Module               # here.nn_Module: torch.nn.Module
            torch.utils.data.Dataset     # torch.utils.data.Dataset: torch.utils.data.Dataset
            class Base(here.nn_Module): pass
        """,
            "scripts/torch.py": "import torch\ntorch.relu  # torch.relu: torch.relu\n",
            "scripts/use.py": "import torch\nfrom lib import torch as l\ntorch.relu  # torch.relu: torch.relu\nl.Base  # l.Base: lib.torch.Base\n",
        }
    )
    for path in ("lib/torch.py", "scripts/torch.py", "scripts/use.py"):
        check_names(files[path])
    assert files["lib/torch.py"].project.is_module("lib.torch.Base")


def test_all_limits_a_star_import() -> None:
    files = project(
        {
            "lib.py": "__all__ = ['a']\na = 1\nb = 2\n",
            "use.py": "from lib import *\na  # a: lib.a\nb  # b: -\n",
        }
    )
    check_names(files["use.py"])


def test_import_bindings_say_where_they_stand() -> None:
    found = facts("""
        import torch
        import torch.nn.functional as F, os
        from torch.nn import *
        def f():
            from torch import optim
    """)
    rows = [(b.local, b.target, b.module, b.index, b.guarded, b.star) for b in found.names.imports]
    assert rows == [
        ("torch", "torch", "torch", 0, False, False),
        ("F", "torch.nn.functional", "torch.nn.functional", 0, False, False),
        ("os", "os", "os", 1, False, False),
        ("*", "torch.nn", "torch.nn", 0, False, True),
        ("optim", "torch.optim", "torch", 0, True, False),
    ]
    assert {"torch", "F", "os", "f", "optim"} <= found.names.bound


def test_comprehensions_in_classes_and_iterables_outside() -> None:
    check_names(
        facts("""
        import torch
        class Net:
            torch = 3
            a = [torch.x for i in range(2)]       # torch.x: torch.x
            b = [i for i in torch]                # torch: -
    """)
    )


def test_nonlocal_and_except_and_match() -> None:
    check_names(
        facts("""
        import torch
        def outer():
            from torch import nn
            def inner():
                nonlocal nn
                nn = None
            return nn.Linear      # nn.Linear: torch.nn.Linear
        try:
            pass
        except ValueError as torch:
            torch.args            # torch.args: -
    """)
    )
