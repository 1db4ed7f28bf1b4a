"""Small training programs, each a step in another spelling; `HEAD` of `head.py` stands before each."""

from __future__ import annotations

# name: (text, the number of backwards of each form)
PROGRAMS: dict[str, tuple[str, dict[str, int]]] = {
    "leaf_in_tuple": (
        """
for x, y in data:
    pair = (x, torch.zeros(6, 4, requires_grad=True))
    opt.zero_grad()
    loss = F.cross_entropy(net(pair[0] + pair[1]), y)
    loss.backward()
    opt.step()
    log.append([loss.item(), pair[1].grad.clone()])
""",
        {"tape": 1},
    ),
    "leaf_in_list": (
        """
def shifted(x, y):
    shifts = [torch.zeros(6, 4, requires_grad=True) for _ in range(2)]
    loss = F.cross_entropy(net(x + x * shifts[0] + 2 * shifts[1]), y)
    loss.backward()
    return [s.grad for s in shifts]
for x, y in data:
    log.append(shifted(x, y))
""",
        {"tape": 1},
    ),
    "two_leaves": (
        """
for x, y in data:
    u, v = torch.zeros(6, 4, requires_grad=True), torch.ones(6, 4, requires_grad=True)
    opt.zero_grad()
    loss = F.cross_entropy(net(x + u * v), y)
    loss.backward()
    opt.step()
    log.append([loss.item(), u.grad.clone(), v.grad.clone()])
""",
        {"tape": 1},
    ),
    "variable_cuts_the_graph": (
        """
from torch.autograd import Variable
def onwards(hidden, y):
    return F.cross_entropy(b(Variable(hidden)), y)
params = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for x, y in data:
    hidden = a(x)
    loss = onwards(hidden, y) + 0.1 * hidden.pow(2).mean()
    params.zero_grad()
    loss.backward()
    params.step()
    log.append(loss.item())
""",
        {"lifted": 1},
    ),
    "constructor_keeps_the_graph": (
        """
Kept = torch.Tensor if len(data) > 2 else torch.FloatTensor
params = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for x, y in data:
    hidden = a(x)
    kept, more = Kept(hidden), torch.FloatTensor(hidden)
    loss = F.cross_entropy(b(kept), y) + 0.1 * (hidden * more).mean() + Kept(np.ones(3)).sum()
    params.zero_grad()
    loss.backward()
    params.step()
    log.append([loss.item(), torch.ones(2).double().type(Kept), torch.stack(list(map(torch.Tensor, [[1, 2], [3, 4]])))])
""",
        {"lifted": 1},
    ),
}
