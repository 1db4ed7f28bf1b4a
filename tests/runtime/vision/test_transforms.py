"""Image transforms: against PIL and numpy everywhere, against torchvision (same seeds, same pixels) where it is installed."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor
from PIL import Image

from torch2ms.runtime import manual_seed, value_and_grad, vision

T = vision.transforms
F = T.functional
RNG = np.random.RandomState(0)
RGB = Image.fromarray(RNG.randint(0, 256, (37, 50, 3)).astype(np.uint8))
GREY = Image.fromarray(RNG.randint(0, 256, (28, 28)).astype(np.uint8))
SMOOTH = RGB.resize((60, 45), Image.Resampling.BICUBIC)
IMAGES = {"rgb": RGB, "grey": GREY, "smooth": SMOOTH}


_LIBRARIES: list[torch.library.Library] = []


def _torchvision() -> Any:
    """torchvision, or None. Its compiled operators may not load beside a CPU build; no transform needs them."""
    try:
        return importlib.import_module("torchvision")
    except ImportError:
        return None
    except RuntimeError:
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        _LIBRARIES.append(torch.library.Library("torchvision", "DEF"))
        for name in ("nms", "qnms"):
            _LIBRARIES[0].define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return importlib.import_module("torchvision")


torchvision = _torchvision()
needs_torchvision = pytest.mark.skipif(torchvision is None, reason="torchvision is not installed beside this PyTorch")

SPECIFICATIONS = """
    ToTensor() | PILToTensor() | Resize(20) | Resize((20, 33)) | Resize(20, interpolation=IM.BICUBIC) | Resize(30, max_size=35)
    | Resize(64, interpolation=IM.NEAREST) | Resize((28, 28)) | CenterCrop(20) | CenterCrop((60, 70)) | Pad(3)
    | Pad((1, 2), fill=7) | Pad((1, 2, 3, 4), padding_mode='reflect') | Pad(2, padding_mode='edge') | Pad(-2)
    | RandomCrop(20, padding=4) | RandomCrop(28, pad_if_needed=True) | RandomCrop(20, padding=4, padding_mode='reflect')
    | RandomHorizontalFlip() | RandomVerticalFlip() | RandomResizedCrop(16)
    | RandomResizedCrop(24, scale=(0.5, 1.0), ratio=(1., 1.)) | RandomResizedCrop(9, ratio=(5., 9.), scale=(0.9, 1.0))
    | RandomRotation(30) | RandomRotation((5, 90), expand=True, interpolation=IM.BILINEAR) | RandomRotation(30, fill=100)
    | RandomAffine(20, translate=(.1, .2), scale=(.8, 1.2), shear=10)
    | RandomAffine(0, shear=(1, 5, 2, 8), interpolation=IM.BILINEAR) | ColorJitter(.4, .4, .4, .1)
    | ColorJitter(brightness=(0.5, 1.5)) | ColorJitter(hue=.3) | Grayscale() | Grayscale(3) | RandomGrayscale(p=.5)
    | GaussianBlur(3) | GaussianBlur((5, 3), sigma=(.5, 1.5)) | RandomInvert(p=.5) | RandomAutocontrast() | RandomEqualize()
    | RandomPosterize(3) | RandomSolarize(100) | RandomAdjustSharpness(2.) | FiveCrop(16) | TenCrop(16) | RandAugment()
    | RandAugment(3, 15) | TrivialAugmentWide() | Compose([T.ToTensor(), T.RandomErasing(p=1.)])
    | Compose([T.ToTensor(), T.RandomErasing(p=.7, value='random')]) | RandomApply([T.ColorJitter(.4, .4, .4, .1)], p=.6)
    | RandomChoice([T.Resize(10), T.CenterCrop(10)]) | RandomOrder([T.Resize(10), T.CenterCrop(12)])
    | Compose([T.ToTensor(), T.ToPILImage()]) | Compose([T.ToTensor(), T.Resize(20)])
    | Compose([T.ToTensor(), T.Resize(64, interpolation=IM.NEAREST)])
    | Compose([T.ToTensor(), T.RandomCrop(20, padding=4), T.RandomHorizontalFlip()]) | Compose([T.ToTensor(), T.CenterCrop(60)])
    | Compose([T.ToTensor(), T.Pad(2, padding_mode='reflect')]) | Compose([T.ToTensor(), T.ColorJitter(.4, .4, .4)])
    | Compose([T.PILToTensor(), T.Grayscale(3)]) | Compose([T.ToTensor(), T.GaussianBlur(3)])
    | Compose([T.PILToTensor(), T.ConvertImageDtype(FLOAT)]) | Compose([T.ToTensor(), T.ConvertImageDtype(BYTE)])
    | Compose([T.Resize(32), T.RandomCrop(28, padding=2), T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize([.5], [.2])])
