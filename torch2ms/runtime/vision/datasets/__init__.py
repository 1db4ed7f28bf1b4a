"""`torchvision.datasets`: readers for files on disk. Nothing is downloaded."""

from __future__ import annotations

from ._base import VisionDataset
from .binary import STL10, SVHN
from .cifar import CIFAR10, CIFAR100
from .fake import FakeData
from .folder import DatasetFolder, ImageFolder
from .mnist import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "DatasetFolder",
    "EMNIST",
    "FakeData",
    "FashionMNIST",
    "ImageFolder",
    "KMNIST",
    "MNIST",
    "QMNIST",
    "STL10",
    "SVHN",
    "VisionDataset",
]
