"""Well-known uses of Functions, each trained for six steps: the losses and the weights are PyTorch's."""

import pytest

from tests.transforms.function_uses import check_training

pytestmark = pytest.mark.mindspore

MODELS = {
    "sparse attention": """
class EdgeProduct(torch.autograd.Function):
    \"\"\"A sparse matrix, given by the positions and values of its entries, times a dense one.\"\"\"

    @staticmethod
    def forward(ctx, positions, values, shape, dense):
        assert not positions.requires_grad
        matrix = torch.zeros(shape).index_put((positions[0], positions[1]), values)
        ctx.save_for_backward(matrix, dense)
        ctx.nodes = shape[0]
        ctx.positions = positions
        return torch.matmul(matrix, dense)

    @staticmethod
    def backward(ctx, grad_output):
        matrix, dense = ctx.saved_tensors
        grad_values = grad_dense = None
        if ctx.needs_input_grad[1]:
            every = grad_output.matmul(dense.t())
            edge = ctx.positions[0, :] * ctx.nodes + ctx.positions[1, :]
            grad_values = every.reshape(-1)[edge]
        if ctx.needs_input_grad[3]:
            grad_dense = matrix.t().matmul(grad_output)
        return None, grad_values, None, grad_dense


class SparseProduct(nn.Module):
    def forward(self, positions, values, shape, dense):
        return EdgeProduct.apply(positions, values, shape, dense)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.zeros(4, 3))
        self.a = nn.Parameter(torch.zeros(1, 6))
        self.product = SparseProduct()

    def forward(self, x):
        n = x.size(0)
        adjacency = torch.eye(n) + torch.eye(n).roll(1, 0) + torch.eye(n).roll(2, 1)
        edge = adjacency.nonzero().t()
        h = torch.mm(x, self.W)
        pairs = torch.cat((h[edge[0, :], :], h[edge[1, :], :]), dim=1).t()
        weight = torch.exp(-nn.functional.leaky_relu(self.a.mm(pairs).squeeze(), 0.2))
        total = self.product(edge, weight, torch.Size([n, n]), torch.ones(n, 1))
        return self.product(edge, weight, torch.Size([n, n]), h) / total
""",
    "gradient reversal": """
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.strength, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features, self.label, self.domain = nn.Linear(4, 5), nn.Linear(5, 3), nn.Linear(5, 1)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        strength = 2.0 / (1.0 + np.exp(-10.0 * self.calls / 6)) - 1.0
        h = torch.tanh(self.features(x))
        return self.label(h) + 0.5 * torch.sigmoid(self.domain(Reverse.apply(h, float(strength))))
""",
    "surrogate spikes": """
class Spike(torch.autograd.Function):
    scale = 10.0

    @staticmethod
    def forward(ctx, potential):
        ctx.save_for_backward(potential)
        spikes = torch.zeros_like(potential)
        spikes[potential > 0] = 1.0
        return spikes

    @staticmethod
    def backward(ctx, grad_output):
        (potential,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        return grad_input / (Spike.scale * torch.abs(potential) + 1.0) ** 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(4, 5))
        self.readout = nn.Linear(5, 3)
        self.spike = Spike.apply

    def forward(self, x):
        current = x @ self.w
        synapse = membrane = torch.zeros_like(current)
        counts = torch.zeros_like(current)
        for _ in range(4):
            out = self.spike(membrane - 1.0)
            reset = out.detach()
            synapse, membrane = 0.8 * synapse + current, (0.9 * membrane + synapse) * (1.0 - reset)
            counts = counts + out
        return self.readout(counts + membrane)
""",
    "memory-efficient swish": """
class SwishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i * torch.sigmoid(i)
        ctx.save_for_backward(i)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        sigmoid_i = torch.sigmoid(i)
        return grad_output * (sigmoid_i * (1 + i * (1 - sigmoid_i)))


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return SwishFunction.apply(x)


class Net(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 6), MemoryEfficientSwish(), nn.Linear(6, 6), MemoryEfficientSwish(), nn.Linear(6, 3))
""",
    "scripted activation pair": """
def mish_forward(x):
    return x.mul(torch.tanh(nn.functional.softplus(x)))


def mish_backward(x, grad_output):
    x_sigmoid = torch.sigmoid(x)
    x_tanh_sp = nn.functional.softplus(x).tanh()
    return grad_output.mul(x_tanh_sp + x * x_sigmoid * (1 - x_tanh_sp * x_tanh_sp))


class MishFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return mish_forward(x)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0]
        return mish_backward(x, grad_output)


def mish(x, inplace=False):
    return MishFunction.apply(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return mish(self.fc(x))
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_trains_like_pytorch(name):
    check_training(MODELS[name])
