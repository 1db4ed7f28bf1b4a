"""CIFAR-10 and CIFAR-100, read from their Python files. Nothing in the files is executed."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from PIL import Image

from ...serialization import DamagedCheckpoint, read_pickle
from ._base import Function, VisionDataset, missing


class CIFAR10(VisionDataset):
    """32 x 32 colour images of ten classes: PIL images and int labels. `data` is an array (N, 32, 32, 3)."""

    base_folder = "cifar-10-batches-py"
    train_list = [f"data_batch_{i}" for i in range(1, 6)]
    test_list = ["test_batch"]
    meta = "batches.meta"
    names_key, labels_key = "label_names", "labels"
    usual_classes = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

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
        names = self.train_list if train else self.test_list
        batches = [self._load(name, download) for name in names]
        data = np.concatenate([np.asarray(batch["data"], np.uint8) for batch in batches])
        self.data = np.ascontiguousarray(data.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        self.targets: list[int] = [int(label) for batch in batches for label in batch[self.labels_key]]
        self.classes = self._classes(download)
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def _load(self, name: str, download: bool) -> dict[str, Any]:
        folder = os.path.join(str(self.root), self.base_folder)
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            files = ", ".join(self.train_list if self.train else self.test_list)
            raise missing(type(self).__name__, folder, files, download)
        content = read_pickle(path, encoding="latin1")
        if not isinstance(content, dict):
            raise DamagedCheckpoint(f"{path} is no file of {type(self).__name__}")
        # files that were written by other programs have their keys as bytes
        return {key.decode("latin1") if isinstance(key, bytes) else key: value for key, value in content.items()}

    def _classes(self, download: bool) -> list[str]:
        path = os.path.join(str(self.root), self.base_folder, self.meta)
        if not os.path.isfile(path):
            return self.usual_classes or [str(i) for i in range(max(self.targets) + 1)]
        return list(self._load(self.meta, download)[self.names_key])

    # names of older versions
    @property
    def train_data(self) -> np.ndarray:
        """The images."""
        return self.data

    @property
    def train_labels(self) -> list[int]:
        """The labels."""
        return self.targets

    test_data, test_labels = train_data, train_labels

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.finish(Image.fromarray(self.data[index]), self.targets[index])

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Return the part."""
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """32 x 32 colour images of a hundred classes."""

    base_folder = "cifar-100-python"
    train_list = ["train"]
    test_list = ["test"]
    meta = "meta"
    names_key, labels_key = "fine_label_names", "fine_labels"
    usual_classes: list[str] = []