""".split("|")


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [array for part in value for array in _arrays(part)]
    if isinstance(value, Tensor):
        return [value.asnumpy()]
    return [value.numpy() if isinstance(value, torch.Tensor) else np.asarray(value)]


@needs_torchvision
@pytest.mark.parametrize("image", IMAGES)
@pytest.mark.parametrize("specification", [text.strip() for text in SPECIFICATIONS])
def test_same_seed_same_pixels(specification: str, image: str) -> None:
    theirs = torchvision.transforms
    first = eval(
        f"T.{specification}", {"T": theirs, "IM": theirs.InterpolationMode, "FLOAT": torch.float32, "BYTE": torch.uint8}
    )
    second = eval(
        f"T.{specification}", {"T": T, "IM": T.InterpolationMode, "FLOAT": mindspore.float32, "BYTE": mindspore.uint8}
    )
    torch.manual_seed(5)
    random.seed(5)
    expected = [array for _ in range(4) for array in _arrays(first(IMAGES[image]))]
    manual_seed(5)
    random.seed(5)
    found = [array for _ in range(4) for array in _arrays(second(IMAGES[image]))]
    assert len(found) == len(expected)
    for ours, other in zip(found, expected):
        assert ours.shape == other.shape and ours.dtype == other.dtype
        np.testing.assert_allclose(ours.astype(np.float64), other.astype(np.float64), 1e-5, 2e-6)


def test_to_tensor_of_every_mode() -> None:
    array = np.asarray(RGB)
    found = T.ToTensor()(RGB)
    assert found.dtype == mindspore.float32
    np.testing.assert_array_equal(found.asnumpy(), array.transpose(2, 0, 1).astype(np.float32) / np.float32(255))
    np.testing.assert_array_equal(T.ToTensor()(array).asnumpy(), found.asnumpy())
    floats = RNG.rand(4, 5).astype(np.float32)
    np.testing.assert_array_equal(T.ToTensor()(floats).asnumpy(), floats[None])
    assert T.ToTensor()(Image.fromarray(floats, "F")).asnumpy().dtype == np.float32
    assert T.ToTensor()(Image.fromarray(np.arange(6, dtype=np.int32).reshape(2, 3), "I")).dtype == mindspore.int32
    black_and_white = T.ToTensor()(Image.fromarray(np.array([[True, False]])))
    assert black_and_white.asnumpy().tolist() == [[[1.0, 0.0]]]
    with pytest.raises(TypeError):
        T.ToTensor()("image")
    with pytest.raises(ValueError):
        T.ToTensor()(np.zeros(3))


def test_normalize() -> None:
    image = RNG.rand(3, 4, 5).astype(np.float32)
    mean, std = [0.5, 0.4, 0.3], [0.1, 0.2, 0.3]
    expected = (torch.tensor(image) - torch.tensor(mean)[:, None, None]) / torch.tensor(std)[:, None, None]
    np.testing.assert_allclose(T.Normalize(mean, std)(Tensor(image)).asnumpy(), expected.numpy(), 1e-6)
    tensor = Tensor(image.copy())
    assert T.Normalize(mean, std, inplace=True)(tensor) is tensor
    np.testing.assert_allclose(tensor.asnumpy(), expected.numpy(), 1e-6)
    with pytest.raises(TypeError):
        T.Normalize(mean, std)(RGB)
    with pytest.raises(TypeError):
        T.Normalize(mean, std)(Tensor(np.zeros((3, 2, 2), np.uint8)))
    with pytest.raises(ValueError, match="zero"):
        T.Normalize(mean, [0.1, 0.0, 0.3])(Tensor(image))
    with pytest.raises(RuntimeError, match="3 means"):
        T.Normalize(mean, std)(Tensor(image[:1]))


def test_normalize_inside_a_model_keeps_the_gradient() -> None:
    image = RNG.rand(2, 3, 4, 4).astype(np.float32)
    leaf = torch.tensor(image, requires_grad=True)
    std = torch.tensor([0.1, 0.2, 0.3])[:, None, None]
    (((leaf - 0.5) / std) ** 2).sum().backward()

    def loss(x: Tensor) -> Tensor:
        normalized = T.Normalize([0.5] * 3, [0.1, 0.2, 0.3])(x)
        return (normalized * normalized).sum()

    _, grad = value_and_grad(loss, 0)(Tensor(image))
    np.testing.assert_allclose(grad.asnumpy(), leaf.grad.numpy(), 1e-4)


def test_other_transforms_refuse_images_of_a_gradient() -> None:
    def loss(x: Tensor) -> Tensor:
        with pytest.raises(NotImplementedError, match="gradient"):
            F.hflip(x * 2)
        return (x * x).sum()

    value_and_grad(loss, 0)(Tensor(RNG.rand(3, 4, 4).astype(np.float32)))


def test_geometry_against_numpy() -> None:
    array = np.asarray(RGB)
    np.testing.assert_array_equal(np.asarray(F.hflip(RGB)), array[:, ::-1])
    np.testing.assert_array_equal(np.asarray(F.vflip(RGB)), array[::-1])
    np.testing.assert_array_equal(np.asarray(F.crop(RGB, 3, 4, 10, 20)), array[3:13, 4:24])
    outside = np.asarray(F.crop(RGB, -2, -1, 5, 4))
    assert (outside[:2] == 0).all() and (outside[:, :1] == 0).all() and (outside[2:, 1:] == array[:3, :3]).all()
    np.testing.assert_array_equal(np.asarray(F.center_crop(RGB, 21)), array[8:29, 14:35])
    assert F.resize(RGB, 20).size == (27, 20)
    assert F.resize(RGB, 37) is RGB
    assert F.get_dimensions(RGB) == [3, 37, 50] and F.get_image_size(Tensor(np.zeros((3, 4, 5)))) == [5, 4]
    tensor = T.PILToTensor()(RGB)
    for name, arguments in (("hflip", ()), ("vflip", ()), ("crop", (3, 4, 10, 20)), ("crop", (-2, -1, 50, 60)), ("pad", (2,))):
        on_pil = T.PILToTensor()(getattr(F, name)(RGB, *arguments)).asnumpy()
        np.testing.assert_array_equal(getattr(F, name)(tensor, *arguments).asnumpy(), on_pil)


def test_perspective_moves_the_corners() -> None:
    board = Image.fromarray(np.zeros((20, 20), np.uint8))
    board.putpixel((0, 0), 255)
    moved = F.perspective(board, [[0, 0], [19, 0], [19, 19], [0, 19]], [[4, 3], [19, 0], [19, 19], [0, 19]], fill=0,
                          interpolation=T.InterpolationMode.NEAREST)  # fmt: skip
    assert np.asarray(moved)[3, 4] == 255
    manual_seed(0)
    assert T.RandomPerspective(p=1.0)(RGB).size == RGB.size
    assert T.RandomPerspective(p=0.0)(RGB) is RGB


def test_what_tensors_do_not_support_says_so() -> None:
    tensor = T.ToTensor()(RGB)
    for call in (lambda: F.rotate(tensor, 10), lambda: F.adjust_hue(tensor, 0.1), lambda: F.equalize(tensor)):
        with pytest.raises(NotImplementedError, match="before ToTensor"):
            call()
    with pytest.raises(NotImplementedError, match="antialias"):
        F.resize(tensor, 20, antialias=False)
    with pytest.raises(TypeError):
        F.hflip("image")


@pytest.mark.parametrize(
    "make",
    [lambda: T.GaussianBlur(2), lambda: T.ColorJitter(brightness=-1), lambda: T.ColorJitter(hue=0.6), lambda: T.Lambda(3),
     lambda: T.RandomRotation(-1), lambda: T.RandomErasing(value="noise"), lambda: T.Resize("20"),
     lambda: T.RandomCrop(100)(RGB), lambda: F.adjust_gamma(RGB, -1), lambda: F.pad(RGB, (1, 2, 3)),
     lambda: F.pad(RGB, 1, padding_mode="wrap"), lambda: F.five_crop(RGB, 100)],
)  # fmt: skip
def test_wrong_settings(make: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        make()


def test_transforms_work_in_workers() -> None:
    class Images(vision.datasets.VisionDataset):
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> Any:
            return self.finish(RGB, index)

    from torch2ms.runtime.data import DataLoader

    (Tensor([1.0]) + 1).asnumpy()
    steps = T.Compose([T.RandomCrop(24), T.ToTensor(), T.Normalize([0.5] * 3, [0.5] * 3), T.RandomErasing(p=1.0)])
    loader = DataLoader(Images("x", transform=steps), 3, num_workers=2)
    assert [tuple(x.shape) for x, _ in loader] == [(3, 3, 24, 24)] * 2 and not loader.in_process


def test_shown_text() -> None:
    text = repr(T.Compose([T.Resize(3), T.ToTensor()]))
    assert text.startswith("Compose(\n    Resize(size=3") and "ToTensor()" in text
