"""Kinds of expressions inside one function or script."""

from __future__ import annotations

from tests.analysis.programs import check_kinds, facts


def test_constructors_and_results() -> None:
    check_kinds(
        facts("""
        import torch, torch.nn as nn, torch.optim as optim
        from torch.utils.data import DataLoader, TensorDataset
        x = torch.randn(2, 3)
        x                                   # x: TENSOR
        torch.zeros(3, dtype=torch.long)    # torch.zeros(3, dtype=torch.long): TENSOR int64
        model = nn.Linear(3, 4)
        model                               # model: MODULE torch.nn.Linear
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        optimizer                           # optimizer: OPTIMIZER torch.optim.SGD
        scheduler = optim.lr_scheduler.StepLR(optimizer, 3)
        scheduler                           # scheduler: SCHEDULER torch.optim.lr_scheduler.StepLR
        loader = DataLoader(TensorDataset(x, x))
        loader                              # loader: LOADER
        scaler = torch.cuda.amp.GradScaler()
        scaler                              # scaler: SCALER
        device = torch.device("cpu")
        device                              # device: DEVICE
        torch.float32                       # torch.float32: DTYPE
        nn.Linear                           # nn.Linear: MODULE_CLASS torch.nn.Linear
        torch.Generator()                   # torch.Generator(): GENERATOR
        nn.Parameter(x)                     # nn.Parameter(x): PARAMETER
        x.storage()                         # x.storage(): STORAGE
        torch                               # torch: MODULE_OBJECT
    """)
    )


def test_what_a_string_is_added_to_is_no_tensor() -> None:
    check_kinds(
        facts("""
        import torch
        def show(self, unknown):
            text = self.name + "("
            text                            # text: OTHER
            text += f"{unknown}"
            text                            # text: OTHER
    """)
    )


def test_a_scalar_type_of_numpy_gives_an_array_of_an_array() -> None:
    check_kinds(
        facts("""
        import numpy as np
        def masks(done, flags):
            one = np.float32(0.5)
            one                       # one: NUMBER
            several = np.float32([done])
            several                   # several: NDARRAY
            left = 1 - np.float32(np.array(flags))
            left                      # left: NDARRAY
            either = np.float32(flags)
            either                    # either: UNKNOWN
    """)
    )


def test_one_of_several_distributions_gives_tensors() -> None:
    check_kinds(
        facts("""
        import torch, matplotlib.pyplot as plt
        from torch.distributions import Bernoulli, Beta, Categorical, Gamma, Laplace, MultivariateNormal, Normal, Uniform
        def act(scores, several, which):
            if several:
                policy = MultivariateNormal(scores, torch.eye(2))
            else:
                policy = Categorical(scores)
            policy.sample()               # policy.sample(): TENSOR
            policy.mean                   # policy.mean: TENSOR
            policy.batch_shape            # policy.batch_shape: UNKNOWN
            many = [Bernoulli(scores), Beta(scores, 1), Gamma(scores, 1), Laplace(scores, 1), Normal(scores, 1),
                    Uniform(scores, 1), Categorical(scores)][which]
            many.sample()                 # many.sample(): UNKNOWN
            mixed = Normal(scores, 1) if several else plt.figure()
            mixed.sample()                # mixed.sample(): UNKNOWN
    """)
    )


def test_lookalikes_of_other_libraries() -> None:
    check_kinds(
        facts("""
        import numpy as np, argparse, mylib
        from mylib import nn, optim
        a = np.zeros(3)
        a                     # a: NDARRAY
        a.sum()               # a.sum(): NDARRAY
        net = nn.Linear(3)
        net                   # net: UNKNOWN
        opt = optim.SGD(net)
        opt                   # opt: UNKNOWN
        args = argparse.ArgumentParser().parse_args()
        args.view             # args.view: OTHER
        "a b".split()         # 'a b'.split(): SEQUENCE
        [1].append(2)         # [1].append(2): NONE
        open("f").read()      # open("f").read(): OTHER
    """)
    )


