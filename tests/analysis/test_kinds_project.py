"""Kinds across functions, classes and files."""

from __future__ import annotations

import pickle

from tests.analysis.programs import check_kinds, described, facts, project


def test_attributes_and_methods() -> None:
    check_kinds(
        facts("""
        import torch, torch.nn as nn
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.layer = nn.Linear(n, n)
                self.layers = nn.ModuleList()
                for _ in range(3):
                    self.layers.append(Block(n))
                self.n = n
                self.cache = None
                self.register_buffer("mask", torch.ones(3))
                self.weight = nn.Parameter(torch.ones(3))
            def forward(self, x):
                for block in self.layers:
                    x = block(x)                # block: MODULE Block; block(x): TENSOR
                self.cache = x
                self.mask                       # self.mask: TENSOR
                self.weight                     # self.weight: PARAMETER
                self.missing                    # self.missing: UNKNOWN
                self.training                   # self.training: NUMBER
                return self.layer(x), self.n
            def later(self):
                return self.cache               # self.cache: TENSOR?
            @property
            def first(self):
                return self.layers[0]
        class Block(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.norm = nn.LayerNorm(n)
            def forward(self, x):
                return self.norm(x)             # x: TENSOR
        def main():
            net = Net(3)
            y, n = net(torch.ones(3))
            y, n                                # y: TENSOR; n: NUMBER
            net.later()                         # net.later(): TENSOR?
            net.first                           # net.first: MODULE Block
            net.to("cpu").layer                 # net.to('cpu').layer: MODULE torch.nn.Linear
    """)
    )


def test_inheritance() -> None:
    check_kinds(
        facts("""
        import torch, torch.nn as nn
        class Base(nn.Module):
            def forward(self, x):
                return self.head(self.body(x))
            def helper(self, t):
                return t * 2                       # t: TENSOR
        class Child(Base):
            def __init__(self):
                super().__init__()
                self.body, self.head = nn.Linear(1, 2), nn.LSTM(2, 3)
            def helper(self, t):
                return super().helper(t)           # t: TENSOR; super().helper(t): TENSOR
        class Wide(nn.Linear):
            def forward(self, x):
                return super().forward(x).view(3)  # super().forward(x): TENSOR
            def scaled(self):
                return self.weight * 2             # self.weight: PARAMETER
        out = Child()(torch.ones(3))
        out                                        # out: SEQUENCE
        Child().helper(torch.ones(3))
        stack = nn.Sequential(Wide(1, 2), Child())
        stack(torch.ones(2))                       # stack(torch.ones(2)): SEQUENCE
        class Chain(nn.Sequential):
            def __init__(self):
                super().__init__(nn.ReLU())
        Chain()(torch.ones(2))                     # Chain()(torch.ones(2)): TENSOR~
    """)
    )


def test_call_sites_and_returns() -> None:
    check_kinds(
        facts("""
        import torch, numpy as np
        def scale(x, by=2):
            return x * by                     # x: TENSOR; by: NUMBER
        def either(x):
            return x                          # x: UNKNOWN
        def identity(x):
            return x
        def pair(x):
            return x.sum(), np.ones(3)
        def fact(n):
            return torch.ones(3) if n == 0 else fact(n - 1)
        def generate(x):
            for row in x:
                yield row
        def nothing():
            pass
        t = torch.ones(3)
        scale(t); scale(t, 3)                 # scale(t): TENSOR
        either(t); either(np.ones(3))
        identity(t)                           # identity(t): TENSOR
        identity("a")                         # identity('a'): STRING
        a, b = pair(t)
        a, b                                  # a: TENSOR; b: NDARRAY
        fact(3)                               # fact(3): TENSOR
        next(generate(t))                     # next(generate(t)): TENSOR
        nothing()                             # nothing(): NONE
    """)
    )


def test_annotations_are_refined_by_call_sites_and_doubted_where_they_lie() -> None:
    check_kinds(
        facts("""
        import torch
        from torch.utils.data import Dataset, DataLoader
        class Rows(Dataset):
            def __init__(self):
                self.rows = [(torch.ones(3), 1) for _ in range(4)]
            def __getitem__(self, i):
                return self.rows[i]           # i: NUMBER
        def train(data: Dataset, path: str):
            path                              # path: UNKNOWN
            for x, y in DataLoader(data):
                x, y                          # x: TENSOR; y: TENSOR
        train(Rows(), torch.ones(3))
    """)
    )


