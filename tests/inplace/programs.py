"""Random programs that write in place: a kind of view, a kind of write, the mode they run in, and what is read afterwards."""

from __future__ import annotations

import itertools
import random
import re
import textwrap
from dataclasses import dataclass, field

from tests.inplace.vocabulary import HELPERS, NESTING, VIEWS, WRITES

MODES = ("plain", "gradient", "tape")
READS = ("base", "view", "alias", "argument")
# what a program reads, in turn: of 28 programs of a view, a write and a mode 21 read through each
_READ_SETS = [
    *(READS for _ in range(17)),
    *itertools.combinations(READS, 3),
    *(("base", "argument") for _ in range(3)),
    *((r,) for r in ("view", "alias", "argument", "argument")),
]
_READ_SETS = [_READ_SETS[(i * 5) % len(_READ_SETS)] for i in range(len(_READ_SETS))]
_IMPORTS = "import copy\nfrom collections import namedtuple\nfrom dataclasses import dataclass\n\nimport numpy as np\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


@dataclass(frozen=True)
class Program:
    """A text that leaves what it computed in RESULT, and the cells of the matrix that it belongs to."""

    text: str
    mode: str
    pairs: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]

    @property
    def cells(self) -> list[tuple[str, str, str, str]]:
        """(view, write, mode, read) of everything that it tries."""
        return [(view, write, self.mode, read) for view, write in dict.fromkeys(self.pairs) for read in self.reads]


@dataclass
class _Core:
    """The statements that make views and write, and the names to be read."""

    lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)


TRIPLES = tuple(itertools.product(VIEWS, WRITES, MODES))


