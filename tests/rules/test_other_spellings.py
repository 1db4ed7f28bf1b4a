"""Other spellings of known APIs: private paths, arguments handed on, names of older versions, lists of one number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from PIL import Image

from tests.side_by_side import check, convert, execute
from torch2ms.runtime import vision


def test_the_private_path_of_default_collate() -> None:
    check("""
import numpy as np
from torch.utils.data._utils.collate import default_collate

RESULT = default_collate([{"a": np.ones(2, np.float32), "b": 1}, {"a": np.zeros(2, np.float32), "b": 2}])
""")


def test_save_hands_its_arguments_on(tmp_path: Path) -> None:
    text = convert("""
import torch


def save_on_master(*args, **kwargs):
    if True:
        torch.save(*args, **kwargs)


def save(state, **options):
    torch.save(state, **options)
""").text
    assert "serialization.save(*args, **kwargs)" in text
    names = execute(text, "saving")
    names["save_on_master"]({"epoch": 3}, tmp_path / "a.pth", _use_new_zipfile_serialization=True)
    names["save"]({"epoch": 4}, f=tmp_path / "b.pth")
    assert torch.load(tmp_path / "a.pth") == {"epoch": 3}
    assert torch.load(tmp_path / "b.pth") == {"epoch": 4}


def test_range_of_image_grids(tmp_path: Path) -> None:
    source = """
import numpy as np
import torch
from torchvision import utils

image = torch.from_numpy(np.linspace(-2, 2, 48, dtype=np.float32).reshape(1, 3, 4, 4))
utils.save_image(image, PATH, nrow=1, normalize=True, range=(-1, 1))
"""
    execute(convert(source).text.replace("PATH", repr(str(tmp_path / "x.png"))), "grids")
    seen = np.asarray(Image.open(tmp_path / "x.png"))
    expected = (np.linspace(-2, 2, 48, dtype=np.float32).reshape(3, 4, 4).clip(-1, 1) + 1) / 2
    np.testing.assert_allclose(seen.transpose(2, 0, 1) / 255, expected, atol=1 / 255)
    assert "vision.utils" in convert(source).text or "utils" in vision.__all__


def test_one_number_in_a_list_counts_for_all_dimensions() -> None:
    check("""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x = torch.from_numpy(np.arange(2 * 3 * 7 * 7, dtype=np.float32).reshape(2, 3, 7, 7) / 100)
conv = nn.Conv2d(3, 4, 3, stride=[2], padding=(1,), dilation=[1], bias=False)
with torch.no_grad():
    conv.weight.copy_(torch.from_numpy(np.linspace(-1, 1, 108, dtype=np.float32).reshape(4, 3, 3, 3)))
y = conv(x)
(y * y).sum().backward()
RESULT = [y, conv.weight.grad, nn.functional.conv2d(x, conv.weight, None, [2], [1])]
""")
