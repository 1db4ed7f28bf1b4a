"""Small training programs, each a step in another spelling; `HEAD` of `head.py` stands before each."""

from __future__ import annotations

# name: (text, the number of backwards of each form)
PROGRAMS: dict[str, tuple[str, dict[str, int]]] = {
    "parallel": (
        """
net = nn.DataParallel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y) + 0.01 * net.module[3].weight.pow(2).sum()
    loss.backward()
    opt.step()
    log.append(loss.item())
net = net.module
""",
        {"lifted": 1},
    ),
    "param_groups_added": (
        """
o = torch.optim.SGD(b.parameters(), lr=0.1)
for e in range(3):
    if e == 1:
        o.add_param_group({"params": a.parameters(), "lr": 0.02})
    for x, y in data:
        o.zero_grad()
        loss = F.cross_entropy(b(a(x)), y)
        loss.backward()
        o.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "pgd": (
        """
def attack(m, x, y):
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        loss = F.cross_entropy(m(x + delta), y)
        loss.backward()
        delta.data = (delta + 0.05 * delta.grad.detach().sign()).clamp(-0.1, 0.1)
        delta.grad.zero_()
    return delta.detach()
for x, y in data:
    d = attack(net, x, y)
    opt.zero_grad()
    loss = F.cross_entropy(net(x + d), y)
    loss.backward()
    opt.step()
    log.append(loss.item())
""",
        {"lifted": 2},
    ),
    "sam": (
        """
for x, y in data:
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    with torch.no_grad():
        norm = torch.norm(torch.stack([p.grad.norm(2) for p in net.parameters()]), 2)
        moved = []
        for p in net.parameters():
            e = p.grad * (0.05 / (norm + 1e-12))
            p.add_(e)
            moved.append(e)
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), moved):
            p.sub_(e)
    opt.step()
    opt.zero_grad()
    log.append(loss.item())
""",
        {"closure": 2},
    ),
    "sample_loop": (
        """
for x, y in data:
    opt.zero_grad()
    for s in range(3):
        loss = F.cross_entropy(net(x + s), y)
        loss.backward(retain_graph=s < 2)
    opt.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "scaler": (
        """
scaler = torch.cuda.amp.GradScaler(enabled=False)
for i, (x, y) in enumerate(data * 2):
    with torch.cuda.amp.autocast(enabled=False):
        out = net(x)
        loss = F.cross_entropy(out, y) / 2
    scaler.scale(loss).backward()
    if i % 2:
        scaler.unscale_(opt)
        n = torch.nn.utils.clip_grad_norm_(net.parameters(), 0.3)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
        log.append(n.item())
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "step_before_backward": (
        """
for x, y in data * 2:
    opt.step()
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "step_ret_closure_default": (
        """
def closure(x=data[0][0], y=data[0][1]):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    return loss
for _ in range(4):
    log.append(float(opt.step(closure)))
""",
        {"closure": 1},
    ),
    "subset_clip_then_all": (
        """
o = torch.optim.Adam([{"params": a.parameters()}, {"params": b.parameters(), "lr": 0.05}], lr=0.01, eps=1e-3)
for x, y in data:
    o.zero_grad()
    loss = F.cross_entropy(b(a(x)), y)
    loss.backward()
    nn.utils.clip_grad_norm_(a.parameters(), 0.05)
    nn.utils.clip_grad_value_(b.parameters(), 0.02)
    o.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "try_finally": (
        """
for x, y in data:
    try:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
    finally:
        opt.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "two_steps_one_backward": (
        """
o2 = torch.optim.SGD(net.parameters(), lr=0.01)
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    o2.step()
    opt.step()
    log.append(loss.item())
""",
        {"lifted": 1},
    ),
    "warm_start": (
        """
x, y = data[0]
loss = F.cross_entropy(net(x), y)
loss.backward()
for x, y in data:
    opt.step()
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    log.append(loss.item())
opt.step()
""",
        {"closure": 2},
    ),
    "while_true_break_mid": (
        """
it = iter(data)
while True:
    batch = next(it, None)
    if batch is None:
        break
    x, y = batch
    opt.zero_grad()
    out = net(x)
    if out.abs().max().item() > 50:
        break
    loss = F.cross_entropy(out, y)
    loss.backward()
    opt.step()
    log.append(loss.item())
""",
        {"tape": 1},
    ),
    "zero_between_two": (
        """
for x, y in data:
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    g = [p.grad.detach().clone() for p in net.parameters()]
    opt.zero_grad()
    loss2 = net(x * 2).pow(2).mean()
    loss2.backward()
    dot = sum((u * p.grad).sum() for u, p in zip(g, net.parameters()))
    log.append(dot.item())
    opt.step()
    opt.zero_grad()
""",
        {"closure": 2},
    ),
    "zero_helper_args": (
        """
def reset(*opts):
    for o in opts:
        o.zero_grad()
for i, (x, y) in enumerate(data):
    reset(opt)
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "zero_helper_net": (
        """
def clear(model):
    for p in model.parameters():
        p.grad = None
for i, (x, y) in enumerate(data * 2):
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    if i % 2:
        opt.step()
        clear(net)
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "zeros_not_none": (
        """
o = torch.optim.SGD([*a.parameters(), *b.parameters(), *net.parameters()], lr=0.02, momentum=0.9, weight_decay=0.1)
for i, (x, y) in enumerate(data * 2):
    o.zero_grad(set_to_none=False)
    out = b(a(x)) if i % 2 else net(x)
    loss = F.cross_entropy(out, y)
    loss.backward()
    o.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
    "grad_dict": (
        """
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    grads = {n: p.grad.clone() for n, p in net.named_parameters()}
    opt.zero_grad()
    F.cross_entropy(net(x * 2), y).backward()
    for n, p in net.named_parameters():
        p.grad = 0.5 * (p.grad + grads[n])
    opt.step()
    log.append(loss.item())
""",
        {"closure": 2},
    ),
    "grad_noise": (
        """
for x, y in data:
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p.grad.add_(torch.from_numpy(rng.randn(*p.shape).astype("float32")), alpha=0.01)
    opt.step()
    log.append(loss.item())
""",
        {"closure": 1},
    ),
}
