"""Integers that become floats, numbers beside tensors, tensors of one number beside others."""
import numpy as np
import torch

torch.set_default_dtype(torch.float64)
k = torch.tensor([1, 2, 3])
b = torch.tensor([True, False, True])
s = torch.tensor([0.1, 0.2, 0.7], dtype=torch.float32)
x = torch.tensor([0.1, 0.2, 3.7])
one, half = torch.tensor(0.3), torch.tensor(0.3, dtype=torch.float32)
RESULT = [
    k / 2, k / k, 1 / k, k.div(3), torch.div(k, 3), torch.true_divide(k, 3), k // 2, torch.div(k, 2, rounding_mode="floor"), k * 0.1, 0.1 * k, k + 0.1,
    0.1 - k, k ** 0.5, 2.5 ** k, k % 0.3, k > 0.1, k == 2.0, b * 0.1, b + k, b / 3, k.mul(0.1), k.add(0.1), torch.add(k, 0.1), k.pow(0.5), k.clamp(0.1, 2.5),
    torch.sqrt(k), k.sqrt(), torch.exp(k), k.exp(), torch.sin(k), k.sin(), torch.log(k), k.log(), torch.sigmoid(k), k.sigmoid(), torch.tanh(b), torch.erf(k),
    torch.rsqrt(k), k.reciprocal(), torch.atan2(k, k), torch.logit(torch.tensor([0, 1])), torch.logsumexp(k, 0), torch.xlogy(k, k), torch.special.expit(k), torch.lgamma(k),
    torch.where(b, 0.1, 0.2), torch.where(b, k, 0.5), torch.where(b, x, 0.1), torch.where(b, s, 0.1), torch.copysign(k, k), torch.deg2rad(k),
    s * 0.1, 0.1 * s, s + 1, s / 3, s * one, one * s, s + half, s - one, one / s, x * s, x * half, half * x, s * k, k * one, k + half, s.mul(one), torch.add(s, one),
    torch.mul(one, s), s == one, s < one, (x > 0.5).float(), (x > 0.5).float().mean(), x.mean(), x.sum(), k.sum(), k.float().mean(), k.double().mean(), b.sum(), x.std(), x.var(0),
    torch.cat([x, x]), torch.stack([s, s]), torch.from_numpy(np.ones(2, np.float32)), np.float64(0.1) * x, x * np.float64(0.1), x.numpy(), x[0].item(), x.tolist(),
    torch.result_type(k, 0.1), torch.result_type(k, 1j), torch.promote_types(torch.float32, torch.float64), torch.finfo().bits, torch.finfo(torch.float32).bits, 1j * x, k * 1j, s * 1j,
    torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -float("inf"), 0.1])), torch.nan_to_num(x, nan=0.1), torch.diff(x), x.diff(n=2), torch.bincount(k, weights=x), torch.histc(x, 3),
]
for value, other in ((s.clone(), x), (x.clone(), s), (s.clone(), one), (torch.ones(3, dtype=torch.float32), torch.rand(3) * 0)):
    value += other
    value *= 0.1
    value.sub_(other)
    RESULT.append(value)
RESULT = [str(value) if isinstance(value, torch.dtype) else value for value in RESULT]
