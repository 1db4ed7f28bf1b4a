"""Random steps spread over functions and methods, with carried state, free tensors or gradients asked for by name."""

from __future__ import annotations

import re

from tests.transforms.training.loops.common import indent
from tests.transforms.training.loops.free import Free


class Spread(Free):
    """Makes programs of one network whose step has several places."""

    def program(self) -> str:
        """The text of the whole program."""
        make = self.random.choice(
            (self.methods, self.functions, self.recurrent, self.tensors, self.asked, self.closure)
        )
        return "\n".join([*self.head(), "", "", *make()]) + "\n"

    def methods(self) -> list[str]:
        """A class whose methods go forward, backward and step."""
        loss = self.pick(
            "F.cross_entropy(self.out, self.y)", "F.cross_entropy(self.out, self.y) + 0.01 * self.out.pow(2).mean()"
        )
        zero = self.pick("self.opt.zero_grad()", "self.net.zero_grad()", "self.opt.zero_grad(set_to_none=True)")
        forward = ["def forward(self):", "    self.out = self.net(self.x)"]
        compute = ["def compute(self):", f"    self.loss = {loss}"]
        backward = ["def backward(self):", "    self.loss.backward()"]
        if self.chance(0.3):
            compute, backward = [], ["def backward(self):", f"    self.loss = {loss}", "    self.loss.backward()"]
        if self.chance(0.2):
            forward, compute = ["def forward(self):", "    self.out = self.net(self.x)", f"    self.loss = {loss}"], []
        calls = ["self.forward()", *(["self.compute()"] if compute else [])]
        calls.insert(self.random.choice((0, len(calls))), zero)
        calls += ["self.backward()"]
        if self.chance(0.3):
            calls.append("nn.utils.clip_grad_norm_(self.net.parameters(), 0.3)")
        if self.chance(0.25):
            test = re.sub(rf"\b{self.counter}\b", "self.count", self.condition())
            calls += [f"if {test}:", "    self.opt.step()"]
        else:
            calls.append("self.opt.step()")
        if self.chance(0.4):
            calls.append(
                self.pick(
                    "log.append(self.loss.item())",
                    "self.total += self.loss.item()",
                    "log.append(self.out.detach().mean().item())",
                )
            )
        own = [
            forward,
            compute,
            backward,
            ["def optimize(self, x, y):", "    self.x, self.y = x, y", "    self.count += 1", *indent(calls)],
        ]
        self.random.shuffle(own)
        init = [
            "def __init__(self, net):",
            "    self.net = net",
            f"    self.opt = {self.optimizer('net.parameters()')}",
            "    self.count = 0",
            "    self.total = 0.0",
        ]
        lines = ["class Model:", *indent(init)]
        for method in own:
            lines += ["", *indent(method)] if method else []
        return [
            *lines,
            "",
            "",
            "net = settle(Net())",
            "model = Model(net)",
            "for epoch in range(2):",
            "    for x, y in data:",
            "        model.optimize(x, y)",
            "log.append(model.total)",
            "RESULT = [log, report(net)]",
        ]

    def functions(self) -> list[str]:
        """Functions that go backward and step, called from a loop."""
        lines: list[str] = []
        way = self.random.randrange(5)
        body: list[str] = []
        if way == 0:
            lines = [
                "def backprop(net, x, y):",
                "    loss = F.cross_entropy(net(x), y)",
                "    loss.backward()",
                "    return loss",
            ]
            body = ["opt.zero_grad()", "loss = backprop(net, x, y)", "opt.step()"]
        elif way == 1:
            lines = [
                "def train_step(net, opt, x, y):",
                "    opt.zero_grad()",
                "    out = net(x)",
                "    loss = F.cross_entropy(out, y)",
                "    loss.backward()",
                "    opt.step()",
                "    return loss.item(), out",
            ]
            body = ["loss, out = train_step(net, opt, x, y)", "log.append(out.mean().item())"]
        elif way == 2:
            lines = [
                "def loss_of(net, x, y):",
                "    return F.cross_entropy(net(x), y)",
                "",
                "",
                "def apply(opt, loss):",
                "    opt.zero_grad()",
                "    loss.backward()",
                "    opt.step()",
            ]
            body = ["loss = loss_of(net, x, y)", "apply(opt, loss)"]
        elif way == 3:
            lines = [
                "def run(net, x, y, opt=None):",
                "    loss = F.cross_entropy(net(x), y)",
                "    if opt is not None:",
                "        opt.zero_grad()",
                "        loss.backward()",
                "        opt.step()",
                "    return loss.item()",
            ]
            body = ["loss = run(net, x, y, opt)", "with torch.no_grad():", "    log.append(run(net, x, y))"]
        else:
            lines = [
                "def accumulate(net, x, y):",
                "    for part in range(2):",
                "        loss = F.cross_entropy(net(x[part::2]), y[part::2]) / 2",
                "        loss.backward()",
                "    return loss",
                "",
                "",
                "def finish(net, opt):",
                "    nn.utils.clip_grad_norm_(net.parameters(), 0.3)",
                "    opt.step()",
                "    opt.zero_grad()",
            ]
            body = ["loss = accumulate(net, x, y)", "finish(net, opt)"]
        if way in (0, 4) and self.chance(0.3):
            body.insert(1, "nn.utils.clip_grad_norm_(net.parameters(), 0.2)")
        if self.chance(0.4):
            body.append("log.append(float(loss))")
        loop = ["for epoch in range(2):", f"    for {self.counter}, (x, y) in enumerate(data):", *indent(indent(body))]
        made = ["net = settle(Net())", f"opt = {self.optimizer('net.parameters()')}"]
        if self.chance(0.5):
            return [*lines, "", "", *made, *loop, "RESULT = [log, report(net)]"]
        return [
            *lines,
            "",
            "",
            "def main():",
            *indent([*made, *loop, "return [log, report(net)]"]),
            "",
            "",
            "RESULT = main()",
        ]

    def recurrent(self) -> list[str]:
        """State carried from batch to batch, cut or kept for a while."""
        cut = self.pick("h = h.detach()", "h = h.detach()", "h.detach_()", "h = h.data")
        start = ["h = torch.zeros(6, 5)"]
        body = ["h = torch.tanh(net.body(x) + 0.5 * h)", "out = net.head(h)", "loss = F.cross_entropy(out, y)"]
        if self.chance(0.3):
            body = [
                "losses = 0",
                "for t in range(3):",
                "    h = torch.tanh(net.body(x * (t + 1)) + 0.5 * h)",
                "    losses = losses + F.cross_entropy(net.head(h), y)",
                "loss = losses / 3",
            ]
        step = ["opt.zero_grad()", "loss.backward()", "opt.step()"]
        body = [cut, *body, *step] if self.chance(0.5) else [*body, *step, cut]
        if self.chance(0.3):
            body.append("log.append(loss.item())")
        if self.chance(0.3):
            body.append("log.append(h.detach().sum().item())")
        inner = [f"for {self.counter}, (x, y) in enumerate(data):", *indent(body)]
        lines = (
            [*start, "for epoch in range(2):", *indent(inner)]
            if self.chance(0.4)
            else ["for epoch in range(2):", *indent([*start, *inner])]
        )
        made = ["net = settle(Net())", f"opt = {self.optimizer('net.parameters()')}"]
        if self.chance(0.5):
            return [*made, *lines, "RESULT = [log, report(net)]"]
        return ["def main():", *indent([*made, *lines, "return [log, report(net)]"]), "", "", "RESULT = main()"]
