"""Gradients of gradients in float64."""
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
RESULT = []
for step in range(3):
    x = (torch.rand(5, 3) * 0.7).requires_grad_()
    out = net(x)
    (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    loss = (out ** 2).mean() + 0.1 * ((g.norm(2, dim=1) - 0.3) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    RESULT.append(loss.item())
RESULT += [p.detach().clone() for p in net.parameters()]
