"""Python's floats beside tensors of float64 keep their digits, in every spelling."""
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
x = torch.tensor([0.1, -0.7, 2.3, 3.7])
y = torch.tensor([1.1, 0.3, 0.9, 0.4])
m = x > 0.5
r = 0.1
RESULT = [
    x + r, r + x, x - r, r - x, x * r, r * x, x / r, r / x, y ** r, r ** x, x // r, x % 0.3, -x * r, x == 3.7, x != 3.7, x >= 3.7, x > 3.7, x <= 0.1, x < 0.1, 3.7 <= x,
    x.add(r), x.sub(r), x.mul(r), x.div(r), y.pow(r), x.add(y, alpha=r), torch.add(x, y, alpha=r), torch.sub(x, y, alpha=r), torch.mul(x, r), torch.div(x, r), torch.pow(y, r), torch.pow(r, x),
    torch.pow(y, 3), torch.remainder(x, 0.3), torch.fmod(x, 0.1), x.fmod(0.3), x % 0.1, x % y, x // y, torch.floor_divide(x, 0.1), torch.div(x, 0.1, rounding_mode='trunc'), torch.div(x, r, rounding_mode='floor'), torch.eq(x, 3.7), x.ge(3.7), torch.rsub(x, r), torch.clamp(x, -r, 2.1), x.clamp(min=r), x.clamp(max=r), x.clip(r, 2.1),
    torch.where(m, x, r), torch.where(m, r, x), x.where(m, torch.tensor(r)), x.masked_fill(m, r), torch.masked_fill(x, m, r), torch.lerp(x, y, r), x.lerp(y, r), torch.lerp(x, y, 0.7),
    torch.addcmul(x, x, y, value=r), x.addcmul(x, y, value=r), torch.addcdiv(x, x, y, value=r), x.addcdiv(x, y, value=r), torch.full_like(x, r), x.index_fill(0, torch.tensor([1]), r),
    x.scatter(0, torch.tensor([1]), r), torch.addmm(x.view(2, 2), x.view(2, 2), y.view(2, 2), beta=r, alpha=0.3), torch.baddbmm(x.view(1, 2, 2), x.view(1, 2, 2), y.view(1, 2, 2), beta=r, alpha=0.3),
    F.leaky_relu(x, r), F.elu(x, 0.3), F.celu(x, 0.3), F.selu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.softplus(x, 0.3), F.hardtanh(x, -r, 0.3), F.softshrink(x, r), F.hardshrink(x, r),
    F.threshold(x, r, 0.3), F.silu(x), F.mish(x), F.logsigmoid(x), F.hardswish(x), F.hardsigmoid(x), F.relu6(x), F.softmax(x, 0), F.log_softmax(x, -1), F.normalize(x, dim=0), F.normalize(x, p=3, dim=0),
    F.layer_norm(x, (4,), eps=0.1), F.cosine_similarity(x, y, dim=0, eps=0.1), F.pairwise_distance(x.view(2, 2), y.view(2, 2), p=3.0), torch.norm(x, 2.5), torch.cdist(x.view(2, 2), y.view(2, 2), p=3.0),
    torch.isclose(x, x + 1e-9), torch.allclose(x, x + 1e-9), F.pad(x, (1, 1), value=r), torch.logaddexp(x, y), torch.nan_to_num(x, r), F.local_response_norm(x.view(1, 4, 1), 2, alpha=0.3, beta=0.7),
]
a = x.clone()
a += r
a *= 0.3
a[0] = r
a[1:] -= r
a[m] = 0.7
a.mul_(0.9).add_(y, alpha=r)
a.addcmul_(x, y, value=0.3)
a.clamp_(-0.9, 2.1)
a.div_(0.7)
RESULT.append(a)
c = torch.zeros(3)
c.fill_(r)
c[1].fill_(0.7)
c[2] = c[1] * r + 0.3
d = x.clone()
d[:2] //= 0.1
d[2:] %= 0.1
RESULT += [d, c, float(c[2]), f"{c[2]:.17f}", c.tolist()]
