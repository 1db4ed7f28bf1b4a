"""Random steps on free tensors, on gradients asked for by name, and in closures."""

from __future__ import annotations

from tests.transforms.training.loops.common import Maker, indent


class Free(Maker):
    """Makes the steps that no module, or no backward, holds."""

    def tensors(self) -> list[str]:
        """Free tensors as weights, moved by hand or by an optimizer."""
        made = ["w = array(4, 2).requires_grad_()", "b = torch.zeros(2, requires_grad=True)"]
        body = ["out = x @ w + b", "loss = F.cross_entropy(out, y)"]
        way = self.random.randrange(5)
        if way == 0:
            made.append(f"opt = {self.optimizer('[w, b]')}")
            body = ["opt.zero_grad()", *body, "loss.backward()", "opt.step()"]
        elif way == 1:
            body += [
                "loss.backward()",
                "with torch.no_grad():",
                "    w -= 0.1 * w.grad",
                "    b -= 0.1 * b.grad",
                *self.random.choice(
                    (
                        ["    w.grad = None", "    b.grad = None"],
                        ["    w.grad.zero_()", "    b.grad.zero_()"],
                        ["w.grad.zero_()", "b.grad.zero_()"],
                        [],
                    )
                ),
            ]
        elif way == 2:
            body += [
                "loss.backward()",
                "w.data -= 0.1 * w.grad",
                "b.data.sub_(0.1 * b.grad.data)",
                *self.random.choice(
                    (
                        ["w.grad.data.zero_()", "b.grad.data.zero_()"],
                        ["w.grad = None", "b.grad = None"],
                        [f"if {self.condition()}:", "    w.grad.zero_()", "    b.grad.zero_()"],
                    )
                ),
            ]
        elif way == 3:
            body = [
                "if w.grad is not None:",
                "    w.grad.zero_()",
                "    b.grad.zero_()",
                *body,
                "loss.backward()",
                "with torch.no_grad():",
                "    for p in (w, b):",
                "        p -= 0.1 * p.grad",
            ]
        else:
            body += [
                "loss.backward()",
                "with torch.no_grad():",
                "    for p in [w, b]:",
                "        p -= 0.1 * p.grad",
                self.pick("        p.grad.zero_()", "        p.grad = None"),
            ]
            if self.chance(0.4):
                at = body.index("with torch.no_grad():")
                body = [*body[:at], f"if {self.condition()}:", *indent(body[at:])]
        if self.chance(0.4):
            body.append("log.append(loss.item())")
        loop = ["for epoch in range(2):", f"    for {self.counter}, (x, y) in enumerate(data):", *indent(indent(body))]
        end = "[log, [w.detach().numpy(), b.detach().numpy()]]"
        if self.chance(0.5):
            return [*made, *loop, f"RESULT = {end}"]
        return ["def main():", *indent([*made, *loop, f"return {end}"]), "", "", "RESULT = main()"]

    def asked(self) -> list[str]:
        """torch.autograd.grad, alone or inside a loss."""
        way = self.random.randrange(4)
        made = ["net = settle(Net())"]
        if way == 0:
            body = [
                "loss = F.cross_entropy(net(x), y)",
                "params = [net.body.weight, net.head.weight]",
                "grads = torch.autograd.grad(loss, params)",
                "with torch.no_grad():",
                "    for p, g in zip(params, grads):",
                "        p -= 0.1 * g",
            ]
        elif way == 1:
            made.append(f"opt = {self.optimizer('net.parameters()')}")
            body = [
                "opt.zero_grad()",
                "x = x.clone().requires_grad_()",
                "out = net(x)",
                "slope = torch.autograd.grad(out.sum(), x, create_graph=True)[0]",
                "loss = F.cross_entropy(out, y) + 0.1 * slope.pow(2).sum(1).mean()",
                "loss.backward()",
                "opt.step()",
            ]
        elif way == 2:
            made.append(f"opt = {self.optimizer('net.parameters()')}")
            body = [
                "fast = net.head.weight",
                "h = net.features(x)",
                "inner = F.cross_entropy(F.linear(h, fast), y)",
                "g, = torch.autograd.grad(inner, [fast], create_graph=True)",
                "loss = F.cross_entropy(F.linear(h, fast - 0.5 * g), y)",
                "opt.zero_grad()",
                "loss.backward()",
                "opt.step()",
            ]
        else:
            body = [
                "x = x.clone().requires_grad_(True)",
                "out = net(x)",
                "saliency = torch.autograd.grad(out[:, 0].sum(), x)[0]",
                "loss = saliency.abs().mean()",
            ]
        if self.chance(0.5):
            body.append("log.append(loss.item())")
        loop = ["for epoch in range(2):", f"    for {self.counter}, (x, y) in enumerate(data):", *indent(indent(body))]
        if self.chance(0.5):
            return [*made, *loop, "RESULT = [log, report(net)]"]
        return ["def main():", *indent([*made, *loop, "return [log, report(net)]"]), "", "", "RESULT = main()"]

    def closure(self) -> list[str]:
        """An optimizer that runs a closure."""
        made = [
            "net = settle(Net())",
            "opt = "
            + self.pick(
                "torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=2)",
                "torch.optim.SGD(net.parameters(), lr=0.1)",
                "torch.optim.Adam(net.parameters(), lr=0.02, eps=1e-3)",
            ),
        ]
        inner = [
            "opt.zero_grad()",
            "out = net(x)",
            "loss = F.cross_entropy(out, y)",
            "loss.backward()",
            *(["log.append(loss.item())"] if self.chance(0.3) else []),
            "return loss",
        ]
        use = self.pick("opt.step(closure)", "loss = opt.step(closure)", "log.append(opt.step(closure).item())")
        loop = [
            "for epoch in range(2):",
            f"    for {self.counter}, (x, y) in enumerate(data):",
            *indent(indent(["def closure():", *indent(inner), use])),
        ]
        if self.chance(0.5):
            return [*made, *loop, "RESULT = [log, report(net)]"]
        return ["def main():", *indent([*made, *loop, "return [log, report(net)]"]), "", "", "RESULT = main()"]
