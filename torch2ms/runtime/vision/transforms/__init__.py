"""`torchvision.transforms`: PIL images go through PIL, tensors through numpy; the random numbers are PyTorch's."""

from __future__ import annotations

from . import functional
from .auto_augment import RandAugment, TrivialAugmentWide
from .color import (
    ColorJitter,
    GaussianBlur,
    Grayscale,
    RandomAdjustSharpness,
    RandomAutocontrast,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomPosterize,
    RandomSolarize,
)
from .containers import Compose, Lambda, RandomApply, RandomChoice, RandomOrder
from .conversion import (
    ConvertImageDtype,
    LinearTransformation,
    Normalize,
    PILToTensor,
    RandomErasing,
    ToPILImage,
    ToTensor,
)
from .functional import InterpolationMode
from .geometry import (
    CenterCrop,
    FiveCrop,
    Pad,
    RandomAffine,
    RandomCrop,
    RandomHorizontalFlip,
    RandomPerspective,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
    Resize,
    TenCrop,
)

# names of older versions
Scale = Resize
RandomSizedCrop = RandomResizedCrop

__all__ = [
    "CenterCrop", "ColorJitter", "Compose", "ConvertImageDtype",
    "FiveCrop", "GaussianBlur", "Grayscale", "InterpolationMode", "Lambda", "LinearTransformation", "Normalize",
    "PILToTensor", "Pad", "RandAugment", "RandomAdjustSharpness", "RandomAffine", "RandomApply", "RandomAutocontrast",
    "RandomChoice", "RandomCrop", "RandomEqualize", "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip",
    "RandomInvert", "RandomOrder", "RandomPerspective", "RandomPosterize", "RandomResizedCrop", "RandomRotation",
    "RandomSizedCrop", "RandomSolarize", "RandomVerticalFlip", "Resize", "Scale", "TenCrop", "ToPILImage", "ToTensor",
    "TrivialAugmentWide", "functional",
]  # fmt: skip
