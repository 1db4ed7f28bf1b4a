"""A model with PyTorch's data pipeline kept as it is."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from torch2ms.runtime import interop


def batches():  # torch2ms: skip
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    x = torch.arange(48.0).reshape(12, 4) / 48
    y = (x.sum(1) > 2).long()
    return DataLoader(TensorDataset(x, y), batch_size=4)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


net = Net()
for i, p in enumerate(net.parameters()):
    nn.init.constant_(p, 0.1 * (i + 1))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
losses = []
for epoch in range(3):
    for x, y in batches():
        x, y = interop.convert_tensor((x, y))
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
RESULT = losses
