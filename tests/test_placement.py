"""What is inserted stands behind what it uses, however the imports of a file are wrapped."""

from __future__ import annotations

import ast
import builtins
import itertools

import pytest

from tests.tools import convert
from tests.trees import unbound

HEADS = {
    "plain": "import torch\nimport torch.nn as nn\n",
    "docstring": '"""About it."""\nfrom __future__ import annotations\nimport torch\nimport torch.nn as nn\n',
    "try": "try:\n    import torch\n    import torch.nn as nn\nexcept ImportError as error:\n    raise SystemExit(1)\n",
    "try after os": "import os\ntry:\n    import torch\n    import torch.nn as nn\nexcept ImportError as error:\n    print(error)\n",
    "if": "import sys\nif sys.version_info > (3, 0):\n    import torch\n    import torch.nn as nn\n",
    "nested": "import sys\nif sys.argv:\n    try:\n        import torch\n        import torch.nn as nn\n    finally:\n        pass\n",
    "with": "import contextlib\nwith contextlib.suppress(ImportError):\n    import torch\n    import torch.nn as nn\n",
    "late": "import os\n\n\ndef early():\n    return 1\n\n\nimport torch\nimport torch.nn as nn\n",
}
BODIES = {
    "tape": "net = nn.Linear(2, 2)\nkept = []\ndef episode(x):\n    kept.append(net(x).sum())\ndef finish():\n    torch.stack(kept).sum().backward()\n",
    "step": "net = nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in [torch.ones(1, 2)]:\n    opt.zero_grad()\n    net(x).sum().backward()\n    opt.step()\n",
    "values": "def f(x, gpu):\n    torch.cuda.set_device(gpu)\n    x.add_(1)\n    return x.std(), torch.cat([x, x])\ny = torch.zeros(3)\ny.mul_(2)\n",
    "refused": "def f(x):\n    return torch.fx.symbolic_trace(x)\nz = torch.nested.nested_tensor([1])\n",
}


def used_before_bound(text: str) -> list[str]:
    """Names that the statements of a module use before any of them, in the order of the file, has bound them."""
    known = {*dir(builtins), "__file__", "__name__"}
    early: list[str] = []

    def visit(stmts: list[ast.stmt]) -> None:
        for stmt in stmts:
            if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
                known.add(stmt.name)
                continue
            blocks = [b for f in ("body", "orelse", "finalbody") if isinstance(b := getattr(stmt, f, None), list)]
            inner = {n for block in blocks for s in block for n in ast.walk(s)}
            inner |= {n for handler in getattr(stmt, "handlers", ()) for n in ast.walk(handler)}
            for node in ast.walk(stmt):
                if node in inner:
                    continue
                if isinstance(node, ast.alias):
                    known.add((node.asname or node.name).partition(".")[0])
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
                    early.append(node.id)
            known.update(n.id for n in ast.walk(stmt) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in inner)
            for block in blocks:
                visit(block)

    visit(ast.parse(text).body)
    return early


@pytest.mark.parametrize(("head", "body"), list(itertools.product(HEADS, BODIES)))
def test_nothing_is_used_before_its_import(head: str, body: str) -> None:
    text = HEADS[head] + "\n" + BODIES[body]
    assert not used_before_bound(text) and not unbound(text)
    result = convert(text).text
    assert "torch2ms.runtime" in result or "mindspore" in result
    assert not unbound(result), result
    assert not used_before_bound(result), result


def test_the_weights_of_a_shared_value_are_listed_before_it_is_made() -> None:
    result = convert(
        """
        import torch
        from torch import nn
        class Trainer:
            def __init__(self, net: nn.Module, optimizer: torch.optim.Optimizer):
                self.net, self.optimizer = net, optimizer
            def batch(self, x, scaled):
                loss = self.net(x).sum()
                self.optimizer.zero_grad()
                if scaled:
                    (2 * loss).backward()
                    torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                    self.optimizer.step()
                else:
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                    self.optimizer.step()
        """
    ).text
    assert result.index("weights = ") < result.index("weights=weights"), result
