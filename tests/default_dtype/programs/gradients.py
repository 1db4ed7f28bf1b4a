"""Gradients by hand, functions of one's own, second derivatives, integers on the way."""
import torch

torch.set_default_dtype(torch.float64)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.k + 0.1 * x, None


w = torch.tensor([0.1, 0.2, 0.7], requires_grad=True)
k = torch.tensor([1, 2, 3])
loss = (Scale.apply(w, 0.3) ** 1.7 * (k / 3) + (w * 0.1 - 0.7).abs() ** 0.9 + torch.where(w > 0.15, w, 0.1) + w.clamp(0.15, 0.3) / k).sum()
loss.backward()
RESULT = [loss.item(), w.grad.clone()]

v = torch.tensor([0.3, 0.4], requires_grad=True)
(g,) = torch.autograd.grad((v ** 3 * 0.1).sum(), v)
RESULT.append(g)

p = torch.tensor([0.1, 0.9], requires_grad=True)
optimizer = torch.optim.SGD([p], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    total = ((p - 0.3) ** 2 * 0.7 + 0.1 * p).sum()
    total.backward()
    optimizer.step()
    with torch.no_grad():
        p.mul_(0.9)
RESULT.append(p.detach())
q, u = torch.tensor([3.7, -2.9, 5.5], requires_grad=True), torch.tensor([0.1, 0.4, -0.7], requires_grad=True)
((q % u) * 0.3 + torch.fmod(q, u) ** 2 + q % 0.1).sum().backward()
RESULT += [q.grad, u.grad]
