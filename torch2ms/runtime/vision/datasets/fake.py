"""Images of noise, for trying a program without data."""

from __future__ import annotations

from typing import Any

from ..._stream import Stream
from ...data._host import to_tensor
from ..transforms.functional import to_pil_image
from ._base import Function, VisionDataset


class FakeData(VisionDataset):
    """Random images; an index always gives the same one, PyTorch's."""

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, ...] = (3, 224, 224),
        num_classes: int = 10,
        transform: Function | None = None,
        target_transform: Function | None = None,
        random_offset: int = 0,
    ) -> None:
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.image_size = image_size
        self.num_classes = num_classes
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        stream = Stream(index + self.random_offset)
        noise = stream.standard_normal(self.image_size)
        target = int(stream.integers(0, self.num_classes, 1)[0])
        return self.finish(to_pil_image(to_tensor(noise)), target)

    def __len__(self) -> int:
        return self.size
