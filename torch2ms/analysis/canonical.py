"""The public name of a PyTorch API, whatever path the code took to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from torch2ms.analysis.torch_names import PRIVATE, STAR

# packages that offer PyTorch's names under a root of their own
_ROOTS = {
    "msadapter.pytorch": "torch",
    "msadapter.torch": "torch",
    "msadapter.torchvision": "torchvision",
    "mindtorch.torch": "torch",
    "mindtorch.torchvision": "torchvision",
}
# older or second spellings of what the installed PyTorch lists elsewhere
_FOLDED = {
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.enable_grad": "torch.enable_grad",
    "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.random.manual_seed": "torch.manual_seed",
    "torch.optim.lr_scheduler._LRScheduler": "torch.optim.lr_scheduler.LRScheduler",
    "torch.utils.data.dataloader.default_collate": "torch.utils.data.default_collate",
    "torch.utils.data._utils.collate.default_collate": "torch.utils.data.default_collate",
    "torch.utils.data._utils.collate.default_convert": "torch.utils.data.default_convert",
}
# what other packages have for PyTorch's tensors
_FOR_TORCH = ("einops.layers.torch", "safetensors.torch", "safetensors.safe_open")
# submodules of torchvision whose public names are re-exported by the package above them
_TORCHVISION = {
    "torchvision.transforms.transforms": "torchvision.transforms",
    **{
        f"torchvision.datasets.{m}": "torchvision.datasets"
        for m in "mnist cifar folder fakedata vision svhn stl10 celeba imagenet voc coco".split()
    },
    **{
        f"torchvision.models.{m}": "torchvision.models"
        for m in "alexnet vgg densenet inception googlenet squeezenet mobilenetv2 mobilenetv3 shufflenetv2 mnasnet efficientnet".split()
    },
    "torchvision.models.resnet": "torchvision.models",
    "torchvision.ops.boxes": "torchvision.ops",
    "torchvision.ops.focal_loss": "torchvision.ops",
}


def is_torch(name: str) -> bool:
    """Whether a canonical name belongs to PyTorch itself, to torchvision, torchaudio, torchtext, or is made for PyTorch's tensors."""
    root = name.partition(".")[0]
    if root in ("einops", "safetensors"):
        return any(name == own or name.startswith(own + ".") for own in _FOR_TORCH)
    return root in ("torch", "torchvision", "torchaudio", "torchtext")


# packages besides PyTorch that rows of a project's own convert
_converted_too: set[str] = set()


def convert_too(packages: Iterable[str]) -> None:
    """Lets names of these packages count as replaced, and those named before no longer."""
    _converted_too.clear()
    _converted_too.update(packages)


def is_own(name: str) -> bool:
    """Whether a name belongs to a package that rows of the project's own convert."""
    return name.partition(".")[0] in _converted_too


def mentions_own(text: str) -> bool:
    """Whether a text can hold a name of such a package."""
    return any(package in text for package in _converted_too)


def is_replaced(name: str) -> bool:
    """Whether something stands for the module of a canonical name: PyTorch's, einops, which has to know tensors, or own rows."""
    return is_torch(name) or name.partition(".")[0] == "einops" or is_own(name)


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    """`torch.nn.modules.linear.Linear` -> `torch.nn.Linear`; a name outside PyTorch comes back as it is."""
    for root, target in _ROOTS.items():
        if name == root or name.startswith(root + "."):
            name = target + name[len(root) :]
    if name.startswith("torchvision."):
        return _torchvision(name)
    if name.startswith("einops.einops."):
        return name.replace("einops.", "", 1)
    if not name.startswith("torch."):
        return name
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module, attribute, rest = ".".join(parts[:length]), parts[length], parts[length + 1 :]
        public = _FOLDED.get(f"{module}.{attribute}") or _private(module).get(attribute)
        if public is not None:
            folded = ".".join([public, *rest])
            return folded if folded == name else canonical(folded)
    return name


def _torchvision(name: str) -> str:
    for path, public in _TORCHVISION.items():
        if name.startswith(path + ".") and name != path:
            return public + name[len(path) :]
    return name


@lru_cache(maxsize=256)
def _private(module: str) -> dict[str, str]:
    rows = PRIVATE.get(module)
    if rows is None:
        return {}
    return {name: f"{prefix}.{name}" if prefix else name for prefix, names in rows.items() for name in names.split()}


@lru_cache(maxsize=64)
def star_names(module: str) -> frozenset[str] | None:
    """What `from module import *` brings; None for a module that the table does not have."""
    names = STAR.get(canonical(module))
    return None if names is None else frozenset(names.split())
