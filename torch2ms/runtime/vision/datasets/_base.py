"""What the image data sets share."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...data import Dataset

Function = Callable[[Any], Any]


class VisionDataset(Dataset[Any]):
    """A data set in a folder, with transforms for the image and the target, or one for both."""

    def __init__(
        self,
        root: Any = None,
        transforms: Callable[[Any, Any], Any] | None = None,
        transform: Function | None = None,
        target_transform: Function | None = None,
    ) -> None:
        if transforms is not None and (transform is not None or target_transform is not None):
            raise ValueError("Only transforms or transform/target_transform can be passed as argument")
        self.root = os.path.expanduser(root) if isinstance(root, str) else root
        self.transform = transform
        self.target_transform = target_transform
        self.transforms = transforms

    def finish(self, image: Any, target: Any) -> tuple[Any, Any]:
        """Return the transformed sample."""
        if self.transforms is not None:
            return self.transforms(image, target)
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        raise NotImplementedError("a data set defines __len__")

    def __repr__(self) -> str:
        lines = [f"Dataset {type(self).__name__}", f"    Number of datapoints: {len(self)}"]
        if self.root is not None:
            lines.append(f"    Root location: {self.root}")
        lines += [f"    {line}" for line in self.extra_repr().splitlines()]
        return "\n".join(lines)

    def extra_repr(self) -> str:
        """Return more lines for the description."""
        return ""


def missing(name: str, place: str, files: str, download: bool) -> RuntimeError:
    """Return the error for a data set whose files are not there."""
    wanted = "download=True does not fetch anything: " if download else ""
    return RuntimeError(
        f"Dataset {name} not found. {wanted}put the files {files} into {place}, "
        f"for example by running torchvision.datasets.{name}(root, download=True) once with PyTorch."
    )
