"""Random steps of one network and one optimizer: the pieces of a step in random places."""

from __future__ import annotations

import re

from tests.transforms.training.loops.around import Around
from tests.transforms.training.loops.common import indent


class Single(Around):
    """Makes programs of one network."""

    # pieces of a step; NET, OPT, X, Y and LOSS are replaced at the end

    def zero(self, share: float = 0.12) -> list[str]:
        """Drops the gradients."""
        lines = self.random.choice(
            (
                ["OPT.zero_grad()"],
                ["OPT.zero_grad()"],
                ["OPT.zero_grad(set_to_none=True)"],
                ["NET.zero_grad()"],
                ["for p in NET.parameters():", "    p.grad = None"],
                ["for p in NET.parameters():", "    if p.grad is not None:", "        p.grad.zero_()"],
            )
        )
        return self.maybe_if(lines, share)

    def forward(self) -> list[list[str]]:
        """Computes `out` and `loss`, in several statements."""
        way = self.random.randrange(9)
        if way == 0:
            self.helpers += [
                "def compute(model, x, y):",
                "    out = model(x)",
                "    return F.cross_entropy(out, y), out",
                "",
                "",
            ]
            return [["loss, out = compute(NET, X, Y)"]]
        if way == 1:
            self.helpers += ["def objective(model, x, y):", "    return F.cross_entropy(model(x), y)", "", ""]
            return [["loss = objective(NET, X, Y)"], ["out = loss"]]
        if way == 2:
            return [
                ["h = NET.features(X)"],
                ["out = NET.head(h)"],
                ["loss = F.cross_entropy(out, Y)"],
                ["loss = loss + 0.01 * h.pow(2).mean()"],
            ]
        if way == 3:
            lines = [
                "loss = 0",
                "for row, label in ((X[:3], Y[:3]), (X[3:], Y[3:])):",
                "    out = NET(row)",
                "    loss = loss + F.cross_entropy(out, label)",
            ]
            return [lines]
        if way == 4:
            return [
                ["losses = []"],
                ["for k in range(2):", "    out = NET(X * (k + 1))", "    losses.append(F.cross_entropy(out, Y))"],
                [self.pick("loss = sum(losses)", "loss = torch.stack(losses).mean()")],
            ]
        if way == 5:
            return [
                ["out = NET(X)"],
                ["parts = {'ce': F.cross_entropy(out, Y)}"],
                ["parts['reg'] = 0.01 * sum(p.pow(2).sum() for p in NET.parameters())"],
                ["loss = sum(parts.values())"],
            ]
        if way == 6:
            return [
                ["out = NET(X)"],
                ["with torch.no_grad():", "    target = NET.features(X).mean().item()"],
                ["loss = F.cross_entropy(out, Y) * (1 + target)"],
            ]
        if way == 7:
            return [
                ["criterion = nn.CrossEntropyLoss()"],
                ["out = NET(X)"],
                ["loss = criterion(out, Y)"],
                ["penalty = 0"],
                ["for p in NET.parameters():", "    penalty = penalty + p.abs().sum()"],
                ["loss += 0.01 * penalty"],
            ]
        return [["out = NET(X)"], ["loss = F.cross_entropy(out, Y)"]]

    def backward(self) -> list[list[str]]:
        """Goes backward, once or twice."""
        way = self.random.randrange(8)
        if way == 0:
            return [["(loss / 2).backward()"]]
        if way == 1:
            return [["loss.backward(retain_graph=True)"], ["extra = out.pow(2).mean()"], ["extra.backward()"]]
        if way == 2:
            return [["loss.backward()"], ["second = NET(X + 1).pow(2).mean()"], ["second.backward()"]]
        if way == 3:
            return [["loss = loss / 2"], ["loss.backward()"]]
        if way == 4:
            return [["loss.backward(gradient=torch.tensor(0.5))"]]
        return [self.maybe_if(["loss.backward()"], 0.06)]

    def clip(self) -> list[str]:
        """Clips the gradients."""
        return self.random.choice(
            (
                ["nn.utils.clip_grad_norm_(NET.parameters(), 0.3)"],
                ["torch.nn.utils.clip_grad_norm_(NET.parameters(), max_norm=0.3)"],
                ["norm = nn.utils.clip_grad_norm_(NET.parameters(), 0.3)", "log.append(norm.item())"],
                ["nn.utils.clip_grad_value_(NET.parameters(), 0.05)"],
                ["nn.utils.clip_grad_norm_(NET.head.parameters(), 0.1)"],
            )
        )

    def step(self) -> list[list[str]]:
        """Moves the weights."""
        way = self.random.randrange(8)
        if way == 0:
            return [[f"if {self.condition()}:", "    OPT.step()", "    OPT.zero_grad()"]]
        if way == 1:
            return [
                [
                    f"if {self.condition()}:",
                    "    nn.utils.clip_grad_norm_(NET.parameters(), 0.3)",
                    "    OPT.step()",
                    "    OPT.zero_grad()",
                    "    log.append(1)",
                ]
            ]
        if way == 2:
            self.helpers += ["def update(optimizer):", "    optimizer.step()", "    optimizer.zero_grad()", "", ""]
            return [["update(OPT)"]]
        if way == 3:
            return [
                [
                    "with torch.no_grad():",
                    "    for p in NET.parameters():",
                    "        if p.grad is not None:",
                    "            p -= 0.1 * p.grad",
                ]
            ]
        return [self.maybe_if(["OPT.step()"], 0.1)]

    def body(self) -> list[str]:
        """The statements of an iteration: the bare step, with further pieces in random places."""
        pieces = self.forward()
        ready = len(pieces)  # from here on `loss` and `out` exist
        pieces += [*self.backward(), *self.step()]
        if self.chance(0.9):
            pieces.insert(
                self.random.choice((0, 0, ready, len(pieces), self.random.randrange(len(pieces) + 1))), self.zero()
            )
        if self.chance(0.3):
            pieces.insert(self.random.randrange(ready, len(pieces) + 1), self.maybe_if(self.clip()))
        first = (
            next(n for n, piece in enumerate(pieces) if any(line.startswith(("loss = ", "loss, ")) for line in piece))
            + 1
        )
        first = max(
            first,
            next(
                (n for n, piece in enumerate(pieces) if any("out = " in line or "loss, out" in line for line in piece)),
                0,
            )
            + 1,
        )
        for _ in range(self.random.choice((0, 1, 1, 2, 2, 3, 4))):
            pieces.insert(self.random.randrange(first, len(pieces) + 1), self.maybe_if(self.extra(), 0.1))
        return [line for piece in pieces for line in piece]

    def loop(self, body: list[str]) -> list[str]:
        """The loops around the statements of an iteration; X and Y are the batch."""
        c = self.counter
        after = self.random.choice(([], [], ["scheduler.step()"], ["OPT.zero_grad()"], ["log.append(float(total))"]))
        before = self.random.choice(([], [], [], ["OPT.zero_grad()"], ["NET.train()"], ["total = 0.0"]))
        way = self.random.randrange(7)
        if way == 0:
            inner = [f"for {c}, (x, y) in enumerate(data):", *indent(body)]
        elif way == 1:
            inner = [f"for {c} in range(len(data)):", *indent(["x, y = data[" + c + "]", *body])]
        elif way == 2:
            inner = [f"{c} = -1", f"while {c} + 1 < len(data):", *indent([f"{c} += 1", f"x, y = data[{c}]", *body])]
        elif way == 3:
            inner = [
                "it = iter(data)",
                f"for {c} in range(5):",
                *indent(
                    [
                        "try:",
                        "    x, y = next(it)",
                        "except StopIteration:",
                        "    it = iter(data)",
                        "    x, y = next(it)",
                        *body,
                    ]
                ),
            ]
        elif way == 4:
            inner = [f"for {c}, batch in enumerate(data):", *indent(["x, y = batch[0], batch[1]", *body])]
        elif way == 5:
            inner = [
                f"for {c}, batch in enumerate(data):",
                *indent([line.replace("X", "batch[0]").replace("Y", "batch[1]") for line in body]),
            ]
        else:
            inner = [f"{c} = 0", "for x, y in data:", *indent([f"{c} += 1", *body])]
        return ["for epoch in range(2):", *indent([*before, *inner, *after])]

    def program(self) -> str:
        """The text of the whole program."""
        body = self.body()
        loop = self.loop(body)
        setup = ["total, hits, best, history = 0.0, 0, 1e9, []", "ema = copy.deepcopy(NET)"]
        schedule = "scheduler = torch.optim.lr_scheduler." + self.pick(
            "StepLR(OPT, 2, 0.5)", "ExponentialLR(OPT, 0.9)", "CosineAnnealingLR(OPT, 5)"
        )
        make = f"OPT = {self.optimizer('NET.parameters()')}"
        end = ["log.append([float(total), hits])", "log.extend(h.item() for h in history)"]
        way = self.random.randrange(5)
        net, opt = self.pick("net", "model"), self.pick("optimizer", "opt")
        names = {"NET": net, "OPT": opt, "X": "x", "Y": "y"}
        if way == 0:
            main = ["NET = settle(Net())", make, schedule, *setup, *loop, *end, "RESULT = [log, report(NET, ema)]"]
        elif way == 1:
            main = ["def train(NET, data):", *indent([make, schedule, *setup, *loop, *end, "return ema"]), "", ""]
            main += ["NET = settle(Net())", "ema = train(NET, data)", "RESULT = [log, report(NET, ema)]"]
        elif way == 2:
            main = ["def train(NET, OPT, scheduler, data):", *indent([*setup, *loop, *end, "return ema"]), "", ""]
            main += ["NET = settle(Net())", make, schedule, "ema = train(NET, OPT, scheduler, data)"]
            main += ["RESULT = [log, report(NET, ema)]"]
        elif way == 3:
            main = [
                "def main():",
                *indent(["NET = settle(Net())", make, schedule, *setup, *loop, *end, "return [log, report(NET, ema)]"]),
            ]
            main += ["", "", "RESULT = main()"]
        else:
            main = self._trainer(make, schedule, setup, loop, end)
            names |= {"NET": f"self.{net}", "OPT": f"self.{opt}"}
        text = "\n".join([*self.head(), "", "", *self.helpers, *main]) + "\n"
        for name, value in names.items():
            text = _replace(text, name, value)
        return text

    def _trainer(self, make: str, schedule: str, setup: list[str], loop: list[str], end: list[str]) -> list[str]:
        loop = [line.replace("scheduler.", "self.scheduler.") for line in loop]
        lines = ["class Trainer:", "    def __init__(self):"]
        lines += indent(indent(["NET = settle(Net())", make, "self." + schedule]))
        lines += ["", "    def train(self, data):", *indent(indent([*setup, *loop, *end, "return ema"]))]
        return [
            *lines,
            "",
            "",
            "trainer = Trainer()",
            "ema = trainer.train(data)",
            "RESULT = [log, report(trainer.NAME, ema)]",
        ]


def _replace(text: str, name: str, value: str) -> str:
    text = re.sub(rf"\b{name}\b", value, text)
    return text.replace("trainer.NAME", "trainer." + value.removeprefix("self.")) if name == "NET" else text
