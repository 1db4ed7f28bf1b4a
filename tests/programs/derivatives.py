"""Derivatives of functions: torch.autograd.functional and torch.func, plain and inside a loss."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd.functional import hessian, jacobian
from torch.func import functional_call, grad, vmap

rng = np.random.RandomState(3)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


def settle(module):
    module.load_state_dict({k: array(*v.shape) * 0.4 for k, v in module.state_dict().items()})
    return module


def curve(x):
    return torch.tanh(x * x).sum(1)


def valley(x, y):
    return (x ** 3).sum() + (x * y).pow(2).sum()


RESULT = {}
x, y, v = array(3, 2), array(2), array(2)
RESULT["jacobian"] = jacobian(curve, x)
RESULT["jacobian of two"] = jacobian(lambda a, b: (a * b, a.sum() + b), (y, v))
RESULT["hessian"] = hessian(lambda t: (t ** 3).sum() + (t[0] * t[1]) ** 2, y)
RESULT["hessian of two"] = hessian(valley, (y, v))
RESULT["vjp"] = torch.autograd.functional.vjp(curve, x, array(3))
RESULT["jvp"] = torch.autograd.functional.jvp(curve, x, array(3, 2))
RESULT["hvp"] = torch.autograd.functional.hvp(lambda t: (t ** 4).sum() + torch.sin(t).sum(), y, v)
RESULT["vhp"] = torch.autograd.functional.vhp(lambda t: (t ** 4).sum() + torch.sin(t).sum(), y, v)

# a module whose first call is with other tensors in the place of its parameters
unused = settle(nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)))
others = {k: v.detach() * 2 for k, v in unused.named_parameters()}
RESULT["first call"] = grad(lambda p: functional_call(unused, p, (x,)).sum())(others)

# a penalty on the slope of a network, differentiated again
net = settle(nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []
for _ in range(5):
    opt.zero_grad()
    slopes = jacobian(lambda t: net(t).squeeze(1), x, create_graph=True)
    loss = net(x).pow(2).mean() + 0.1 * slopes.pow(2).sum()
    loss.backward()
    opt.step()
    losses.append(loss.item())
RESULT["slopes"] = [losses, [p.detach() for p in net.parameters()]]

# torch.func
RESULT["grad"] = grad(lambda t: torch.sin(t).sum())(y)
RESULT["grad of grad"] = grad(lambda t: grad(lambda u: (u ** 3).sum())(t).sum())(y)
RESULT["argnums"] = grad(valley, argnums=(0, 1))(y, v)
slope, value = torch.func.grad_and_value(valley)(y, v)
RESULT["grad and value"] = [slope, value]
RESULT["aux"] = grad(lambda t: ((t ** 2).sum(), t + 1), has_aux=True)(y)
out, pull = torch.func.vjp(curve, x)
RESULT["func vjp"] = [out, pull(torch.ones(3))]
RESULT["func jvp"] = torch.func.jvp(curve, (x,), (torch.ones(3, 2),))
RESULT["jacrev"] = torch.func.jacrev(curve)(x)
RESULT["jacfwd"] = torch.func.jacfwd(lambda t: t ** 3)(y)
RESULT["func hessian"] = torch.func.hessian(lambda t: (t ** 4).sum() + (t[0] * t[1]) ** 2)(y)
RESULT["vmap"] = vmap(lambda row: row * row.sum())(x)
RESULT["vmap of two"] = vmap(torch.dot, in_dims=(0, None))(x, y)
RESULT["out dims"] = vmap(lambda c: torch.outer(c, c), in_dims=1, out_dims=2)(x)

params = {k: p.detach() for k, p in net.named_parameters()}
RESULT["called"] = functional_call(net, params, (x,))


def sample_loss(weights, row, target):
    return F.mse_loss(functional_call(net, weights, (row.unsqueeze(0),)), target.unsqueeze(0))


targets = array(3, 1)
RESULT["per sample"] = list(vmap(grad(sample_loss), in_dims=(None, 0, 0))(params, x, targets).values())
