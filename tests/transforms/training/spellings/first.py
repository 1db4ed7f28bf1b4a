"""Small training programs, each a step in another spelling; `HEAD` of `head.py` stands before each."""

from __future__ import annotations

# name: (text, the number of backwards of each form)
PROGRAMS: dict[str, tuple[str, dict[str, int]]] = {
    "accumulate_across_functions": (
        """
class T:
    def __init__(self, net): self.net, self.o, self.n = net, torch.optim.SGD(net.parameters(), lr=0.1), 0
    def one(self, x, y):
        loss = F.cross_entropy(self.net(x), y)
        loss.backward()
        self.n += 1
        if self.n % 2 == 0: self.flush()
        return loss.item()
    def flush(self):
        self.o.step()
        self.o.zero_grad()
t = T(net)
for x, y in data * 2:
    log.append(t.one(x, y))
""",
        {"closure": 1},
    ),
    "actor_critic": (
        """
actor, critic = a, Net(4, 1)
oa = torch.optim.Adam(actor.parameters(), lr=0.01, eps=1e-3); oc = torch.optim.SGD(critic.parameters(), lr=0.05)
for x, y in data:
    value = critic(x).squeeze(1)
    target = x.sum(1) + 0.9 * critic(x * 0.5).squeeze(1).detach()
    adv = target - value
    critic_loss = adv.pow(2).mean()
    oc.zero_grad()
    critic_loss.backward()
    oc.step()
    logp = F.log_softmax(actor(x), 1)[:, 0]
    actor_loss = -(logp * adv.detach()).mean() - 0.01 * (logp.exp() * logp).mean()
    oa.zero_grad()
    actor_loss.backward()
    oa.step()
    log.append([critic_loss.item(), actor_loss.item()])
net = critic
""",
        {"closure": 2},
    ),
    "alternate_ab": (
        """
oa = torch.optim.SGD(a.parameters(), lr=0.05); ob = torch.optim.SGD(b.parameters(), lr=0.1)
for i, (x, y) in enumerate(data * 2):
    loss = F.cross_entropy(b(a(x)), y)
    oa.zero_grad(); ob.zero_grad()
    loss.backward()
    (oa if i % 2 else ob).step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "alternate_name": (
        """
oa = torch.optim.SGD(a.parameters(), lr=0.05); ob = torch.optim.SGD(b.parameters(), lr=0.1)
for i, (x, y) in enumerate(data * 2):
    o = oa if i % 2 else ob
    o.zero_grad()
    loss = F.cross_entropy(b(a(x)), y)
    loss.backward()
    o.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "bar": (
        """
class Bar:
    def __init__(self, it): self.it = it; self.seen = []
    def __iter__(self): return iter(self.it)
    def set_postfix(self, **k): self.seen.append(k)
bar = Bar(data)
for x, y in bar:
    out = net(x)
    loss = F.cross_entropy(out, y)
    bar.set_postfix(loss=loss.item(), weight=net[3].weight.sum().item())
    opt.zero_grad()
    loss.backward()
    bar.set_postfix(norm=float(sum(p.grad.norm() for p in net.parameters())))
    opt.step()
log.append([list(k.values()) for k in bar.seen])
""",
        {"closure": 1},
    ),
    "bptt": (
        """
h = torch.zeros(6, 5)
keep = []
for i, (x, y) in enumerate(data * 2):
    h = torch.tanh(net[0](x) + 0.5 * h)
    loss = F.cross_entropy(net[3](h), y)
    keep.append(loss)
    if i % 2 == 1:
        opt.zero_grad()
        sum(keep).backward()
        opt.step()
        log.append(sum(keep).item())
        keep = []
        h = h.detach()
""",
        {"tape": 1},
    ),
    "bptt_total": (
        """
for e in range(2):
    h = torch.zeros(6, 5)
    total = 0
    for x, y in data:
        h = torch.tanh(net[0](x) + 0.5 * h)
        total = total + F.cross_entropy(net[3](h), y)
    opt.zero_grad()
    total.backward()
    opt.step()
    log.append(total.item())
""",
        {"lifted": 1},
    ),
    "buffer_momentum_teacher_forward": (
        """
key = copy.deepcopy(net)
queue = array(2, 8)
for x, y in data:
    q = net(x)
    with torch.no_grad():
        for pq, pk in zip(net.parameters(), key.parameters()):
            pk.data = pk.data * 0.9 + pq.data * 0.1
        k = key(x)
    logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue], 1)
    loss = F.cross_entropy(logits, torch.zeros(6, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue = torch.cat([k.t(), queue], 1)[:, :8]
    log.append(loss.item())
""",
        {"lifted": 1},
    ),
    "combined_loss_two_opts": (
        """
oa = torch.optim.SGD(a.parameters(), lr=0.05); ob = torch.optim.SGD(b.parameters(), lr=0.1)
for x, y in data:
    h = a(x)
    ce = F.cross_entropy(b(h), y)
    reg = h.abs().mean()
    oa.zero_grad(); ob.zero_grad()
    (ce + 0.1 * reg).backward()
    nn.utils.clip_grad_norm_(list(a.parameters()) + list(b.parameters()), 0.5)
    oa.step(); ob.step()
    log.append([ce.item(), reg.item()])
""",
        {"lifted": 1},
    ),
    "comprehension_optimizers": (
        """
opts = {"a": torch.optim.SGD(a.parameters(), lr=0.1), "b": torch.optim.SGD(b.parameters(), lr=0.05)}
for x, y in data:
    [o.zero_grad() for o in opts.values()]
    loss = F.cross_entropy(b(a(x)), y)
    loss.backward()
    [o.step() for o in opts.values()]
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "conditional_loss_terms": (
        """
for i, (x, y) in enumerate(data * 2):
    out = net(x)
    loss = F.cross_entropy(out, y)
    if i % 2:
        aux = b(a(x))
        loss = loss + F.cross_entropy(aux, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.append(loss.item())
""",
        {"lifted": 1},
    ),
    "early_return": (
        """
def train(net, opt, limit):
    for i, (x, y) in enumerate(data * 2):
        loss = F.cross_entropy(net(x), y)
        if i == limit:
            return loss.item()
        loss.backward()
        opt.step()
        opt.zero_grad()
        if loss.item() < 0.1:
            return 0
    return 1
log.append(train(net, opt, 3)); log.append(train(net, opt, 9))
""",
        {"tape": 1},
    ),
    "fgsm": (
        """
for x, y in data:
    x = x.clone()
    x.requires_grad = True
    loss = F.cross_entropy(net(x), y)
    net.zero_grad()
    loss.backward()
    adv = (x + 0.1 * x.grad.sign()).detach()
    opt.zero_grad()
    l2 = F.cross_entropy(net(adv), y)
    l2.backward()
    opt.step()
    log.append([loss.item(), l2.item()])
""",
        {"tape": 2},
    ),
    "gan_leftover": (
        """
G, D = Net(4, 4), Net(4, 1)
oG = torch.optim.SGD(G.parameters(), lr=0.05); oD = torch.optim.SGD(D.parameters(), lr=0.05)
for x, y in data * 2:
    oG.zero_grad()
    fake = G(x)
    g = -D(fake).mean()
    g.backward()
    oG.step()
    d = D(fake.detach()).mean() - D(x).mean()
    d.backward()
    oD.step()
    oD.zero_grad()
    log.append([g.item(), d.item()])
net = G
""",
        {"closure": 2},
    ),
    "gan_no_d_zero": (
        """
G, D = Net(4, 4), Net(4, 1)
oG = torch.optim.SGD(G.parameters(), lr=0.05); oD = torch.optim.SGD(D.parameters(), lr=0.05)
for x, y in data * 2:
    d = D(G(x).detach()).mean() - D(x).mean()
    d.backward()
    oD.step()
    oG.zero_grad()
    g = -D(G(x)).mean()
    g.backward()
    oG.step()
    log.append([g.item(), d.item()])
net = G
""",
        {"closure": 2},
    ),
    "generator_function": (
        """
def train(net, opt):
    for x, y in data:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        yield loss.item()
log.extend(train(net, opt))
""",
        {"lifted": 1},
    ),
    "grad_after_loop": (
        """
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
log.append(net[3].weight.grad.sum().item())
""",
        {"closure": 1},
    ),
}