def test_tensor_methods_and_attributes() -> None:
    check_kinds(
        facts("""
        import torch
        def f(x: torch.Tensor):
            x.view(1, 2).t()          # x.view(1, 2).t(): TENSOR
            x.shape                   # x.shape: SIZE
            x.shape[0]                # x.shape[0]: NUMBER
            x.size()                  # x.size(): SIZE
            x.size(0)                 # x.size(0): NUMBER
            x.item()                  # x.item(): NUMBER
            x.tolist()                # x.tolist(): SEQUENCE
            x.numpy()                 # x.numpy(): NDARRAY
            x.device                  # x.device: DEVICE
            x.dtype                   # x.dtype: DTYPE
            x.grad                    # x.grad: TENSOR?
            x.data.grad_fn            # x.data.grad_fn: OTHER
            x.requires_grad           # x.requires_grad: NUMBER
            x.long()                  # x.long(): TENSOR int64
            x.float().view(3)         # x.float().view(3): TENSOR float32
            (x > 0)                   # x > 0: TENSOR bool
            values, indices = x.max(1)
            indices                   # indices: TENSOR int64
            x.max()                   # x.max(): TENSOR
            a, b = x.chunk(2)
            b                         # b: TENSOR
            x.nonzero(as_tuple=True)  # x.nonzero(as_tuple=True): SEQUENCE
            x.type()                  # x.type(): STRING
            x.type(torch.long)        # x.type(torch.long): TENSOR
            x.backward()              # x.backward(): NONE
            x.flurb()                 # x.flurb(): UNKNOWN
            x[0], x[:, 1]             # x[0]: TENSOR; x[:, 1]: TENSOR
            len(x)                    # len(x): NUMBER
            float(x)                  # float(x): NUMBER
            abs(x)                    # abs(x): TENSOR
    """)
    )


def test_operators() -> None:
    check_kinds(
        facts("""
        import torch, numpy as np
        def f(x: torch.Tensor, y):
            a = np.ones(3)
            x + 1             # x + 1: TENSOR
            2 ** x            # 2 ** x: TENSOR
            a * x             # a * x: TENSOR
            a * 2             # a * 2: NDARRAY
            y * 2             # y * 2: UNKNOWN
            -x                # -x: TENSOR
            not x             # not x: NUMBER
            "%d" % x          # '%d' % x: STRING
            x == y            # x == y: TENSOR bool
            x is y            # x is y: NUMBER
            [x] + [x]         # [x] + [x]: SEQUENCE
            3 // 2            # 3 // 2: NUMBER
            x if y else x     # x if y else x: TENSOR
            x if y else a     # x if y else a: UNKNOWN
            None or x         # None or x: TENSOR
    """)
    )


def test_flow_of_one_variable() -> None:
    check_kinds(
        facts("""
        import numpy as np, torch
        data = np.ones(3)
        data                            # data: NDARRAY
        data = torch.from_numpy(data)
        data                            # data: TENSOR
        data = data.numpy().tolist()
        data                            # data: SEQUENCE
        if len(data) > 2:
            out = torch.ones(3)
        else:
            out = np.ones(3)
        out                             # out: UNKNOWN
        if len(data) > 2:
            out = torch.ones(3)
        else:
            out = torch.zeros(3)
        out                             # out: TENSOR
        if len(data) > 2:
            out = np.ones(3)
            raise ValueError
        out                             # out: TENSOR
        try:
            out = np.ones(3)
        except ValueError:
            pass
        out                             # out: UNKNOWN
    """)
    )


def test_loops_join_their_rounds() -> None:
    check_kinds(
        facts("""
        import torch
        def f(xs: list[torch.Tensor], crit):
            loss = 0
            for x in xs:
                loss                # loss: TENSOR?
                loss = loss + x.sum()
            loss                    # loss: TENSOR?
            total = 0.0
            for x in xs:
                total += x.item()
                total               # total: NUMBER
            state = None
            while True:
                state               # state: TENSOR?
                state = torch.ones(3)
                if crit:
                    break
            state                   # state: TENSOR
            kind = torch.ones(3)
            for i in range(3):
                kind                # kind: UNKNOWN
                kind = kind.numpy() if i else kind
    """)
    )


def test_iteration() -> None:
    check_kinds(
        facts("""
        import torch, itertools
        from tqdm import tqdm
        def f(x: torch.Tensor, d: dict[str, torch.Tensor]):
            for i, row in enumerate(tqdm(x)):
                i, row                     # i: NUMBER; row: TENSOR
            for a, (b, c) in zip(x, enumerate(x)):
                a, b, c                    # a: TENSOR; b: NUMBER; c: TENSOR
            for key, value in d.items():
                value                      # value: TENSOR
            for key in d:
                d[key]                     # d[key]: TENSOR
            xs = [row * 2 for row in x]
            xs[0]                          # xs[0]: TENSOR
            xs[1:]                         # xs[1:]: SEQUENCE
            next(iter(xs))                 # next(iter(xs)): TENSOR
            list(reversed(xs))[0]          # list(reversed(xs))[0]: TENSOR
            sum(xs)                        # sum(xs): TENSOR?
            max(xs)                        # max(xs): TENSOR
            for y in itertools.chain(xs, x):
                y                          # y: TENSOR
            first, *rest = xs
            rest                           # rest: SEQUENCE
            list(map(lambda t: t.sum(), xs))[0]   # t.sum(): TENSOR
            {k: v for k, v in d.items()}["a"]     # {k: v for k, v in d.items()}['a']: TENSOR
    """)
    )


