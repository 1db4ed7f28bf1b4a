"""Quantizers, each trained for six steps: the losses and the weights are PyTorch's."""

import pytest

from tests.transforms.function_uses import check_training

pytestmark = pytest.mark.mindspore

MODELS = {
    "straight-through estimator": """
class Binarize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.sign()

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input.abs() > 1] = 0
        return grad_input


binarize = Binarize.apply


class BinaryLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, binarize(self.weight), self.bias)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = BinaryLinear(4, 5), BinaryLinear(5, 3)

    def forward(self, x):
        return self.second(binarize(self.first(x)))
""",
    "uniform quantizer": """
class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bits=4):
        n = 2 ** bits - 1
        low, high = x.min(), x.max()
        scale = (high - low) / n
        return torch.round((x - low) / scale) * scale + low

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.head = nn.Linear(4, 5), nn.Linear(5, 3)

    def forward(self, x):
        h = torch.relu(nn.functional.linear(x, Quantize.apply(self.fc.weight, 3), self.fc.bias))
        return self.head(Quantize.apply(h))
""",
    "learned step size": """
class RoundPass(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, step, low, high):
        ctx.save_for_backward(value, step)
        ctx.other = low, high
        return (value / step).round().clamp(low, high) * step

    @staticmethod
    def backward(ctx, grad_output):
        value, step = ctx.saved_tensors
        low, high = ctx.other
        scaled = value / step
        small, big = (scaled < low).float(), (scaled > high).float()
        middle = 1.0 - small - big
        grad_step = ((small * low + big * high + middle * (scaled.round() - scaled)) * grad_output).sum().unsqueeze(0)
        return middle * grad_output, grad_step, None, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.step = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return nn.functional.linear(x, RoundPass.apply(self.fc.weight, self.step, -4, 3), self.fc.bias)
""",
    "nearest code": """
class Nearest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inputs, codebook):
        with torch.no_grad():
            distances = torch.cdist(inputs, codebook)
            indices = distances.argmin(dim=1)
            ctx.mark_non_differentiable(indices)
            ctx.save_for_backward(indices, codebook)
            return torch.index_select(codebook, 0, indices), indices

    @staticmethod
    def backward(ctx, grad_output, grad_indices):
        grad_inputs = grad_codebook = None
        if ctx.needs_input_grad[0]:
            grad_inputs = grad_output.clone()
        if ctx.needs_input_grad[1]:
            indices, codebook = ctx.saved_tensors
            grad_codebook = torch.zeros_like(codebook)
            grad_codebook.index_add_(0, indices, grad_output)
        return grad_inputs, grad_codebook


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.head = nn.Linear(4, 3), nn.Linear(3, 3)
        self.codes = nn.Parameter(torch.zeros(5, 3))

    def forward(self, x):
        code, _ = Nearest.apply(self.fc(x), self.codes)
        return self.head(code)
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_trains_like_pytorch(name):
    check_training(MODELS[name])
