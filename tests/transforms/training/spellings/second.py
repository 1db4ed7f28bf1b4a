"""Small training programs, each a step in another spelling; `HEAD` of `head.py` stands before each."""

from __future__ import annotations

# name: (text, the number of backwards of each form)
PROGRAMS: dict[str, tuple[str, dict[str, int]]] = {
    "grad_norm_function": (
        """
def grad_norm(model):
    return sum(p.grad.pow(2).sum().item() for p in model.parameters() if p.grad is not None) ** 0.5
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    log.append([loss.item(), grad_norm(net)])
    opt.step()
""",
        {"closure": 1},
    ),
    "grad_scale": (
        """
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    for p in net.parameters():
        p.grad *= 0.5
    for p in net.parameters():
        p.grad.data.clamp_(-0.1, 0.1)
    opt.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "grad_vector": (
        """
for i, (x, y) in enumerate(data):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    flat = torch.cat([p.grad.view(-1) for p in net.parameters()])
    log.append([loss.item(), flat.norm().item()])
    opt.step()
""",
        {"closure": 1},
    ),
    "grads_kept": (
        """
saved = None
for i, (x, y) in enumerate(data):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    if saved is not None:
        for p, g in zip(net.parameters(), saved):
            p.grad = (p.grad + g) / 2
    saved = [p.grad.clone() for p in net.parameters()]
    opt.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "hook": (
        """
seen = []
h = net[3].weight.register_hook(lambda g: g * 0.5)
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    log.append(loss.item())
""",
        {"lifted": 1},
    ),
    "indexed_optimizers": (
        """
opts = [torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.05)]
for x, y in data:
    opts[0].zero_grad(); opts[1].zero_grad()
    loss = F.cross_entropy(b(a(x)), y)
    loss.backward()
    opts[0].step()
    opts[1].step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "inline_if": (
        """
for i, (x, y) in enumerate(data * 2):
    loss = F.cross_entropy(net(x), y)
    loss.backward() if i % 3 else None
    if (i + 1) % 2 == 0: opt.step(); opt.zero_grad()
    log.append(loss.item())
""",
        {"tape": 1},
    ),
    "inner_outer": (
        """
for e in range(2):
    opt.zero_grad()
    total = 0.0
    for x, y in data:
        loss = F.cross_entropy(net(x), y) / len(data)
        total += loss.item()
        loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.2)
    opt.step()
    log.append(total)
""",
        {"closure": 1},
    ),
    "list_of_optimizers": (
        """
opts = [torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.Adam(b.parameters(), lr=0.02, eps=1e-3)]
for x, y in data:
    for o in opts:
        o.zero_grad()
    loss = F.cross_entropy(b(a(x)), y)
    loss.backward()
    for o in opts:
        o.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "loss_dict": (
        """
def losses_of(m, x, y):
    out = m(x)
    return {"ce": F.cross_entropy(out, y), "reg": out.pow(2).mean()}
w = {"ce": 1.0, "reg": 0.1}
for x, y in data:
    d = losses_of(net, x, y)
    total = sum(w[k] * v for k, v in d.items())
    opt.zero_grad()
    total.backward()
    opt.step()
    log.append({k: v.item() for k, v in d.items()})
""",
        {"lifted": 1},
    ),
    "loss_list_attr": (
        """
class Meter:
    def __init__(self): self.values = []
    def update(self, v): self.values.append(v)
m = Meter()
for x, y in data:
    opt.zero_grad()
    out = net(x)
    loss = F.cross_entropy(out, y)
    m.update(loss)
    loss.backward()
    opt.step()
log.append([v.item() for v in m.values])
""",
        {"lifted": 1},
    ),
    "loss_sum_later": (
        """
for e in range(3):
    losses = []
    for x, y in data:
        losses.append(F.cross_entropy(net(x), y))
    total = torch.stack(losses).mean()
    opt.zero_grad()
    total.backward()
    opt.step()
    log.append([l.item() for l in losses])
""",
        {"lifted": 1},
    ),
    "method_step_on_self_opt": (
        """
class Agent:
    def __init__(self):
        self.net = net; self.opt = opt
    def learn(self, x, y):
        loss = F.cross_entropy(self.net(x), y)
        self.minimize(loss)
        return loss.item()
    def minimize(self, loss):
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.4)
        self.opt.step()
g = Agent()
for x, y in data: log.append(g.learn(x, y))
""",
        {"tape": 1},
    ),
    "model_swapped": (
        """
for m in (a, Net(4, 5)):
    o = torch.optim.SGD(m.parameters(), lr=0.1)
    for x, y in data:
        loss = F.cross_entropy(m(x), y)
        loss.backward()
        o.step()
        m.zero_grad()
        log.append(loss.item())
""",
        {"closure": 1},
    ),
    "named_grads_after_step": (
        """
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    log.append({n: p.grad.sum().item() for n, p in net.named_parameters() if p.grad is not None})
""",
        {"closure": 1},
    ),
    "nested_function": (
        """
def run(net, opt):
    def hit(out, y):
        return (out.argmax(1) == y).sum().item()
    total = 0
    def note(value):
        nonlocal total
        total += value
    for x, y in data:
        opt.zero_grad()
        out = net(x)
        note(hit(out, y))
        loss = F.cross_entropy(out, y)
        loss.backward()
        opt.step()
        note(loss.item())
    return total
log.append(run(net, opt))
""",
        {"lifted": 1},
    ),
    "one_leftover": (
        """
oa = torch.optim.SGD(a.parameters(), lr=0.05); ob = torch.optim.SGD(b.parameters(), lr=0.1)
for i, (x, y) in enumerate(data * 2):
    loss = F.cross_entropy(b(a(x)), y)
    oa.zero_grad()
    loss.backward()
    oa.step()
    if i % 3 == 2:
        ob.step()
        ob.zero_grad()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "other_function_reads": (
        """
class Net2(nn.Module):
    def __init__(self):
        super().__init__(); self.f = settle(nn.Linear(4, 2))
    def forward(self, x): return self.f(x)
    def norm(self): return self.f.weight.grad.norm().item()
m = Net2(); o = torch.optim.SGD(m.parameters(), lr=0.1)
for x, y in data:
    o.zero_grad()
    loss = F.cross_entropy(m(x), y)
    loss.backward()
    log.append(m.norm())
    o.step()
""",
        {"closure": 1},
    ),
}
