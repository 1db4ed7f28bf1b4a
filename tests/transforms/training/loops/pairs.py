"""Random steps of two networks with an optimizer each: adversarial training, in many orders."""

from __future__ import annotations

from tests.transforms.training.loops.common import Maker, indent


class Pair(Maker):
    """Makes programs of a generator `G` and a critic `D`."""

    def zero(self, which: str) -> list[str]:
        """Drops the gradients of one network, or of both."""
        return [
            self.pick(
                f"opt{which}.zero_grad()",
                f"opt{which}.zero_grad()",
                f"{which}.zero_grad()",
                "optD.zero_grad(); optG.zero_grad()",
            )
        ]

    def criterion(self, out: str, real: bool) -> str:
        """A loss of the critic's output."""
        if self.flavour == 0:
            return f"F.binary_cross_entropy_with_logits({out}, torch.{'ones' if real else 'zeros'}_like({out}))"
        if self.flavour == 1:
            return f"{'-' if real else ''}{out}.mean()"
        return f"F.relu({'1 -' if real else '1 +'} {out}).mean()"

    def critic(self, fresh: bool) -> list[list[str]]:
        """The step of the critic; `fresh`: it makes the fakes itself."""
        pieces = [[self.pick("real = x", "real = x * 1.0")]]
        cut = self.pick("fake.detach()", "fake.detach()", "fake.detach()", "fake")
        if fresh:
            made = self.random.choice(
                (
                    ["fake = G(z)"],
                    ["fake = G(z)"],
                    ["z = array(6, 2)", "fake = G(z)"],
                    ["with torch.no_grad():", "    fake = G(z)"],
                )
            )
            pieces.append(made)
        real, false = (
            [["d_real = D(real)"], [f"errD_real = {self.criterion('d_real', True)}"]],
            [[f"d_fake = D({cut})"], [f"errD_fake = {self.criterion('d_fake', False)}"]],
        )
        way = self.random.randrange(4)
        if way == 0:
            pieces += [
                *real,
                ["errD_real.backward()"],
                *false,
                ["errD_fake.backward()"],
                ["errD = errD_real + errD_fake"],
            ]
        elif way == 1:
            pieces += [*false, *real, ["errD = (errD_real + errD_fake) / 2"], ["errD.backward()"]]
        elif way == 2:
            self.helpers += [
                "def critic_loss(D, real, fake):",
                f"    return {self.criterion('D(real)', True)} + {self.criterion('D(fake)', False)}",
                "",
                "",
            ]
            pieces += [[f"errD = critic_loss(D, real, {cut})"], ["errD.backward()"]]
        else:
            pieces += [*real, *false, ["errD = errD_fake + errD_real"], ["errD.backward()"]]
        if cut == "fake" and not self.chance(0.5):
            pieces = [
                [
                    line.replace("errD.backward()", "errD.backward(retain_graph=True)").replace(
                        "errD_fake.backward()", "errD_fake.backward(retain_graph=True)"
                    )
                    for line in piece
                ]
                for piece in pieces
            ]
        pieces.insert(self.random.choice((0, 0, 0, 1, 2)), self.zero("D"))
        if self.chance(0.15):
            pieces.insert(0, ["for p in D.parameters():", "    p.requires_grad = True"])
        if self.chance(0.2):
            pieces.append(["nn.utils.clip_grad_norm_(D.parameters(), 0.3)"])
        pieces.append(["optD.step()"])
        if self.chance(0.15):
            pieces.append(["for p in D.parameters():", "    p.data.clamp_(-0.4, 0.4)"])
        return pieces

    def generator(self, fresh: bool) -> list[list[str]]:
        """The step of the generator; `fresh`: it makes new fakes."""
        pieces = [["fake = G(z)"]] if fresh else []
        way = self.random.randrange(4)
        if way == 0:
            pieces += [["g_out = D(fake)"], [f"errG = {self.criterion('g_out', True)}"]]
        elif way == 1:
            pieces += [["g_out = D(fake)"], [f"errG = {self.criterion('g_out', True)} + 0.1 * (fake - x).abs().mean()"]]
        elif way == 2:
            self.helpers += [
                "def fool(D, fake):",
                "    out = D(fake)",
                f"    return {self.criterion('out', True)}, out",
                "",
                "",
            ]
            pieces += [["errG, g_out = fool(D, fake)"]]
        else:
            pieces += [
                ["h = D.features(fake)"],
                ["g_out = D.head(h)"],
                [f"errG = {self.criterion('g_out', True)} + h.mean() * 0.1"],
            ]
        pieces += [["errG.backward()"]]
        pieces.insert(self.random.randrange(len(pieces)), self.zero("G"))
        if self.chance(0.15):
            pieces.insert(0, ["for p in D.parameters():", "    p.requires_grad = False"])
            pieces.append(["for p in D.parameters():", "    p.requires_grad = True"])
        if self.chance(0.15):
            pieces.append(["nn.utils.clip_grad_norm_(G.parameters(), 0.3)"])
        pieces.append(["optG.step()"])
        return pieces

    def body(self) -> list[str]:
        """The statements of an iteration."""
        first = self.chance(0.25)  # the generator goes first
        shared = self.chance(0.5)
        if first:
            pieces = [["z = array(6, 2)"], *self.generator(True), *self.critic(not shared)]
        else:
            pieces = [["z = array(6, 2)"], *self.critic(True), *self._sometimes(self.generator(not shared))]
        if self.chance(0.3):
            pieces.append(
                self.random.choice(
                    (
                        ["log.append(errD.item())"],
                        ["total += errD.detach()"],
                        [
                            "log.append([errD.item(), d_real.mean().item()])"
                            if "d_real" in str(pieces)
                            else "log.append(errD.item())"
                        ],
                    )
                )
            )
        if self.chance(0.3):
            pieces.append(["with torch.no_grad():", "    log.append(G(z).mean().item())"])
        if self.chance(0.15):
            pieces.append(
                ["for e, p in zip(ema.parameters(), G.parameters()):", "    e.data.mul_(0.9).add_(p.data, alpha=0.1)"]
            )
        if self.chance(0.2):
            pieces.append(["log.append(fake.detach().sum().item())"])
        return [line for piece in pieces for line in piece]

    def _sometimes(self, pieces: list[list[str]]) -> list[list[str]]:
        if self.chance(0.2):
            return [[f"if {self.condition()}:", *indent([line for piece in pieces for line in piece])]]
        return pieces

    def program(self) -> str:
        """The text of the whole program."""
        self.flavour = self.random.randrange(3)
        body = self.body()
        c = self.counter
        setup = ["total = 0.0", "ema = copy.deepcopy(G)"]
        made = [f"optG = {self.optimizer('G.parameters()')}", f"optD = {self.optimizer('D.parameters()')}"]
        nets = ["G = settle(Net(2, 4))", "D = settle(Net(4, 1))"]
        loop = ["for epoch in range(2):", f"    for {c}, (x, y) in enumerate(data):", *indent(indent(body))]
        end = ["log.append(float(total))"]
        way = self.random.randrange(4)
        if way == 0:
            main = [*nets, *made, *setup, *loop, *end, "RESULT = [log, report(G, D, ema)]"]
        elif way == 1:
            main = ["def train(G, D, optG, optD, data):", *indent([*setup, *loop, *end, "return ema"]), "", ""]
            main += [*nets, *made, "ema = train(G, D, optG, optD, data)", "RESULT = [log, report(G, D, ema)]"]
        elif way == 2:
            main = [
                "def main():",
                *indent([*nets, *made, *setup, *loop, *end, "return [log, report(G, D, ema)]"]),
                "",
                "",
                "RESULT = main()",
            ]
        else:
            held = [
                line.replace("G = ", "self.G = ", 1) if line.startswith("G") else line.replace("D = ", "self.D = ", 1)
                for line in nets
            ]
            own = [
                line.replace("opt", "self.opt", 1).replace("(G.", "(self.G.").replace("(D.", "(self.D.")
                for line in made
            ]
            alias = (
                ["G, D = self.G, self.D", "optG, optD = self.optG, self.optD"]
                if self.chance(0.3)
                else ["G = self.G", "D = self.D", "optG = self.optG", "optD = self.optD"]
            )
            main = ["class Trainer:", "    def __init__(self):", *indent(indent([*held, *own])), ""]
            main += ["    def train(self, data):", *indent(indent([*alias, *setup, *loop, *end, "return ema"])), "", ""]
            main += [
                "trainer = Trainer()",
                "ema = trainer.train(data)",
                "RESULT = [log, report(trainer.G, trainer.D, ema)]",
            ]
        return "\n".join([*self.head(), "", "", *self.helpers, *main]) + "\n"
