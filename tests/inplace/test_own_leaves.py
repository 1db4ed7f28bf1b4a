"""Writes to tensors that ask for a gradient of their own, as attacks, style transfer and updates by hand make them."""

from __future__ import annotations

import pytest

from tests.side_by_side import check

PROGRAM = """
import torch


def attack(x):
    d = torch.zeros_like(x, requires_grad=True)
    optimizer = torch.optim.Adam([d], lr=0.05)
    losses = []
    for _ in range(4):
        loss = (x + d).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        d.data.clamp_(-0.1, 0.1)
        losses.append(loss.item())
    return d.detach(), losses


def style(content):
    image = content.clone()
    image.requires_grad_(True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    losses = []
    for _ in range(4):
        with torch.no_grad():
            image.clamp_(0, 1)
        optimizer.zero_grad()
        loss = (image - 2).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        image.clamp_(0, 1)
        image[0] = 7
    return image, losses


def by_hand(x):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    losses = []
    for _ in range(3):
        loss = (x * w).sum().pow(2)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.clamp_(-2, 2)
        w.grad.zero_()
    return w, losses


x = torch.tensor([0.5, -1.0, 1.5])
RESULT = [attack(x), style(x), by_hand(x), x]
"""


@pytest.mark.mindspore
def test_the_leaf_is_assigned() -> None:
    found = check(PROGRAM)
    assert "ops.assign(d, d.clamp(-0.1, 0.1))" in found.text
    assert found.text.count("ops.assign(image, image.clamp(0, 1))") == 2
    assert "ops.assign(w, w.clamp(-2, 2))" in found.text
