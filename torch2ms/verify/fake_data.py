"""Synthetic stand-ins for data sets that would have to be downloaded; the same arrays in both frameworks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SAMPLES = 200


@dataclass(frozen=True, slots=True)
class ImageSet:
    """The shape of one data set: image size, number of classes, PIL mode."""

    name: str
    size: tuple[int, int]
    classes: int
    mode: str


IMAGE_SETS = (
    ImageSet("MNIST", (28, 28), 10, "L"),
    ImageSet("FashionMNIST", (28, 28), 10, "L"),
    ImageSet("KMNIST", (28, 28), 10, "L"),
    ImageSet("CIFAR10", (32, 32), 10, "RGB"),
    ImageSet("CIFAR100", (32, 32), 100, "RGB"),
    ImageSet("SVHN", (32, 32), 10, "RGB"),
    ImageSet("STL10", (96, 96), 10, "RGB"),
)


def arrays(kind: ImageSet, samples: int = SAMPLES) -> tuple[np.ndarray, np.ndarray]:
    """Images (samples, height, width[, 3]) as uint8 and labels (samples,) as int64, always the same."""
    rng = np.random.RandomState(1)
    shape = (samples, *kind.size) if kind.mode == "L" else (samples, *kind.size, 3)
    return rng.randint(0, 256, shape).astype("uint8"), rng.randint(0, kind.classes, samples).astype("int64")


def make_class(kind: ImageSet, base: type, wrap: Callable[..., Any] | None = None) -> type:
    """A data set class with torchvision's constructor and attributes over the synthetic arrays.

    `wrap` turns an array into the framework's tensor for `data` and `targets` of grey sets, as torchvision does.
    """

    def __init__(self, root=None, train=True, transform=None, target_transform=None, download=False, **options):  # type: ignore[no-untyped-def]
        images, labels = arrays(kind)
        if kind.mode == "L" and wrap is not None:
            self.data, self.targets = wrap(images), wrap(labels)
        else:
            self.data, self.targets = images, [int(label) for label in labels]
        self.root, self.train, self.transform, self.target_transform = root, train, transform, target_transform
        self.train_data = self.test_data = self.data
        self.train_labels = self.test_labels = self.targets

    def __len__(self):  # type: ignore[no-untyped-def]
        return len(self.data)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        from PIL import Image

        image = Image.fromarray(np.asarray(self.data[index])).convert(kind.mode)
        label = int(self.targets[index])
        image = self.transform(image) if self.transform else image
        return image, self.target_transform(label) if self.target_transform else label

    names = [str(i) for i in range(kind.classes)]
    body = {"__init__": __init__, "__len__": __len__, "__getitem__": __getitem__, "classes": names}
    return type(kind.name, (base,), body)


def make_fake_data(base: type, wrap_image: Callable[[np.ndarray], Any]) -> type:
    """torchvision's FakeData with images and labels that depend on the index alone, the same in both frameworks."""

    def __init__(  # type: ignore[no-untyped-def]
        self,
        size=1000,
        image_size=(3, 224, 224),
        num_classes=10,
        transform=None,
        target_transform=None,
        random_offset=0,
    ):
        self.size, self.image_size, self.num_classes = size, image_size, num_classes
        self.transform, self.target_transform, self.random_offset = transform, target_transform, random_offset

    def __len__(self):  # type: ignore[no-untyped-def]
        return self.size

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if index >= self.size:
            raise IndexError(f"{type(self).__name__} index out of range")
        rng = np.random.RandomState(index + self.random_offset)
        image = wrap_image(rng.randint(0, 256, tuple(self.image_size)).astype("uint8"))
        label = int(rng.randint(0, self.num_classes))
        image = self.transform(image) if self.transform else image
        return image, self.target_transform(label) if self.target_transform else label

    return type("FakeData", (base,), {"__init__": __init__, "__len__": __len__, "__getitem__": __getitem__})


def as_picture(pixels: np.ndarray) -> Any:
    """A PIL image of (channels, height, width)."""
    from PIL import Image

    return Image.fromarray(pixels[0] if len(pixels) == 1 else pixels.transpose(1, 2, 0))
