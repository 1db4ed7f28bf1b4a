from __future__ import annotations

from tests.tools import check_noop, check_transformed, convert

HEAD = "from torch import nn\n"
HEAD_AFTER = "from torch2ms.runtime import nn\n"


def check(before: str, after: str) -> None:
    """Both without the import line."""
    check_transformed(HEAD + before, HEAD_AFTER + after)


def test_forward_is_construct() -> None:
    check(
        "class Net(nn.Module):\n    def forward(self, x):  # go\n        return x\n",
        "class Net(nn.Cell):\n    def construct(self, x):  # go\n        return x\n",
    )


def test_subclasses_and_mixins_of_modules() -> None:
    check(
        "class A(nn.Module): pass\nclass Mixin:\n    def forward(self, x): return x\nclass B(Mixin, A): pass\nclass C(B):\n    def forward(self, x): return super().forward(x)\n",
        "class A(nn.Cell): pass\nclass Mixin:\n    def construct(self, x): return x\nclass B(Mixin, A): pass\nclass C(B):\n    def construct(self, x): return super().construct(x)\n",
    )


def test_forward_of_something_else_stays() -> None:
    check_noop("class Trainer:\n    def forward(self): return 1\n    def run(self): return self.forward()\n")
    check(
        "class Net(nn.Module):\n    def forward(self, x): return x\nclass Trainer:\n    def forward(self): return 1\n    def run(self): return self.forward()\ndef f(y): return y.forward()\n",
        "class Net(nn.Cell):\n    def construct(self, x): return x\nclass Trainer:\n    def forward(self): return 1\n    def run(self): return self.forward()\ndef f(y): return y.forward()\n",
    )


def test_calls_of_forward() -> None:
    check(
        "class Net(nn.Module):\n    def forward(self, x): return x\n    def both(self, x): return self.forward(self.forward(x))\nnet = Net()\ny = net.forward(1), Net.forward(net, 1)\nf = net.forward\n",
        "class Net(nn.Cell):\n    def construct(self, x): return x\n    def both(self, x): return self.construct(self.construct(x))\nnet = Net()\ny = net.construct(1), Net.construct(net, 1)\nf = net.construct\n",
    )


def test_forward_as_a_class_attribute() -> None:
    check(
        "class Net(nn.Module):\n    def _run(self, x): return x\n    forward = _run\n",
        "class Net(nn.Cell):\n    def _run(self, x): return x\n    construct = _run\n",
    )


def test_the_first_parameter_of_construct_is_self() -> None:
    check(
        "class Net(nn.Module):\n    def forward(this, x):\n        def g(): return this.a + x\n        return [this for this in x], g, lambda this: this\n",
        "class Net(nn.Cell):\n    def construct(self, x):\n        def g(): return self.a + x\n        return [this for this in x], g, lambda this: this\n",
    )


def test_train_overrides() -> None:
    check(
        "class Net(nn.Module):\n    def train(self, mode=True):\n        super().train(mode)\n        self.train(mode)\n        return self\nnet = Net()\nnet.train()\nnet.eval()\n",
        "class Net(nn.Cell):\n    def set_train(self, mode=True):\n        super().set_train(mode)\n        self.set_train(mode)\n        return self\nnet = Net()\nnet.set_train()\nnet.set_train(False)\n",
    )


def test_a_method_that_trains_a_model_is_no_override() -> None:
    check(
        "class Net(nn.Module):\n    def train(self, data, epochs): return data\nnet = Net()\nnet.train(1, 2)\n",
        "class Net(nn.Cell):\n    def train(self, data, epochs): return data\nnet = Net()\nnet.train(1, 2)\n",
    )


def test_eval_overrides_stay_methods() -> None:
    check(
        "class Net(nn.Module):\n    def eval(self):\n        super().eval()\n        return self\nnet = Net()\nnet.eval()\n",
        "class Net(nn.Cell):\n    def eval(self):\n        super().set_train(False)\n        return self\nnet = Net()\nnet.eval()\n",
    )


def test_names_that_cell_needs() -> None:
    check(
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.phase = 'a'\n    def get_parameters(self): return self.phase\nnet = Net()\ny = net.phase, net.get_parameters()\nclass Other:\n    def __init__(self): self.phase = 1\nz = Other().phase\n",
        "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.phase_ = 'a'\n    def get_parameters_(self): return self.phase_\nnet = Net()\ny = net.phase_, net.get_parameters_()\nclass Other:\n    def __init__(self): self.phase = 1\nz = Other().phase\n",
    )


def test_a_checkpoint_keeps_the_old_names() -> None:
    check(
        "class Net(nn.Module):\n    '''doc'''\n    def __init__(self):\n        super().__init__()\n        self.cells = nn.ModuleList()\n",
        "class Net(nn.Cell):\n    '''doc'''\n    checkpoint_names = {'cells_': 'cells'}\n    def __init__(self):\n        super().__init__()\n        self.cells_ = nn.CellList()\n",
    )


def test_names_that_cell_needs_in_strings() -> None:
    check(
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.register_buffer('phase', None)\n        self.add_module('shard', nn.ModuleList())\n        seq = nn.Sequential()\n        seq.add_module('offload', nn.ModuleList())\n    def forward(self, x): return getattr(self, \"shard\")(x)\n",
        "class Net(nn.Cell):\n    checkpoint_names = {'phase_': 'phase', 'shard_': 'shard'}\n    def __init__(self):\n        super().__init__()\n        self.register_buffer('phase_', None)\n        self.add_module('shard_', nn.CellList())\n        seq = nn.SequentialCell()\n        seq.add_module('offload', nn.CellList())\n    def construct(self, x): return getattr(self, \"shard_\")(x)\n",
    )


def test_a_checkpoint_keeps_the_names_of_attributes_bound_in_any_way() -> None:
    check(
        "class Net(nn.Module):\n    def __init__(self, make):\n        super().__init__()\n        self.cells: nn.Module = nn.ModuleList()\n        self.n, self.shard = 1, make()\n        self.phase = 0.5\n",
        "class Net(nn.Cell):\n    checkpoint_names = {'cells_': 'cells', 'shard_': 'shard'}\n    def __init__(self, make):\n        super().__init__()\n        self.cells_: nn.Cell = nn.CellList()\n        self.n, self.shard_ = 1, make()\n        self.phase_ = 0.5\n",
    )


def test_extra_repr() -> None:
    check("class Net(nn.Module):\n    def extra_repr(self): return 'a'\n", "class Net(nn.Cell):\n    def extend_repr(self): return 'a'\n")


def test_skipped_classes_are_left_alone() -> None:
    source = "from torch import nn\nclass Net(nn.Module):  # torch2ms: skip\n    def forward(self, x): return x\n"
    assert convert(source).text == source
