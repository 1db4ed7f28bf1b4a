# torch2ms: skip-file
import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    """Points with the side of a plane that they lie on, and a name each."""

    def __init__(self, count):
        numbers = torch.Generator().manual_seed(0)
        self.x = torch.randn(count, 4, generator=numbers)
        self.y = (self.x.sum(1) > 0).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"x": self.x[i] * 2, "y": self.y[i], "name": f"point {i}"}


def loader(count, workers):
    order = torch.Generator().manual_seed(1)
    return DataLoader(Points(count), batch_size=8, shuffle=True, num_workers=workers, generator=order)


def size():
    return 48