def test_containers_that_grow() -> None:
    check_kinds(
        facts("""
        import torch
        def f(x: torch.Tensor, unknown):
            xs = []
            for i in range(3):
                xs.append(x)
            xs[0]                      # xs[0]: TENSOR
            xs.append("a")
            xs[0]                      # xs[0]: UNKNOWN
            d = {}
            d["a"] = x
            d["n"] = 3
            d["a"], d["n"]             # d['a']: TENSOR; d['n']: NUMBER
            d[unknown] = x
            d["n"]                     # d['n']: TENSOR?
            grouped = {}
            grouped.setdefault("a", []).append(x)
            more = [x]
            more += [x]
            more.extend([3])
            more[0]                    # more[0]: TENSOR?
    """)
    )


def test_modules_and_their_calls() -> None:
    check_kinds(
        facts("""
        import torch, torch.nn as nn
        def f(x: torch.Tensor, layers: nn.Module):
            lstm = nn.LSTM(3, 4)
            out, (h, c) = lstm(x)
            h                                      # h: TENSOR
            net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
            net(x)                                 # net(x): TENSOR
            net[0]                                 # net[0]: MODULE torch.nn.Linear
            net[0].weight                          # net[0].weight: PARAMETER
            seq = nn.Sequential(nn.Linear(3, 4), nn.LSTM(3, 4))
            seq(x)                                 # seq(x): SEQUENCE
            many = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
            for layer in many:
                layer                              # layer: MODULE torch.nn.Linear
            layers(x)                              # layers(x): TENSOR~
            for p in net.parameters():
                p.grad.data, p                     # p: PARAMETER; p.grad.data: TENSOR
            for name, m in net.named_modules():
                m                                  # m: MODULE
            net.to("cpu").eval()                   # net.to('cpu').eval(): MODULE
            net.state_dict()["a"]                  # net.state_dict()['a']: TENSOR
            nn.DataParallel(net).module(x)         # nn.DataParallel(net).module(x): TENSOR
            for group in torch.optim.SGD(net.parameters(), 1).param_groups:
                group["lr"]                        # group['lr']: NUMBER
                for p in group["params"]:
                    p                              # p: PARAMETER
    """)
    )


def test_narrowing() -> None:
    check_kinds(
        facts("""
        import torch, numpy as np
        from torch import nn
        def f(x, y: "torch.Tensor | None", m: nn.Module):
            if isinstance(x, torch.Tensor):
                x.view(1)              # x: TENSOR
            elif isinstance(x, np.ndarray):
                x.sum()                # x: NDARRAY
            x                          # x: UNKNOWN
            if not torch.is_tensor(x):
                x = torch.tensor(x)
            x                          # x: TENSOR
            y                          # y: TENSOR?
            if y is None:
                return
            y                          # y: TENSOR
            if isinstance(m, nn.Conv2d):
                m.weight.data          # m.weight: PARAMETER
            m.weight                   # m.weight: PARAMETER~
            assert isinstance(m, (nn.Linear, nn.Conv2d))
            m(y)                       # m(y): TENSOR
    """)
    )


def test_use_proves_a_parameter() -> None:
    check_kinds(
        facts("""
        import torch, torch.nn.functional as F
        def proved(x):
            x                       # x: TENSOR
            return F.relu(x).sum()
        def by_method(x):
            x = x * 2
            return x.unsqueeze(0)   # x: TENSOR
        def both_branches(x, flag):
            if flag:
                x = F.relu(x)       # x: TENSOR
            else:
                x = F.gelu(x)
            return x
        def one_branch(x, flag):
            if flag:
                return x            # x: TENSOR~
            elif flag is None:
                return F.relu(x)
            return 3
        def not_proved(x):
            x.reshape(1, 2)         # x: UNKNOWN
            return x.sum(), x.shape, x.cpu()
        def created(x):
            return torch.tensor(x)  # x: UNKNOWN
        def of_sequence(xs):
            torch.cat(xs)
            return xs[0]            # xs[0]: TENSOR
    """)
    )