def program(rng: random.Random, number: int | None = None) -> Program:
    """The `number`-th program of a sweep over the matrix, or one drawn at random."""
    if number is None:
        view, write, mode = rng.choice(TRIPLES)
        reads = rng.choice(_READ_SETS)
    else:
        view, write, mode = TRIPLES[number % len(TRIPLES)]
        reads = _READ_SETS[number // len(TRIPLES) % len(_READ_SETS)]
    core = _core(rng, view, write, reads)
    text = _plain(rng, core, reads) if mode == "plain" else _trained(rng, core, reads, mode)
    helpers = _helpers(text)
    return Program(f"{_IMPORTS}\n\n{helpers}{text}", mode, tuple(core.pairs), tuple(reads))


def _core(rng: random.Random, view: str, write: str, reads: tuple[str, ...]) -> _Core:
    core = _Core()
    if "alias" in reads:
        core.lines.append(rng.choice(["k = h", "k = h", "k = h.view(-1)", "k = h.t()", "k = [h]"]))
        core.names.append("k[0]" if core.lines[-1].endswith("[h]") else "k")
    if rng.random() < 0.2:
        core.lines.append("earlier = h + 1")
        core.names.append("earlier")
    _step(rng, core, view, write, "h")
    if rng.random() < 0.3:
        other = rng.choice(list(VIEWS)), rng.choice(list(WRITES))
        _step(rng, core, *other, rng.choice(["h", "v"]))
    core.names += [name for name, read in (("h", "base"), ("v", "view")) if read in reads]
    if any(line.lstrip().startswith("y = ") for line in core.lines) and ("alias" in reads or rng.random() < 0.5):
        core.names.append("y")
    return core


def _step(rng: random.Random, core: _Core, view: str, write: str, base: str) -> None:
    """A view of `base` bound to v, and a write into it."""
    core.pairs.append((view, write))
    core.lines += _view(rng, view, base)
    template = rng.choice(WRITES[write])
    if rng.random() < 0.1:
        template = "{v} = {v}" if False else template
    text = template.format(v="v", s="s", o="(torch.ones_like(v) * s)", z="torch.zeros_like(v[:1], dtype=torch.long)")
    lines = [part.strip().replace("+", "    ", 1) if part.strip().startswith("+") else part.strip() for part in text.split(";")]
    wrapped = rng.random()
    if wrapped < 0.08:
        lines = ["if flag:", *_indented(lines)]
    elif wrapped < 0.14:
        lines = ["for _ in range(2):", *_indented(lines)]
    elif wrapped < 0.22:
        lines = ["with torch.no_grad():", *_indented(lines)]
    core.lines += lines
    if any(line.strip().startswith("y = ") for line in lines) and lines[0].startswith("if"):
        core.lines.insert(len(core.lines) - len(lines), "y = s")


def _view(rng: random.Random, kind: str, base: str) -> list[str]:
    if kind == "nested":
        lines = []
        names = [base, "a", "v"] if rng.random() < 0.5 else [base, base, base]
        text = base
        count = rng.choice([2, 2, 3])
        for i in range(count):
            shown = rng.choice(VIEWS[rng.choice(NESTING)]).format(h=text)
            if i < count - 1 and names[1] == "a":
                lines.append(f"a{i} = {shown}")
                text = f"a{i}"
            else:
                text = shown
        return [*lines, f"v = {text}"]
    text = rng.choice(VIEWS[kind]).format(h=base)
    parts = [part.strip() for part in text.split(";")]
    if not re.match(r"[\w, *.\[\]\"]+ = ", parts[-1]):
        parts[-1] = f"v = {parts[-1]}"
    return parts


def _plain(rng: random.Random, core: _Core, reads: tuple[str, ...]) -> str:
    """Nothing is differentiated: functions, methods, statements of the module."""
    place = rng.choice(["function", "function", "module", "method"])
    if "argument" in reads:
        place = rng.choice(["function", "function", "method"])
    start = rng.choice(["h = x * 2", "h = x.clone()", "h = torch.zeros(3, 4) + x", "h = x"])
    setup = ["s = x.mean()", "n = 1", "flag = x.shape[0] > 1", *_indices(core)]
    numbers = [_numbers(rng)]
    if place == "module":
        names = list(dict.fromkeys([*core.names, "x"]))
        return _lines([*numbers, start, *setup, *core.lines, f"RESULT = [{', '.join(names)}]"])
    result = f"return {', '.join(core.names)}" if core.names else "return s"
    if "argument" in reads:
        inner = _inner(rng, core, "")
        return _lines(
            [*inner, "", "", "def f(x):", *_indented([start, "result = inner(h, x.mean(), 1, True)", "return h, result"]),
             "", "", *numbers, "found = f(x)", "RESULT = [x, found]"]
        )  # fmt: skip
    if place == "function":
        marked = rng.choice(["", ": torch.Tensor"])
        return _lines([f"def f(x{marked}):", *_indented([start, *setup, *core.lines, result]), "", "", *numbers, "found = f(x)", "RESULT = [found, x]"])
    body = ["class Work:", *_indented(["def run(self, x):", *_indented([start, *setup, *core.lines, result])])]
    return _lines([*body, "", "", *numbers, "found = Work().run(x)", "RESULT = [found, x]"])


def _inner(rng: random.Random, core: _Core, indent: str) -> list[str]:
    """The function whose argument is written through."""
    marked = rng.choice(["", "", ": torch.Tensor"])
    end = [f"return {', '.join(core.names)}"] if core.names else rng.choice([[], ["return s"]])
    return [f"def inner(h{marked}, s, n, flag):", *_indented([*_indices(core), *core.lines, *end])]


def _trained(rng: random.Random, core: _Core, reads: tuple[str, ...], mode: str) -> str:
    """A network is evaluated and trained; the writes stand in its forward, in a function it calls, or in the training loop."""
    place = "inner" if "argument" in reads else rng.choice(["forward", "forward", "loop"])
    setup = ["s = {w}.mean()", "n = 1", "flag = h.shape[0] > 1", *_indices(core)]
    start = rng.choice(["h = x * self.w", "h = x + self.w", "h = torch.tanh(x) * self.w", "h = self.lin(x) * self.w", "h = self.w * 2", "h = self.b + self.w"])
    names = core.names or ["h"]
    before: list[str] = []
    if place == "inner":
        before = [*_inner(rng, core, ""), "", ""]
        forward = [start, "inner(h, self.w.mean(), 1, True)"]
        if {"view", "alias"} & set(reads) or rng.random() < 0.5:
            forward[1] = f"result = {forward[1]}"
        returned = core.names and any("return" in line and "return s" not in line for line in before)
        names = ["h"]
        forward.append("return h")
        if returned and forward[1].startswith("result"):
            forward[-1] = "return h, *result" if before[-3].count(",") else "return h, result"
            names = ["h", *(f"r{i}" for i in range(before[-3].count(",") + 1))]
        work: list[str] = []
    elif place == "forward":
        forward = [start, *(line.format(w="self.w") if line.startswith("s =") else line for line in setup), *core.lines, f"return {', '.join(names)}"]
        work = []
    else:
        forward = [start, "return h"]
        work = ["h = net(x)", *(line.format(w="net.w") if line.startswith("s =") else line for line in setup), *core.lines]
    call = work or [f"{', '.join(f'out{i}' for i in range(len(names)))} = net(x)"]
    outs = names if work else [f"out{i}" for i in range(len(names))]
    loss = "loss = " + " + ".join(f"({name} * {name} * {i + 1}.5).mean()" for i, name in enumerate(outs)) + " + net.w.sum() * 0.01"
    trained = _loop(call, loss) if mode == "gradient" else _taped(call, loss)
    end = [
        _numbers(rng), "net = Net()", "net.eval()", "with torch.no_grad():", "    first = net(x)", "net.train()",
        "losses = train(net, [x, x + 0.5])" if mode == "gradient" else "losses = Agent(net).train([x, x + 0.5])",
        "RESULT = [first, losses, net.w, net.b, net.lin.weight, x]",
    ]  # fmt: skip
    return _lines([*before, *_network(rng, forward), "", "", *trained, "", "", *end])


def _loop(call: list[str], loss: str) -> list[str]:
    step = ["optimizer.zero_grad()", *call, loss, "loss.backward()", "optimizer.step()", "losses.append(loss.item())"]
    return [
        "def train(net, batches):",
        *_indented(["optimizer = torch.optim.SGD(net.parameters(), lr=0.1)", "losses = []", "for x in batches:", *_indented(step), "return losses"]),
    ]


def _taped(call: list[str], loss: str) -> list[str]:
    """Losses are kept on an object across calls, so that only the tape can run them backwards."""
    learn = ["self.optimizer.zero_grad()", "loss = torch.stack(self.saved).sum()", "loss.backward()", "self.optimizer.step()", "self.saved = []", "return loss.item()"]
    act = ["net = self.net", *call, loss, "self.saved.append(loss)"]
    init = ["self.net = net", "self.saved = []", "self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"]
    train = ["for x in batches:", "    self.act(x)", "losses = [self.learn()]", "self.act(batches[0])", "losses.append(self.learn())", "return losses"]
    parts = [("def __init__(self, net):", init), ("def act(self, x):", act), ("def learn(self):", learn), ("def train(self, batches):", train)]
    lines = ["class Agent:"]
    for header, body in parts:
        lines += [*_indented([header, *_indented(body)]), ""]
    return lines[:-1]


def _network(rng: random.Random, forward: list[str]) -> list[str]:
    init = [
        "super().__init__()",
        "self.w = nn.Parameter(torch.tensor(np.linspace(-0.8, 1.1, 12).reshape(3, 4).astype(np.float32)))",
        "self.register_buffer('b', torch.ones(3, 4))",
        "self.lin = nn.Linear(4, 4, bias=False)",
        "nn.init.constant_(self.lin.weight, 0.25)",
    ]
    return ["class Net(nn.Module):", *_indented(["def __init__(self):", *_indented(init), "", "def forward(self, x):", *_indented(forward)])]


def _indices(core: _Core) -> list[str]:
    """The index tensors that the lines use."""
    text = "\n".join(core.lines)
    found = {"idx": "idx = torch.tensor([0, 2])", "zero": "zero = torch.tensor([0])"}
    return [line for name, line in found.items() if re.search(rf"\b{name}\b", text)]


def _numbers(rng: random.Random) -> str:
    low, high = rng.choice([(-2.0, 3.0), (-1.0, 1.5), (0.2, 2.7), (-3.0, 0.4)])
    return f"x = torch.tensor(np.linspace({low}, {high}, 12).reshape(3, 4).astype(np.float32))"


def _helpers(text: str) -> str:
    """The definitions that a text uses, and those they use."""
    used: list[str] = []
    todo = text
    while todo:
        found = [n for n in HELPERS if n not in used and re.search(rf"\b{n}\(", todo)]
        used += found
        todo = "\n".join(HELPERS[n] for n in found)
    return "".join(HELPERS[n] + "\n\n\n" for n in HELPERS if n in used)


def _indented(lines: list[str]) -> list[str]:
    return [textwrap.indent(line, "    ") for line in lines]


def _lines(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
