"""Readers of image data sets, fed with files written here in the sets' own formats."""

from __future__ import annotations

import gzip
import pickle
import struct
from pathlib import Path
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor
from PIL import Image

from torch2ms.runtime import data, serialization, vision

D = vision.datasets
RNG = np.random.RandomState(1)


def _idx(array: np.ndarray) -> bytes:
    code = {"uint8": 8, "int32": 12}[str(array.dtype)]
    head = struct.pack(">HBB", 0, code, array.ndim) + struct.pack(f">{array.ndim}i", *array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", ["MNIST", "FashionMNIST", "KMNIST"])
@pytest.mark.parametrize("train", [True, False])
def test_mnist(kind: str, train: bool, compressed: bool, tmp_path: Path) -> None:
    images = RNG.randint(0, 256, (5, 28, 28)).astype(np.uint8)
    labels = np.array([3, 1, 4, 1, 5], np.uint8)
    folder = tmp_path / kind / "raw"
    folder.mkdir(parents=True)
    part = "train" if train else "t10k"
    for name, array in ((f"{part}-images-idx3-ubyte", images), (f"{part}-labels-idx1-ubyte", labels)):
        content = _idx(array)
        (folder / (name + ".gz" * compressed)).write_bytes(gzip.compress(content) if compressed else content)
    found = getattr(D, kind)(str(tmp_path), train=train, download=True)
    assert len(found) == 5 and found.data.shape == (5, 28, 28)
    assert found.data.dtype == mindspore.uint8 and found.targets.dtype == mindspore.int64
    image, label = found[2]
    assert image.mode == "L" and type(label) is int and label == 4
    np.testing.assert_array_equal(np.asarray(image), images[2])
    assert len(found.classes) == 10 and found.class_to_idx[found.classes[3]] == 3
    assert found.train_data is found.data and found.test_labels is found.targets
    assert f"Dataset {kind}" in repr(found) and "Number of datapoints: 5" in repr(found)


def test_transforms_of_data_sets(tmp_path: Path) -> None:
    folder = tmp_path / "MNIST" / "raw"
    folder.mkdir(parents=True)
    (folder / "train-images-idx3-ubyte").write_bytes(_idx(RNG.randint(0, 256, (6, 28, 28)).astype(np.uint8)))
    (folder / "train-labels-idx1-ubyte").write_bytes(_idx(np.arange(6, dtype=np.uint8)))
    steps = vision.transforms.Compose([vision.transforms.ToTensor(), vision.transforms.Normalize((0.13,), (0.3,))])
    found = D.MNIST(tmp_path, transform=steps, target_transform=lambda label: label * 10)
    (Tensor([1.0]) + 1).asnumpy()
    for workers in (0, 2):
        loader = data.DataLoader(found, 3, num_workers=workers)
        batches = [(tuple(x.shape), y.asnumpy().tolist()) for x, y in loader]
        assert batches == [((3, 1, 28, 28), [0, 10, 20]), ((3, 1, 28, 28), [30, 40, 50])]
        assert not loader.in_process


@pytest.mark.parametrize("content", [b"", b"\0\0\x08\x03", b"\x1f\x8b", _idx(np.zeros((5, 28, 28), np.uint8))[:-1]])
def test_damaged_idx_files(content: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "MNIST" / "raw"
    folder.mkdir(parents=True)
    (folder / "train-images-idx3-ubyte").write_bytes(content)
    with pytest.raises((RuntimeError, ValueError)):
        D.MNIST(tmp_path)


def test_emnist_and_qmnist(tmp_path: Path) -> None:
    images = RNG.randint(0, 256, (4, 28, 28)).astype(np.uint8)
    for folder in ("EMNIST", "QMNIST"):
        (tmp_path / folder / "raw").mkdir(parents=True)
    raw = tmp_path / "EMNIST" / "raw"
    (raw / "emnist-letters-train-images-idx3-ubyte").write_bytes(_idx(images))
    (raw / "emnist-letters-train-labels-idx1-ubyte").write_bytes(_idx(np.array([1, 26, 3, 4], np.uint8)))
    assert D.EMNIST(tmp_path, "letters")[1][1] == 26
    with pytest.raises(ValueError, match="split"):
        D.EMNIST(tmp_path, "words")
    raw = tmp_path / "QMNIST" / "raw"
    (raw / "qmnist-test-images-idx3-ubyte").write_bytes(_idx(images))
    (raw / "qmnist-test-labels-idx2-int").write_bytes(_idx(np.arange(32, dtype=np.int32).reshape(4, 8)))
    assert D.QMNIST(tmp_path, train=False)[2][1] == 16
    assert D.QMNIST(tmp_path, what="test", compat=False)[2][1].asnumpy().tolist() == list(range(16, 24))


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_cifar(protocol: int, tmp_path: Path) -> None:
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    everything = []
    for i, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        pixels = RNG.randint(0, 256, (2, 3072)).astype(np.uint8)
        everything.append(pixels)
        content: dict[Any, Any] = {"data": pixels, "labels": [i, (i + 1) % 10], "batch_label": name, "filenames": ["a", "b"]}
        if protocol == 2:
            content = {key.encode(): value for key, value in content.items()}
        (folder / name).write_bytes(pickle.dumps(content, protocol))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": [f"class{i}" for i in range(10)]}, protocol))
    train, test = D.CIFAR10(str(tmp_path)), D.CIFAR10(str(tmp_path), train=False)
    assert len(train) == 10 and len(test) == 2 and train.data.shape == (10, 32, 32, 3)
    assert train.targets == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5] and train.classes[3] == "class3"
    image, label = train[3]
    assert label == 2 and image.mode == "RGB"
    np.testing.assert_array_equal(np.asarray(image), everything[1][1].reshape(3, 32, 32).transpose(1, 2, 0))


def test_cifar100_and_files_that_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cifar-100-python"
    folder.mkdir()
    content = {"data": np.zeros((1, 3072), np.uint8), "fine_labels": [42], "coarse_labels": [3]}
    (folder / "train").write_bytes(pickle.dumps(content))
    assert D.CIFAR100(str(tmp_path))[0][1] == 42

    class Runs:
        def __reduce__(self) -> Any:
            import os

            return os.system, ("echo run > marker",)

    monkeypatch.chdir(tmp_path)
    (folder / "train").write_bytes(pickle.dumps({"data": Runs()}))
    with pytest.raises(serialization.UnsafeCheckpoint):
        D.CIFAR100(str(tmp_path))
    assert not (tmp_path / "marker").exists()


def test_svhn_and_stl10(tmp_path: Path) -> None:
    from scipy.io import savemat

    pixels = RNG.randint(0, 256, (32, 32, 3, 4)).astype(np.uint8)
    savemat(tmp_path / "test_32x32.mat", {"X": pixels, "y": np.array([[1], [10], [3], [9]])})
    found = D.SVHN(str(tmp_path), "test")
    assert [found[i][1] for i in range(4)] == [1, 0, 3, 9] and found.data.shape == (4, 3, 32, 32)
    np.testing.assert_array_equal(np.asarray(found[1][0]), pixels[..., 1])
    folder = tmp_path / "stl10_binary"
    folder.mkdir()
    images = RNG.randint(0, 256, (2, 3, 96, 96)).astype(np.uint8)
    images.transpose(0, 1, 3, 2).tofile(folder / "train_X.bin")
    np.array([1, 10], np.uint8).tofile(folder / "train_y.bin")
    images.transpose(0, 1, 3, 2).tofile(folder / "unlabeled_X.bin")
    (folder / "class_names.txt").write_text("airplane\nbird\n")
    (folder / "fold_indices.txt").write_text("0\n1\n")
    found = D.STL10(str(tmp_path))
    assert found[1][1] == 9 and found.classes == ["airplane", "bird"]
    np.testing.assert_array_equal(np.asarray(found[1][0]), images[1].transpose(1, 2, 0))
    assert [label for _, label in D.STL10(str(tmp_path), "train+unlabeled")] == [0, 9, -1, -1]
    assert [label for _, label in D.STL10(str(tmp_path), folds=1)] == [9]


@pytest.mark.parametrize("make", [
    lambda root: D.MNIST(root, download=True), lambda root: D.CIFAR10(root, download=True),
    lambda root: D.SVHN(root, download=True), lambda root: D.STL10(root, download=True),
])  # fmt: skip
def test_missing_files_are_not_fetched(make: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="not found. download=True does not fetch"):
        make(str(tmp_path))


def _folder(root: Path) -> None:
    for name, count in (("cat", 2), ("dog", 3)):
        (root / name / "more").mkdir(parents=True)
        for i in range(count):
            Image.new("L", (4, 3), i * 10).save(root / name / ("more" if i else "") / f"{i}.png")
    (root / "cat" / "notes.txt").write_text("no image")


def test_image_folder(tmp_path: Path) -> None:
    _folder(tmp_path)
    found = D.ImageFolder(str(tmp_path))
    assert found.classes == ["cat", "dog"] and found.class_to_idx == {"cat": 0, "dog": 1}
    assert found.targets == [0, 0, 1, 1, 1] and found.imgs is found.samples
    assert [Path(path).name for path, _ in found.samples] == ["0.png", "1.png", "0.png", "1.png", "2.png"]
    image, label = found[4]
    assert image.mode == "RGB" and image.getpixel((0, 0)) == (20, 20, 20) and label == 1
    only = D.ImageFolder(tmp_path, is_valid_file=lambda path: path.endswith("1.png"))
    assert len(only) == 2
    with pytest.raises(FileNotFoundError, match="bird"):
        (tmp_path / "bird").mkdir()
        D.ImageFolder(tmp_path)
    assert D.ImageFolder(tmp_path, allow_empty=True).classes == ["bird", "cat", "dog"]
    with pytest.raises(FileNotFoundError):
        D.ImageFolder(tmp_path / "cat" / "more")


def test_data_set_folder_with_its_own_reader(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.npy").write_bytes(b"x")
    found = D.DatasetFolder(str(tmp_path), loader=lambda path: Path(path).read_bytes(), extensions=(".npy",))
    assert found[0] == (b"x", 0)


def test_fake_data_is_pytorchs() -> None:
    found = D.FakeData(5, (3, 8, 9), 7, random_offset=2)
    for i in range(5):
        torch.manual_seed(i + 2)
        noise = torch.randn(3, 8, 9)
        label = int(torch.randint(0, 7, (1,)))
        image, target = found[i]
        assert target == label
        np.testing.assert_array_equal(np.asarray(image).transpose(2, 0, 1), noise.mul(255).byte().numpy())
    with pytest.raises(IndexError):
        found[5]


@pytest.mark.parametrize("options", [{}, {"nrow": 3, "padding": 1}, {"pad_value": 0.5}, {"normalize": True},
                                     {"normalize": True, "scale_each": True}, {"normalize": True, "value_range": (-1, 1)}],
                         ids=str)  # fmt: skip
def test_grids(options: dict[str, Any]) -> None:
    images = RNG.randn(7, 3, 5, 6).astype(np.float32)
    grid = vision.utils.make_grid(Tensor(images), **options).asnumpy()
    padding, columns = options.get("padding", 2), options.get("nrow", 8)
    columns = min(columns, 7)
    rows = -(-7 // columns)
    assert grid.shape == (3, rows * (5 + padding) + padding, columns * (6 + padding) + padding)
    assert (grid[:, :padding] == options.get("pad_value", 0.0)).all()
    expected = images
    if "normalize" in options:
        low, high = options.get("value_range", (images.min(), images.max()))
        if "scale_each" in options:
            low, high = images.min((1, 2, 3))[:, None, None, None], images.max((1, 2, 3))[:, None, None, None]
        expected = (np.clip(images, low, high) - low) / (high - low)
    for i in range(7):
        top, left = i // columns * (5 + padding) + padding, i % columns * (6 + padding) + padding
        np.testing.assert_allclose(grid[:, top : top + 5, left : left + 6], expected[i], 1e-5, 1e-6)


def test_grids_of_other_shapes_and_files(tmp_path: Path) -> None:
    grey = RNG.rand(5, 6).astype(np.float32)
    np.testing.assert_array_equal(vision.utils.make_grid(Tensor(grey)).asnumpy(), np.stack([grey] * 3))
    pair = [Tensor(RNG.rand(1, 5, 6).astype(np.float32)) for _ in range(2)]
    assert vision.utils.make_grid(pair).shape == (3, 9, 18)
    with pytest.raises(TypeError):
        vision.utils.make_grid("images")
    vision.utils.save_image(Tensor(grey), str(tmp_path / "x.png"))
    read = np.asarray(Image.open(tmp_path / "x.png"))
    np.testing.assert_array_equal(read[..., 0], (grey * 255 + 0.5).astype(np.uint8))
    vision.utils.save_image(Tensor(grey * 2 - 1), tmp_path / "y.png", normalize=True, range=(-1, 1))
    np.testing.assert_allclose(np.asarray(Image.open(tmp_path / "y.png"))[..., 0], grey * 255, atol=1)
