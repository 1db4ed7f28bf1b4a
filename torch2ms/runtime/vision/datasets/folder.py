"""Data sets in folders, one for each class."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from PIL import Image

from ._base import Function, VisionDataset

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def default_loader(path: str) -> Image.Image:
    """Return an image file as an RGB image."""
    with open(path, "rb") as file:
        return Image.open(file).convert("RGB")


pil_loader = default_loader


def has_file_allowed_extension(filename: str, extensions: str | tuple[str, ...]) -> bool:
    """Tell whether a file name ends in one of the extensions, whatever its case."""
    return filename.lower().endswith(extensions)


def is_image_file(filename: str) -> bool:
    """Tell whether a file name is that of an image."""
    return has_file_allowed_extension(filename, IMG_EXTENSIONS)


def find_classes(directory: Any) -> tuple[list[str], dict[str, int]]:
    """Return the names of the folders in order, and their numbers."""
    classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
    if not classes:
        raise FileNotFoundError(f"Couldn't find any class folder in {directory}.")
    return classes, {name: i for i, name in enumerate(classes)}


def make_dataset(
    directory: Any,
    class_to_idx: dict[str, int] | None = None,
    extensions: str | tuple[str, ...] | None = None,
    is_valid_file: Callable[[str], bool] | None = None,
    allow_empty: bool = False,
) -> list[tuple[str, int]]:
    """Return (file, number of its class) for every file of the class folders, in order."""
    if (extensions is None) == (is_valid_file is None):
        raise ValueError("Both extensions and is_valid_file cannot be None or not None at the same time")
    numbers = class_to_idx if class_to_idx is not None else find_classes(directory)[1]
    if not numbers:
        raise ValueError("'class_to_index' must have at least one entry to collect any samples.")
    wanted = is_valid_file or (lambda path: has_file_allowed_extension(path, extensions or ()))
    samples: list[tuple[str, int]] = []
    for name in sorted(numbers):
        folder = os.path.join(os.path.expanduser(directory), name)
        walk = sorted(os.walk(folder, followlinks=True)) if os.path.isdir(folder) else []
        paths = [os.path.join(place, file) for place, _, files in walk for file in sorted(files)]
        found = [(path, numbers[name]) for path in paths if wanted(path)]
        if not found and not allow_empty:
            raise FileNotFoundError(f"Found no valid file for the classes {name}.")
        samples += found
    return samples


class DatasetFolder(VisionDataset):
    """Samples in a folder for each class, read by `loader`."""

    def __init__(
        self,
        root: Any,
        loader: Function,
        extensions: tuple[str, ...] | None = None,
        transform: Function | None = None,
        target_transform: Function | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.loader = loader
        self.extensions = extensions
        self.samples = self.make_dataset(self.root, self.class_to_idx, extensions, is_valid_file, allow_empty)
        self.targets = [target for _, target in self.samples]

    @staticmethod
    def make_dataset(*args: Any, **kwargs: Any) -> list[tuple[str, int]]:
        """Return the samples: (file, number of its class)."""
        return make_dataset(*args, **kwargs)

    def find_classes(self, directory: Any) -> tuple[list[str], dict[str, int]]:
        """Return the names of the classes and their numbers."""
        return find_classes(directory)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self.finish(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(DatasetFolder):
    """Images in a folder for each class."""

    def __init__(
        self,
        root: Any,
        transform: Function | None = None,
        target_transform: Function | None = None,
        loader: Function = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(root, loader, extensions, transform, target_transform, is_valid_file, allow_empty)
        self.imgs = self.samples
