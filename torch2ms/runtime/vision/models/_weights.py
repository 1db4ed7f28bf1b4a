"""Trained weights: the files that torchvision names, loaded by name into the models here."""

from __future__ import annotations

from typing import Any

from ...nn import Cell
from ...serialization import load_state_dict_from_url

_PLACE = "https://download.pytorch.org/models/"
# model: the files of IMAGENET1K_V1 and, where there is one, IMAGENET1K_V2
FILES: dict[str, tuple[str, ...]] = {
    "resnet18": ("resnet18-f37072fd.pth",),
    "resnet34": ("resnet34-b627a593.pth",),
    "resnet50": ("resnet50-0676ba61.pth", "resnet50-11ad3fa6.pth"),
    "resnet101": ("resnet101-63fe2227.pth", "resnet101-cd907fc2.pth"),
    "resnet152": ("resnet152-394f9c45.pth", "resnet152-f82ba261.pth"),
    "vgg11": ("vgg11-8a719046.pth",),
    "vgg11_bn": ("vgg11_bn-6002323d.pth",),
    "vgg13": ("vgg13-19584684.pth",),
    "vgg13_bn": ("vgg13_bn-abd245e5.pth",),
    "vgg16": ("vgg16-397923af.pth",),
    "vgg16_bn": ("vgg16_bn-6c64b313.pth",),
    "vgg19": ("vgg19-dcbb9e9d.pth",),
    "vgg19_bn": ("vgg19_bn-c79401a0.pth",),
    "alexnet": ("alexnet-owt-7be5be79.pth",),
}


def load_weights(net: Cell, name: str, weights: Any, pretrained: bool, progress: bool) -> None:
    """Load what the arguments `weights` (None, "DEFAULT", "IMAGENET1K_V1", ...) or the older `pretrained` ask for."""
    choice = getattr(weights, "name", weights)
    if choice is None and not pretrained:
        return
    files = FILES[name]
    names = {f"IMAGENET1K_V{i + 1}": file for i, file in enumerate(files)}
    # the older argument always meant the first weights
    names["DEFAULT"] = files[-1]
    wanted = "IMAGENET1K_V1" if choice is None or choice is True else str(choice).rpartition(".")[2]
    if wanted not in names:
        raise ValueError(f"{name} has the weights {', '.join(names)}, not {wanted!r}")
    net.load_state_dict(load_state_dict_from_url(_PLACE + names[wanted], progress=progress))