def test_batches_of_project_data_sets() -> None:
    check_kinds(
        facts("""
        import torch, numpy as np
        from torch.utils.data import Dataset, DataLoader
        class Images(Dataset):
            def __getitem__(self, i):
                return {"image": np.ones(3), "name": "a", "box": torch.ones(4)}
        def collate(batch):
            return torch.stack([item["box"] for item in batch])      # item: MAPPING; item['box']: TENSOR
        for batch in DataLoader(Images(), 3):
            batch["image"], batch["name"]     # batch['image']: TENSOR; batch['name']: SEQUENCE
        for boxes in DataLoader(Images(), collate_fn=collate):
            boxes                             # boxes: TENSOR
        for batch in DataLoader(Images() if batch else [1, 2]):
            batch                             # batch: UNKNOWN
    """)
    )


def test_autograd_functions() -> None:
    check_kinds(
        facts("""
        import torch
        class Sign(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, scale):
                ctx.scale = scale
                ctx.save_for_backward(x)
                return x.sign()                   # x: TENSOR
            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                x, grad, ctx.scale                # x: TENSOR; grad: TENSOR?; ctx.scale: NUMBER
                return grad * (x > 0), None
        sign = Sign.apply
        sign(torch.ones(3), 2)                    # sign(torch.ones(3), 2): TENSOR
        Sign.apply(torch.ones(3), 2)              # Sign.apply(torch.ones(3), 2): TENSOR
        Sign                                      # Sign: FUNCTION
    """)
    )


def test_optimizer_subclass() -> None:
    check_kinds(
        facts(
            """
        import torch
        class Momentum(torch.optim.Optimizer):
            def step(self, closure=None):
                for group in self.param_groups:
                    for p in group["params"]:
                        state = self.state[p]
                        if not state:
                            state["step"] = 0
                            state["buf"] = torch.zeros_like(p)
                        buf = state["buf"]
                        buf.mul_(0.9)             # buf: TENSOR; p: PARAMETER; state['step']: NUMBER
                        state["step"] += 1        # state['step']: NUMBER
    """.replace(
                "buf.mul_(0.9)             # buf: TENSOR; p: PARAMETER; state['step']: NUMBER",
                "buf.mul_(0.9); p   # buf: TENSOR; p: PARAMETER",
            )
        )
    )


def test_files_of_a_project() -> None:
    files = project(
        {
            "lib/__init__.py": "from .net import Net, build\nfrom .config import device\n",
            "lib/config.py": "import torch\ndevice = torch.device('cpu')\nlimit = 3\n",
            "lib/net.py": """
            import torch, torch.nn as nn
            class Net(nn.Module):
                def forward(self, x):
                    return x, self.scale            # x: TENSOR
                def attach(self, opt):
                    self.opt = opt                  # opt: OPTIMIZER
            def build(n):
                net = Net()
                net.scale = torch.ones(n)           # n: NUMBER
                return net
        """,
            "train.py": """
            import torch, lib
            from lib import Net, build, device
            net = build(3).to(device)               # device: DEVICE
            net                                     # net: MODULE lib.net.Net
            out, scale = net(torch.ones(3))
            out, scale                              # out: TENSOR; scale: TENSOR
            net.attach(torch.optim.SGD(net.parameters(), 0.1))
            net.opt                                 # net.opt: OPTIMIZER
            lib.config.limit                        # lib.config.limit: NUMBER
        """,
        }
    )
    check_kinds(files["lib/net.py"])
    check_kinds(files["train.py"])
    facts_of_all = files["train.py"].project
    assert facts_of_all.functions["lib.net.build"].returns == facts_of_all.functions["lib.net.build"].returns
    again = pickle.loads(pickle.dumps(facts_of_all))
    assert described(again.functions["lib.net.build"].returns) == "MODULE lib.net.Net"
    assert described(again.classes["lib.net.Net"].attributes["opt"]) == "OPTIMIZER torch.optim.SGD"
    assert again.functions["lib.net.Net.forward"].kinds["x"].is_tensor


