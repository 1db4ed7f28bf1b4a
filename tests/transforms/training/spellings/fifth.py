"""More small training programs: gradients that are read where no optimizer of the step uses them, gradients of gradients."""

from __future__ import annotations

# name: (text, the number of backwards of each form)
PROGRAMS: dict[str, tuple[str, dict[str, int]]] = {
    "attack_while_training": (
        """
o = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
noise = torch.zeros(6, 4)
for x, y in data * 2:
    held = noise.clone().requires_grad_()
    loss = F.cross_entropy(net(x + held), y)
    o.zero_grad()
    loss.backward()
    noise += 0.1 * torch.sign(held.grad)
    noise.clamp_(-0.2, 0.2)
    o.step()
    log.append([loss.item(), noise.sum().item()])
""",
        {"closure": 1},
    ),
    "saliency_while_training": (
        """
o = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in data:
    x = x.clone().requires_grad_()
    loss = F.cross_entropy(net(x), y)
    o.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 0.2)
    o.step()
    log.append([loss.item(), x.grad.norm().item()])
""",
        {"tape": 1},
    ),
    "one_by_hand_one_by_optimizer": (
        """
o = torch.optim.SGD(a.parameters(), lr=0.1)
head = Net(5, 2)
for x, y in data:
    loss = F.cross_entropy(head(a(x)), y)
    o.zero_grad()
    loss.backward()
    for p in head.parameters():
        p.data -= 0.1 * p.grad
        p.grad.zero_()
    o.step()
    log.append(loss.item())
net = head
""",
        {"closure": 1},
    ),
    "object_that_reads_gradients": (
        """
class Attack:
    def __init__(self, model):
        self.model, self.kept = model, {}
    def there(self):
        for n, p in self.model.named_parameters():
            if p.requires_grad and "weight" in n:
                self.kept[n] = p.data.clone()
                p.data.add_(0.3 * p.grad / torch.norm(p.grad))
    def back(self):
        for n, p in self.model.named_parameters():
            if n in self.kept:
                p.data = self.kept[n]
        self.kept = {}
o = torch.optim.SGD(net.parameters(), lr=0.1)
attack = Attack(net)
for x, y in data:
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    attack.there()
    again = F.cross_entropy(net(x), y)
    again.backward()
    attack.back()
    o.step()
    net.zero_grad()
    log.append([loss.item(), again.item()])
""",
        {"closure": 2},
    ),
    "gradients_of_the_other_player_are_read_outside": (
        """
class T:
    def __init__(self):
        self.actor, self.critic = a, Net(5, 1)
        self.o = torch.optim.SGD(self.actor.parameters(), lr=0.1)
    def value(self, critic, x): return critic(self.actor(x)).mean()
    def one(self, x):
        loss = -self.value(self.critic, x)
        self.o.zero_grad(); loss.backward(); self.o.step()
        return loss.item()
t = T()
for x, y in data:
    log.append(t.one(x))
log.append([p.grad.sum().item() for p in t.critic.parameters()])
net = t.actor
""",
        {"closure": 1},
    ),
    "pixels_are_put_back_in_range": (
        """
image = torch.autograd.Variable(data[0][0], requires_grad=True)
for step in range(4):
    loss = net(image).norm()
    loss.backward()
    image.data += 0.1 * image.grad.data
    image.data = torch.clamp(image.data, -1, 1)
    image.grad.data.zero_()
    log.append([loss.item(), image.sum().item()])
""",
        {"lifted": 1},
    ),
    "perturbation_put_back_in_range": (
        """
o = torch.optim.SGD(net.parameters(), lr=0.1)
delta = torch.zeros(6, 4)
delta.requires_grad = True
for x, y in data * 2:
    loss = F.cross_entropy(net(x + delta[:6]), y)
    o.zero_grad()
    loss.backward()
    delta.data = torch.clamp(delta + 0.1 * torch.sign(delta.grad.detach()), -0.2, 0.2)
    delta.data[:2] = torch.max(torch.min(1 - x[:2], delta.data[:2]), 0 - x[:2])
    o.step()
    delta.grad.zero_()
    log.append([loss.item(), delta.sum().item()])
""",
        {"tape": 1},
    ),
    "lambda_that_reads_gradients": (
        """
o = torch.optim.SGD(net.parameters(), lr=0.1)
rows = []
hooks = {"after": [lambda: rows.append(net[0].weight.grad.sum().item())]}
for x, y in data:
    loss = F.cross_entropy(net(x), y)
    o.zero_grad()
    loss.backward()
    for hook in hooks["after"]: hook()
    o.step()
    log.append([loss.item(), rows[-1]])
""",
        {"closure": 1},
    ),
    "direction_asked_for_by_a_call": (
        """
o = torch.optim.SGD(net.parameters(), lr=0.1)
def direction(x, y):
    d = torch.cos(x)
    for _ in range(2):
        d.requires_grad_()
        loss = F.cross_entropy(net(x + 0.5 * d), y)
        loss.backward()
        d = d.grad / d.grad.norm()
        net.zero_grad()
    return d
for x, y in data:
    d = direction(x, y)
    loss = F.cross_entropy(net(x + d), y)
    o.zero_grad()
    loss.backward()
    o.step()
    log.append([loss.item(), d.abs().sum().item()])
""",
        {"lifted": 1, "tape": 1},
    ),
    "graph_that_is_asked_again": (
        """
o = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in data:
    losses = torch.stack([F.cross_entropy(net(x), y), net(x).pow(2).mean()])
    o.zero_grad()
    losses.sum().backward(retain_graph=True)
    norms = [torch.autograd.grad(losses[i], net[3].weight, retain_graph=True)[0].norm() for i in range(2)]
    o.step()
    log.append([n.item() for n in norms])
""",
        {"tape": 1},
    ),
    "equation_of_second_order": (
        """
net = nn.Sequential(nn.Linear(1, 5), nn.Tanh(), nn.Linear(5, 1))
net.load_state_dict({k: torch.linspace(-1, 1, v.numel()).view(v.shape) for k, v in net.state_dict().items()})
o = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.linspace(0, 1, 6).view(-1, 1).requires_grad_(True)
for step in range(3):
    o.zero_grad()
    u = net(x)
    du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
    d2u = torch.autograd.grad(du, x, torch.ones_like(du), create_graph=True)[0]
    loss = torch.mean((d2u + 4 * du + u) ** 2)
    loss.backward()
    o.step()
    log.append(loss.item())
""",
        {"lifted": 1, "tape": 1},
    ),
    "two_derivatives_of_one_output": (
        """
class Field(nn.Module):
    def __init__(self): super().__init__(); self.a = nn.Parameter(torch.tensor([0.3, -0.2])); self.k = nn.Parameter(torch.tensor(0.5))
    def forward(self, x, t): return torch.sin(x * self.a[0] + t * self.a[1]) * self.k
    def residual(self, x, t):
        u = self.forward(x, t)
        u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        return u_t - self.k * torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
net = Field()
o = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    x, t = torch.linspace(0, 1, 5).requires_grad_(), torch.linspace(1, 3, 5).requires_grad_()
    o.zero_grad()
    loss = net.residual(x, t).pow(2).mean()
    loss.backward()
    o.step()
    log.append(loss.item())
""",
        {"tape": 1},
    ),
    "optimizer_made_behind_the_loss": (
        """
x, y = data[0]
loss = F.cross_entropy(net(x), y)
o = torch.optim.SGD(net.parameters(), lr=0.1)
loss.backward()
o.step()
log.append(loss.item())
""",
        {"tape": 1},
    ),
    "scores_of_tags": (
        """
w = nn.Parameter(torch.linspace(-1, 1, 16).view(4, 4))
start, tags = {"start": 2}, torch.tensor([1, 3, 0])
o = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    first = torch.full((1, 4), -10.0)
    first[0][start["start"]] = 0.0
    score = w[tags[1], tags[0]] + w[3, tags[2]] * 2 + w[tags[0], tags[1]]
    loss = torch.logsumexp(first + w, 1).sum() - score
    o.zero_grad(); loss.backward(); o.step()
    log.append(loss.item())
""",
        {"lifted": 1},
    ),
}
