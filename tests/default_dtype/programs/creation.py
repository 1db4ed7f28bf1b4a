"""Tensors of the default type, seeded draws among them."""
import numpy as np
import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
g = torch.Generator().manual_seed(5)
n = 3
RESULT = [
    torch.tensor([1.5, 0.1]), torch.tensor(0.1), torch.tensor([1, 2]), torch.tensor([1, 0.1]), torch.tensor([[True], [False]]),
    torch.tensor([0.1 * i for i in range(3)]), torch.tensor((0.1, 2)), torch.tensor(1 + 2j), torch.tensor([np.float32(0.1), np.float32(2)]),
    torch.tensor(np.ones(2, np.float32)), torch.tensor(np.float32(0.5)), torch.tensor(0.1, dtype=torch.float32),
    torch.as_tensor([0.1, 0.2]), torch.as_tensor(3), torch.as_tensor(np.ones(2, np.float32)), torch.asarray([0.1]), torch.scalar_tensor(2),
    torch.zeros(2, 3), torch.zeros((2,), dtype=torch.float32), torch.zeros(n), torch.ones(2), torch.empty(2, 0), torch.eye(3), torch.eye(2, 3),
    torch.full((2,), 0.1), torch.full((2,), 7), torch.full((2,), True), torch.full((2,), 1j), torch.full((2,), torch.tensor(2)),
    torch.linspace(0, 1, 7), torch.linspace(0.0, 1.0, 3, dtype=torch.float32), torch.logspace(0, 1, 4),
    torch.arange(3), torch.arange(0, 1, 0.1), torch.arange(2.5), torch.arange(0.0, 3.0, dtype=torch.float32), torch.arange(n, dtype=torch.float),
    torch.rand(3), torch.rand(2, generator=g), torch.randn(2, 3), torch.randn(n, n), torch.normal(0.1, 2.0, (3,)), torch.normal(torch.zeros(2), 0.3),
    torch.rand(2, dtype=torch.float32), torch.randint(0, 5, (3,)), torch.randperm(4), torch.bernoulli(torch.full((3,), 0.5)),
    torch.rand_like(torch.zeros(2)), torch.randn_like(torch.zeros(2, dtype=torch.float32)), torch.zeros_like(torch.ones(2)), torch.full_like(torch.ones(2), 0.1),
    torch.hann_window(5), torch.hamming_window(4), torch.signal.windows.cosine(5),
    torch.fft.fft(torch.tensor([1, 2, 3])), torch.fft.rfft(torch.tensor([0.1, 0.2])),
    torch.zeros(2).new_zeros(3), torch.zeros(2).new_tensor([0.1]), torch.zeros(2, dtype=torch.float32).new_ones(2), torch.tril_indices(2, 2),
    torch.Tensor([1, 2]), torch.Tensor([0.1]), torch.FloatTensor([0.1]), torch.DoubleTensor([0.1]), torch.LongTensor([1]), torch.Tensor(2, 3).shape,
    str(torch.Tensor(2).dtype), torch.zeros(2).double(), torch.zeros(2).float(), torch.tensor([1, 2]).float(), torch.tensor([1, 2]).to(torch.float),
]
