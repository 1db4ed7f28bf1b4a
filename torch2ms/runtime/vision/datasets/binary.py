"""SVHN and STL10, read from their files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from PIL import Image

from ._base import Function, VisionDataset, missing


class SVHN(VisionDataset):
    """32 x 32 house numbers: PIL images and int labels. `data` is an array (N, 3, 32, 32). Needs scipy."""

    files = {"train": "train_32x32.mat", "test": "test_32x32.mat", "extra": "extra_32x32.mat"}

    def __init__(
        self,
        root: Any,
        split: str = "train",
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        if split not in self.files:
            raise ValueError(f"Unknown value {split!r} for argument split. Valid values are {tuple(self.files)}")
        self.split = split
        path = os.path.join(str(self.root), self.files[split])
        if not os.path.isfile(path):
            raise missing("SVHN", str(self.root), self.files[split], download)
        from scipy.io import loadmat

        content = loadmat(path)
        self.data = np.ascontiguousarray(content["X"].transpose(3, 2, 0, 1))
        labels = content["y"].astype(np.int64).reshape(-1)
        # the files call the digit zero ten
        labels[labels == 10] = 0
        self.labels = labels

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = Image.fromarray(np.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self.finish(image, int(self.labels[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Return the part."""
        return f"Split: {self.split}"


class STL10(VisionDataset):
    """96 x 96 colour images of ten classes: PIL images and int labels, -1 for the unlabeled ones."""

    base_folder = "stl10_binary"
    splits = ("train", "train+unlabeled", "unlabeled", "test")

    def __init__(
        self,
        root: Any,
        split: str = "train",
        folds: int | None = None,
        transform: Function | None = None,
        target_transform: Function | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        if split not in self.splits:
            raise ValueError(f"Unknown value {split!r} for argument split. Valid values are {self.splits}")
        self.split, self.folds = split, folds
        parts = [self._load(part, download) for part in split.split("+")]
        self.data = np.concatenate([images for images, _ in parts])
        self.labels = np.concatenate([labels for _, labels in parts])
        if folds is not None:
            self._keep_fold(folds)
        self.classes = self._names()

    def _path(self, name: str) -> str:
        return os.path.join(str(self.root), self.base_folder, name)

    def _load(self, part: str, download: bool) -> tuple[np.ndarray, np.ndarray]:
        path = self._path(f"{part}_X.bin")
        if not os.path.isfile(path):
            raise missing("STL10", os.path.dirname(path), f"{part}_X.bin, {part}_y.bin", download)
        # the files hold columns first
        images = np.fromfile(path, np.uint8).reshape(-1, 3, 96, 96).transpose(0, 1, 3, 2)
        if part == "unlabeled":
            return images, np.full(len(images), -1, np.int64)
        return images, np.fromfile(self._path(f"{part}_y.bin"), np.uint8).astype(np.int64) - 1

    def _keep_fold(self, fold: int) -> None:
        with open(self._path("fold_indices.txt"), encoding="ascii") as file:
            indices = np.array(file.read().splitlines()[fold].split(), np.int64)
        self.data, self.labels = self.data[indices], self.labels[indices]

    def _names(self) -> list[str]:
        path = self._path("class_names.txt")
        if not os.path.isfile(path):
            return []
        with open(path, encoding="ascii") as file:
            return file.read().splitlines()

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = Image.fromarray(np.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self.finish(image, int(self.labels[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        """Return the part."""
        return f"Split: {self.split}"
