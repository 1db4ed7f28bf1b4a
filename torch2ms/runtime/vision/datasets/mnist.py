"""MNIST and the sets of its format (idx files), read from disk."""

from __future__ import annotations

import gzip
import os
from typing import Any

import numpy as np
from mindspore import Tensor
from PIL import Image

from ...data._host import to_array, to_tensor
from ._base import Function, VisionDataset, missing

_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(path: str) -> np.ndarray:
    """Return the array of an idx file, which may be compressed with gzip."""
    with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as file:
        data = file.read()
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in _TYPES:
        raise RuntimeError(f"{path} is no idx file")
    axes = data[3]
    shape = np.frombuffer(data, ">i4", axes, 4).tolist()
    kind = np.dtype(_TYPES[data[2]])
    values = np.frombuffer(data, kind, offset=4 + 4 * axes)
    if values.size != int(np.prod(shape)):
        raise RuntimeError(f"{path} is cut off or damaged")
    return values.reshape(shape).astype(kind.newbyteorder("="))


class MNIST(VisionDataset):
    """28 x 28 grey digits: PIL images and int labels. `data` and `targets` are tensors (uint8, int64)."""

    classes = [f"{i} - {word}" for i, word in enumerate("zero one two three four five six seven eight nine".split())]

    def __init__(
        self,
        root: Any,
        train: bool = True,
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        images, labels = self._files()
        self.data = self._read(images, download)
        self.targets = to_tensor(to_array(self._read(labels, download)).astype(np.int64))

    def _files(self) -> tuple[str, str]:
        part = "train" if self.train else "t10k"
        return f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"

    def _read(self, name: str, download: bool) -> Tensor:
        for folder in (self.raw_folder, str(self.root)):
            for ending in ("", ".gz"):
                path = os.path.join(folder, name + ending)
                if os.path.isfile(path):
                    return to_tensor(read_idx(path))
        raise missing(type(self).__name__, self.raw_folder, ", ".join(self._files()), download)

    @property
    def raw_folder(self) -> str:
        """Where the files lie."""
        return os.path.join(str(self.root), type(self).__name__, "raw")

    @property
    def processed_folder(self) -> str:
        """Where older versions kept their own copy."""
        return os.path.join(str(self.root), type(self).__name__, "processed")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The classes and their numbers."""
        return {name: i for i, name in enumerate(self.classes)}

    # names of older versions
    @property
    def train_data(self) -> Tensor:
        """The images."""
        return self.data

    @property
    def train_labels(self) -> Tensor:
        """The labels."""
        return self.targets

    test_data, test_labels = train_data, train_labels

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = Image.fromarray(to_array(self.data)[index], mode="L")
        return self.finish(image, int(to_array(self.targets)[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Return the part."""
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(MNIST):
    """28 x 28 grey clothes."""

    classes = [
        "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
    ]  # fmt: skip


class KMNIST(MNIST):
    """28 x 28 grey Japanese characters."""

    classes = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


class EMNIST(MNIST):
    """28 x 28 grey letters and digits; `split` is byclass, bymerge, balanced, letters, digits or mnist."""

    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")

    def __init__(self, root: Any, split: str, **kwargs: Any) -> None:
        if split not in self.splits:
            raise ValueError(f"Unknown value {split!r} for argument split. Valid values are {self.splits}")
        self.split = split
        super().__init__(root, **kwargs)
        largest = int(to_array(self.targets).max()) + 1
        self.classes = [str(i) for i in range(largest)]

    def _files(self) -> tuple[str, str]:
        start = f"emnist-{self.split}-{'train' if self.train else 'test'}"
        return f"{start}-images-idx3-ubyte", f"{start}-labels-idx1-ubyte"


class QMNIST(MNIST):
    """MNIST rebuilt, with 60000 test images; the label is the digit (`compat=True`) or the eight numbers of a row."""

    def __init__(self, root: Any, what: str | None = None, compat: bool = True, train: bool = True, **kwargs: Any):
        self.what = what or ("train" if train else "test")
        if self.what not in ("train", "test"):
            raise ValueError("QMNIST is read for what='train' and 'test'")
        self.compat = compat
        super().__init__(root, self.what == "train", **kwargs)

    def _files(self) -> tuple[str, str]:
        return f"qmnist-{self.what}-images-idx3-ubyte", f"qmnist-{self.what}-labels-idx2-int"

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = Image.fromarray(to_array(self.data)[index], mode="L")
        row = to_array(self.targets)[index]
        return self.finish(image, int(row[0]) if self.compat else to_tensor(row))
