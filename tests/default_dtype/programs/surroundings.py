"""Data, distributions, initial values and files in a program of float64."""
import os
import tempfile

import numpy as np
import torch
from torch import nn
from torch.distributions import Bernoulli, Beta, Categorical, Normal, Uniform
from torch.utils.data import DataLoader, Dataset, TensorDataset

torch.set_default_dtype(torch.float64)
RESULT = []


class Numbers(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, i):
        x = torch.tensor([0.1 * i, 1.0]) * 0.3
        return x, torch.zeros(2) + i / 3, 0.1 * i, i, np.float32(i), torch.tensor([i]) / 3, torch.full((1,), 0.1), torch.arange(0, 1, 0.5)


if __name__ != "__mp_main__":
    for workers in (0, 2):
        for batch in DataLoader(Numbers(), batch_size=2, num_workers=workers):
            RESULT.append(list(batch))
    for (x,) in DataLoader(TensorDataset(torch.arange(4) * 0.1), batch_size=3):
        RESULT.append(x)

    torch.manual_seed(0)
    for d in (Normal(0.1, 0.7), Uniform(0.0, 0.3), Bernoulli(0.3), Bernoulli(logits=0.1), Normal(torch.tensor([0.1]), 1)):
        sample = d.sample((3,))
        RESULT += [sample, d.log_prob(torch.full((2,), 0.2) if not isinstance(d, Bernoulli) else torch.ones(2)), d.mean, d.entropy()]
    RESULT += [Normal(0.1, 0.7).sample((3,)), Normal(0.0, 1.0).rsample((2,)), Categorical(torch.tensor([0.1, 0.9])).log_prob(torch.tensor(1)), torch.distributions.kl_divergence(Normal(0.1, 0.7), Normal(0.3, 0.9))]

    w = torch.empty(4, 3)
    for init in (nn.init.uniform_, nn.init.normal_, nn.init.xavier_uniform_, nn.init.xavier_normal_, nn.init.kaiming_uniform_, nn.init.kaiming_normal_, nn.init.orthogonal_, nn.init.trunc_normal_):
        torch.manual_seed(3)
        RESULT.append(init(w).clone())
    nn.init.constant_(w, 0.1)
    RESULT += [w.clone(), torch.empty(3).uniform_(0.1, 0.3), torch.empty(3).normal_(0.1, 0.3)]

    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.PReLU(), nn.Embedding(3, 2))
    path = os.path.join(tempfile.mkdtemp(), "net.pth")
    torch.save(net.state_dict(), path)
    loaded = torch.load(path)
    RESULT += [[str(v.dtype) for v in loaded.values()], net.load_state_dict(loaded) is not None]
    RESULT += [nn.Transformer.generate_square_subsequent_mask(2), nn.GRU(2, 3)(torch.ones(1, 1, 2))[0], nn.LSTM(2, 3)(torch.ones(1, 1, 2))[0], nn.MultiheadAttention(2, 1)(*[torch.ones(1, 1, 2)] * 3)[0]]
    single = nn.Linear(2, 2).float()
    RESULT += [str(single.weight.dtype), str(nn.Linear(2, 2, dtype=torch.float32).weight.dtype), str(nn.Linear(2, 2).half().weight.dtype), nn.LazyLinear(2)(torch.ones(1, 3))]
    RESULT.append(Beta(0.5, 0.7).sample((2,)).dtype == torch.float64)