def test_arguments_of_processes_and_partials() -> None:
    check_kinds(
        facts("""
        import torch, functools
        import torch.multiprocessing as mp
        def work(rank, net):
            return net(rank)                        # rank: NUMBER; net: MODULE
        def child(net):
            return net                              # net: MODULE
        net = torch.nn.Linear(1, 2)
        mp.spawn(work, args=(net,), nprocs=2)
        mp.Process(target=child, args=(net,)).start()
        Layer = functools.partial(torch.nn.Linear, bias=False)
        Layer(1, 2)                                 # Layer(1, 2): MODULE
    """)
    )


def test_hooks_into_modules() -> None:
    check_kinds(
        facts("""
        import torch.nn as nn
        def init(m):
            if m.__class__.__name__.find("Conv") != -1:
                m.weight.data.normal_()             # m: MODULE; m.weight: PARAMETER~
        nn.Sequential(nn.Linear(1, 2)).apply(init)
    """)
    )


def test_namespaces_carry_what_is_put_into_them() -> None:
    check_kinds(
        facts(
            """
        import argparse, torch
        def run(args, x: torch.Tensor):
            x.to(args.device)                       # args.device: DEVICE; args.lr: OTHER
            args.lr                                 # args.lr: OTHER
        args = argparse.ArgumentParser().parse_args()
        args.device = torch.device("cpu")
        run(args, torch.ones(3))
    """.replace("# args.device: DEVICE; args.lr: OTHER", "# args.device: DEVICE")
        )
    )


def test_enum_members_are_no_numbers() -> None:
    check_kinds(
        facts("""
        import enum
        class Mode(enum.Enum):
            A = 1
        class Plain:
            A = 1
        Mode.A      # Mode.A: OTHER
        Plain.A     # Plain.A: NUMBER
    """)
    )


def test_data_classes() -> None:
    check_kinds(
        facts("""
        import torch
        from dataclasses import dataclass
        @dataclass
        class Batch:
            x: torch.Tensor
            n: int
            extra: object = None
        b = Batch(torch.ones(3), 2, torch.zeros(3))
        b.x, b.n, b.extra      # b.x: TENSOR; b.n: NUMBER; b.extra: TENSOR?
    """)
    )


def test_decorators_that_may_change_the_result() -> None:
    check_kinds(
        facts("""
        import torch, contextlib, mylib
        @torch.no_grad()
        def quiet(x: torch.Tensor): return x * 2
        @mylib.wrap
        def wrapped(x: torch.Tensor): return x * 2
        @contextlib.contextmanager
        def managed(x: torch.Tensor): yield x
        t = torch.ones(3)
        quiet(t)                # quiet(t): TENSOR
        wrapped(t)              # wrapped(t): TENSOR~
        with managed(t) as y:
            y                   # y: TENSOR
    """)
    )


def test_functions_defined_in_branches() -> None:
    check_kinds(
        facts("""
        import torch, numpy as np, mylib
        if mylib.fast:
            def make(): return torch.ones(3)     # torch.ones(3): TENSOR
        else:
            def make(): return np.ones(3)        # np.ones(3): NDARRAY
        make()                                   # make(): UNKNOWN
    """)
    )


def test_named_tuples() -> None:
    check_kinds(
        facts("""
        import torch
        from collections import namedtuple
        Step = namedtuple("Step", ["prob", "n"])
        Other = namedtuple("Other", "a, b")
        steps = []
        steps.append(Step(torch.ones(3), 2))
        for step in steps:
            step.prob, step.n              # step.prob: TENSOR; step.n: NUMBER
        for prob, n in steps:
            prob, n                        # prob: TENSOR; n: NUMBER
        Other(b=torch.ones(3), a=1).b      # Other(b=torch.ones(3), a=1).b: TENSOR
        Step(*steps).prob                  # Step(*steps).prob: UNKNOWN
    """)
    )


def test_a_module_loaded_whole_is_the_module() -> None:
    check_kinds(
        facts("""
        import torch
        net = torch.nn.Linear(1, 2)
        if net:
            net = torch.load("net.pt")
        net                                # net: MODULE torch.nn.Linear
        state = torch.load("net.pt")
        state["a"]                         # state: UNKNOWN; state['a']: UNKNOWN
        array = 3 if net else torch.load("a.pt")
        array                              # array: UNKNOWN
    """)
    )