def test_a_method_name_of_the_project_proves_nothing() -> None:
    check_kinds(
        facts("""
        class Board:
            def unsqueeze(self, n): return self
        def f(x):
            return x.unsqueeze(0)   # x: UNKNOWN
    """)
    )


def test_reparametrised_weights_are_no_parameters() -> None:
    check_kinds(
        facts("""
        import torch.nn as nn
        from torch.nn.utils import weight_norm
        conv = weight_norm(nn.Conv1d(1, 1, 1))
        conv.weight          # conv.weight: TENSOR
        conv.bias            # conv.bias: PARAMETER
        nn.Conv1d(1, 1, 1).weight   # nn.Conv1d(1, 1, 1).weight: PARAMETER
    """)
    )


def test_autograd_grad() -> None:
    check_kinds(
        facts("""
        import torch
        def f(y: torch.Tensor, x: torch.Tensor):
            (g,) = torch.autograd.grad(y, x)
            g                                                            # g: TENSOR
            torch.autograd.grad(y, [x, x], allow_unused=True)[1]         # torch.autograd.grad(y, [x, x], allow_unused=True)[1]: TENSOR?
    """)
    )


def test_data_sets_and_transforms() -> None:
    check_kinds(
        facts("""
        import torchvision
        from torchvision import transforms, datasets
        from torch.utils.data import DataLoader, random_split
        to_tensor = transforms.Compose([transforms.Resize(3), transforms.ToTensor(), transforms.Lambda(lambda x: x.mul(255))])  # x: TENSOR
        images = datasets.MNIST("d", transform=to_tensor)
        image, label = images[0]
        image, label                            # image: TENSOR; label: NUMBER
        raw, _ = datasets.MNIST("d")[0]
        raw                                     # raw: UNKNOWN
        train, test = random_split(images, [1, 2])
        for x, y in DataLoader(test, 4):
            x, y                                # x: TENSOR; y: TENSOR
        for batch in DataLoader(unknown_data):
            batch                               # batch: UNKNOWN
        net = torchvision.models.resnet18()
        net                                     # net: MODULE
        net.fc.in_features                      # net.fc.in_features: NUMBER~
    """)
    )


def test_closures_and_globals() -> None:
    check_kinds(
        facts("""
        import torch
        def outer(x: torch.Tensor):
            y = x * 2
            def inner():
                return y.sum()        # y: TENSOR
            y = x * 3
            return inner()            # inner(): TENSOR
        def mixed(x: torch.Tensor):
            y = x
            def inner():
                return y              # y: UNKNOWN
            y = "text"
            return inner()
        w = torch.ones(3)
        def reads():
            return w                  # w: TENSOR
        def writes():
            global v
            v = torch.ones(3)
        v = None
        def reads_v():
            return v                  # v: TENSOR?
    """)
    )


def test_code_that_is_never_reached_is_unknown() -> None:
    check_kinds(
        facts("""
        import torch
        def f():
            return torch.ones(3)      # torch.ones(3): TENSOR
            torch.zeros(3)            # torch.zeros(3): UNKNOWN
    """)
    )


def test_computed_names() -> None:
    check_kinds(
        facts("""
        import torch.optim as optim, torchvision.models as models, torch.nn.functional as F, mylib
        def f(net, name, x):
            getattr(optim, name)(net.parameters())     # getattr(optim, name)(net.parameters()): OPTIMIZER
            models.__dict__[name]()                    # models.__dict__[name](): MODULE
            getattr(F, name)(x)                        # getattr(F, name)(x): TENSOR
            getattr(mylib, name)(x)                    # getattr(mylib, name)(x): UNKNOWN
            getattr(net, name)                         # getattr(net, name): UNKNOWN
        kind = optim.SGD if f else optim.Adam
        kind([])                                       # kind([]): OPTIMIZER
    """)
    )


def test_match_and_walrus_and_with() -> None:
    check_kinds(
        facts("""
        import torch
        def f(x: torch.Tensor):
            if (y := x.sum()) > 0:
                y                        # y: TENSOR
            match x:
                case z:
                    z                    # z: TENSOR
            with open("f") as g, torch.no_grad():
                g                        # g: OTHER
    """)
    )
