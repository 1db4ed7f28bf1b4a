"""`torchvision.datasets`: readers for files on disk. Nothing is downloaded."""

from __future__ import annotations

from ._base import VisionDataset
from .binary import STL10, SVHN
from .cifar import CIFAR10, CIFAR100
from .fake import FakeData
from .folder import (
    IMG_EXTENSIONS,
    DatasetFolder,
    ImageFolder,
    default_loader,
    find_classes,
    has_file_allowed_extension,
    is_image_file,
    make_dataset,
    pil_loader,
)
from .mnist import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "DatasetFolder",
    "EMNIST",
    "FakeData",
    "FashionMNIST",
    "IMG_EXTENSIONS",
    "ImageFolder",
    "KMNIST",
    "MNIST",
    "QMNIST",
    "STL10",
    "SVHN",
    "VisionDataset",
    "default_loader",
    "find_classes",
    "has_file_allowed_extension",
    "is_image_file",
    "make_dataset",
    "pil_loader",
]
