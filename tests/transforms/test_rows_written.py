"""Parts of the rows that a loop takes from tensors are written inside gradients."""

from __future__ import annotations

from tests.side_by_side import check

PADDED = """
import numpy as np
import torch


def padded(images):
    height = max(i.shape[1] for i in images)
    width = max(i.shape[2] for i in images)
    batch = torch.zeros(len(images), 3, height, width)
    mask = torch.ones((len(images), height, width), dtype=torch.bool)
    for image, padded_image, m in zip(images, batch, mask):
        padded_image[: image.shape[0], : image.shape[1], : image.shape[2]].copy_(image)
        m[: image.shape[1], : image.shape[2]] = False
    return batch, mask


x = torch.from_numpy(np.arange(36, dtype=np.float32).reshape(3, 3, 4) / 7)
y = torch.from_numpy(np.arange(24, dtype=np.float32).reshape(3, 4, 2) / 5)
"""


def test_images_padded_to_one_size() -> None:
    check(PADDED + "RESULT = padded([x, y])")


def test_rows_written_inside_a_training_step() -> None:
    check(PADDED + """
w = torch.ones(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
losses = []
for _ in range(2):
    opt.zero_grad()
    batch, mask = padded([x, y])
    loss = ((batch * w) ** 2).sum() + (batch[1, :, 0] * w).sum()
    loss.backward()
    opt.step()
    losses.append(loss)
RESULT = [losses, w, batch, mask]
""")


def test_several_writes_and_reads_of_a_row() -> None:
    check("""
import numpy as np
import torch


def filled(w):
    out = torch.zeros(3, 4)
    total = 0
    for n, row in enumerate(out):
        row[1:3] = w[:2] * n
        row[0] += w[n]
        row[:2].mul_(2)
        row[-1] = row[0] + row[1]
        total = total + row.sum()
    return out, total


w = torch.from_numpy(np.arange(1, 4, dtype=np.float32))
scale = torch.ones(1, requires_grad=True)
out, total = filled(w)
loss = (out * out * scale).sum() + total * scale
loss.backward()
RESULT = [out, total, scale.grad]
""")


def test_a_mask_on_a_row_writes_to_the_row_or_to_a_copy() -> None:
    check("""
import torch


def f(w, scale):
    out = w * 1
    for row in out:
        row[row > 2] = 0
        row[row < 1].zero_()
    return out * scale


w = torch.tensor([[0.5, 3.0, 1.5], [2.5, 0.1, 1.0]])
scale = torch.ones(3, requires_grad=True)
out = f(w, scale)
out.pow(2).sum().backward()
RESULT = [out, scale.grad]
""")
