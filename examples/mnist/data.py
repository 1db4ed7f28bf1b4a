"""Digits: read from the files of MNIST, or drawn with seven strokes and noise."""
import gzip
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset

# the strokes of each digit on a seven-segment display: top, upper left, upper right, middle, lower left, lower right, bottom
SEGMENTS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]
# row and column where a stroke begins, and its height and width
STROKES = [(4, 9, 2, 10), (5, 8, 8, 2), (5, 18, 8, 2), (13, 9, 2, 10), (14, 8, 8, 2), (14, 18, 8, 2), (22, 9, 2, 10)]
MEAN, STD = 0.1307, 0.3081


def read_idx(path):
    """The array in an IDX file, packed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        data = file.read()
    dimensions = data[3]
    shape = [int.from_bytes(data[4 + 4 * i : 8 + 4 * i], "big") for i in range(dimensions)]
    return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def find(folder, name):
    for path in (Path(folder) / name, Path(folder) / (name + ".gz")):
        if path.exists():
            return path
    raise FileNotFoundError(f"{folder} holds neither {name} nor {name}.gz")


class IdxDigits(Dataset):
    """MNIST as it is published."""

    def __init__(self, folder, train):
        prefix = "train" if train else "t10k"
        self.images = read_idx(find(folder, f"{prefix}-images-idx3-ubyte"))
        self.labels = read_idx(find(folder, f"{prefix}-labels-idx1-ubyte"))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index].astype(np.float32) / 255)
        return ((image - MEAN) / STD).unsqueeze(0), int(self.labels[index])


class DrawnDigits(Dataset):
    """Digits of seven strokes, shifted, of varying weight, under noise."""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 10, count)
        self.images = np.stack([self.draw(label, rng) for label in self.labels])

    @staticmethod
    def draw(label, rng):
        image = np.zeros((28, 28), dtype=np.float32)
        for on, (row, col, height, width) in zip(SEGMENTS[label], STROKES):
            if on == "1":
                image[row : row + height, col : col + width] = rng.uniform(0.5, 1.0)
        shift = rng.integers(-3, 4, 2)
        image = np.roll(image, tuple(shift), axis=(0, 1))
        return np.clip(image + rng.normal(0, 0.25, image.shape), 0, 1).astype(np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index])
        return ((image - MEAN) / STD).unsqueeze(0), int(self.labels[index])
