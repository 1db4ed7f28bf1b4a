"""The spellings of programs/digits.py on the tape: their values and their gradients."""
import math

import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_dtype(torch.float64)


def terms(x, y, k):
    m = x > 0.5
    r = 0.1
    return [
        x + r, r - x, x * r, x / 0.3, r / y, y ** 0.7, r ** x, x % 0.3, -x * r + k / 3, x * k, x.add(y, alpha=r), torch.sub(x, y, alpha=0.3), torch.mul(r, x), torch.pow(y, 1.7), x.clamp(-r, 2.1), torch.clamp(x, min=r),
        torch.where(m, x, r), torch.where(m, r, x * r), x.masked_fill(m, r) * y, torch.lerp(x, y, r), torch.addcmul(x, x, y, value=r), torch.addcdiv(x, x, y, value=0.3), F.leaky_relu(x, r), F.elu(x, 0.3), F.elu(x),
        F.selu(x), F.gelu(x), F.softplus(x, 0.3), F.hardtanh(x, -r, 0.3), F.softshrink(x, r), F.silu(x), F.mish(x), F.hardswish(x), F.softmax(x * 0.7, 0), F.log_softmax(x, 0), F.normalize(x, dim=0), F.layer_norm(x, (4,), eps=r),
        torch.fmod(x, 0.3), torch.sqrt(k) * x, torch.diff(x), torch.nan_to_num(x) * r, x.norm(p=3), torch.cumsum(x * r, 0), x.abs() ** 1.5, torch.exp(-0.5 * ((x - r) / 0.7) ** 2) / (0.7 * math.sqrt(2 * math.pi)), (x - x.mean()) / (x.std() + 1e-5),
    ]


x = nn.Parameter(torch.tensor([0.12, -0.7, 2.3, 3.71]))
y = nn.Parameter(torch.tensor([1.1, 0.3, 0.9, 0.4]))
k = torch.tensor([1, 2, 3, 4])
optimizer = torch.optim.SGD([x, y], lr=0.001)
kept = []
RESULT = []


def look():
    kept.append(torch.stack([(term * (i + 0.1)).sum() for i, term in enumerate(terms(x, y, k))]))


def learn():
    loss = sum(values.sum() for values in kept) * 0.01
    optimizer.zero_grad()
    loss.backward()
    RESULT.extend([x.grad.clone(), y.grad.clone()])
    optimizer.step()
    RESULT.extend([values.detach().clone() for values in kept])
    del kept[:]


for step in range(2):
    look()
    look()
    learn()
RESULT += [x.detach().clone(), y.detach().clone()]
