"""Boxes: values and gradients beside formulas written with PyTorch, and torchvision itself where it is installed."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from tests.runtime.vision.test_transforms import needs_torchvision, torchvision
from torch2ms.runtime import vision

RNG = np.random.default_rng(3)
BOXES = np.concatenate([c := RNG.random((60, 2)) * 30, c + 1 + RNG.random((60, 2)) * 12], 1).astype(np.float32)
SCORES = np.round(RNG.random(60), 1).astype(np.float32)  # with ties
GROUPS = RNG.integers(0, 3, 60)


def _slow(boxes: torch.Tensor, scores: torch.Tensor, threshold: float) -> list[int]:
    """Suppression as it is defined, box by box, in PyTorch's float32."""
    keep: list[int] = []
    for i in torch.sort(scores, stable=True, descending=True)[1].tolist():
        a = boxes[i]
        for k in keep:
            b = boxes[k]
            shared = (torch.minimum(a[2:], b[2:]) - torch.maximum(a[:2], b[:2])).clamp(min=0).prod()
            union = (b[2:] - b[:2]).prod() + (a[2:] - a[:2]).prod() - shared
            if (shared / union).item() > threshold:
                break
        else:
            keep.append(i)
    return keep


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7])
def test_nms(threshold: float) -> None:
    got = vision.ops.nms(Tensor(BOXES), Tensor(SCORES), threshold)
    assert got.dtype == mindspore.int64
    assert got.asnumpy().tolist() == _slow(torch.from_numpy(BOXES), torch.from_numpy(SCORES), threshold)


@pytest.mark.parametrize("times", [1, 20], ids=["few", "many"])
def test_batched_nms(times: int) -> None:
    shifts = np.arange(times, dtype=np.float32).repeat(60)[:, None] * 3
    boxes, scores, groups = np.tile(BOXES, (times, 1)) + shifts, np.tile(SCORES, times), np.tile(GROUPS, times)
    scores = (scores + RNG.permutation(len(scores)) * 1e-4).astype(np.float32)
    got = vision.ops.batched_nms(Tensor(boxes), Tensor(scores), Tensor(groups), 0.4).asnumpy()
    kept = [np.flatnonzero(groups == g)[_slow(torch.from_numpy(boxes[groups == g]), torch.from_numpy(scores[groups == g]), 0.4)]
            for g in range(3)]  # fmt: skip
    expected = np.sort(np.concatenate(kept))
    assert got.tolist() == expected[np.argsort(-scores[expected], kind="stable")].tolist()


def test_nothing_in_nothing_out() -> None:
    empty = Tensor(np.zeros((0, 4), np.float32))
    none = Tensor(np.zeros(0, np.float32))
    assert vision.ops.nms(empty, none, 0.5).shape == (0,)
    assert vision.ops.batched_nms(empty, none, none, 0.5).shape == (0,)


def test_areas_and_overlaps_with_their_gradients() -> None:
    def iou(a: Any, b: Any, maximum: Any, minimum: Any, generalized: bool) -> Any:
        sides = (minimum(a[:, None, 2:], b[:, 2:]) - maximum(a[:, None, :2], b[:, :2])).clamp(min=0)
        area = [(x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1]) for x in (a, b)]
        union = area[0][:, None] + area[1] - sides[..., 0] * sides[..., 1]
        value = sides[..., 0] * sides[..., 1] / union
        if generalized:
            hull = maximum(a[:, None, 2:], b[:, 2:]) - minimum(a[:, None, :2], b[:, :2])
            value = value - (hull[..., 0] * hull[..., 1] - union) / (hull[..., 0] * hull[..., 1])
        return value

    for name, generalized in (("box_iou", False), ("generalized_box_iou", True)):
        a, b = torch.from_numpy(BOXES[:7]).requires_grad_(), torch.from_numpy(BOXES[20:25])
        expected = iou(a, b, torch.maximum, torch.minimum, generalized)
        expected.pow(2).sum().backward()
        function = getattr(vision.ops, name)
        got = function(Tensor(BOXES[:7]), Tensor(BOXES[20:25]))
        np.testing.assert_allclose(got.asnumpy(), expected.detach().numpy(), atol=1e-6)
        grad = mindspore.value_and_grad(lambda x, f=function: (f(x, Tensor(BOXES[20:25])) ** 2).sum())(Tensor(BOXES[:7]))[1]
        np.testing.assert_allclose(grad.asnumpy(), a.grad.numpy(), atol=1e-6)
    area = vision.ops.box_area(Tensor(BOXES.astype(np.float16)))
    assert area.dtype == mindspore.float32


@pytest.mark.parametrize("into", ["xywh", "cxcywh", "xyxy"])
def test_formats_and_back(into: str) -> None:
    there = vision.ops.box_convert(Tensor(BOXES), "xyxy", into)
    size = BOXES[:, 2:] - BOXES[:, :2]
    first = {"xywh": BOXES[:, :2], "cxcywh": BOXES[:, :2] + size / 2, "xyxy": BOXES[:, :2]}[into]
    np.testing.assert_allclose(there.asnumpy(), np.concatenate([first, BOXES[:, 2:] if into == "xyxy" else size], 1), atol=1e-5)
    np.testing.assert_allclose(vision.ops.box_convert(there, into, "xyxy").asnumpy(), BOXES, atol=1e-5)
    with pytest.raises(ValueError, match="Unsupported"):
        vision.ops.box_convert(there, "xyxy", "other")


def test_clipped_and_small_boxes() -> None:
    clipped = vision.ops.clip_boxes_to_image(Tensor(BOXES), (20, 25)).asnumpy()
    np.testing.assert_array_equal(clipped, np.clip(BOXES, 0, np.array([25, 20, 25, 20], np.float32)))
    small = vision.ops.remove_small_boxes(Tensor(BOXES), 5.0).asnumpy()
    assert small.tolist() == np.flatnonzero(((BOXES[:, 2:] - BOXES[:, :2]) >= 5).all(1)).tolist()


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_focal_loss(reduction: str) -> None:
    scores, labels = RNG.standard_normal((4, 5)).astype(np.float32), RNG.integers(0, 2, (4, 5)).astype(np.float32)
    x, y = torch.from_numpy(scores).requires_grad_(), torch.from_numpy(labels)
    chance = torch.where(y == 1, torch.sigmoid(x), 1 - torch.sigmoid(x))
    expected = -torch.where(y == 1, 0.25, 0.75) * (1 - chance) ** 2 * chance.log()
    expected.sum().backward()
    got = vision.ops.sigmoid_focal_loss(Tensor(scores), Tensor(labels), reduction=reduction).asnumpy()
    wanted = expected if reduction == "none" else getattr(expected, reduction)()
    np.testing.assert_allclose(got, wanted.detach().numpy(), rtol=1e-4, atol=1e-6)
    grad = mindspore.value_and_grad(lambda s: vision.ops.sigmoid_focal_loss(s, Tensor(labels), reduction="sum"))(Tensor(scores))[1]
    np.testing.assert_allclose(grad.asnumpy(), x.grad.numpy(), rtol=1e-4, atol=1e-6)


@needs_torchvision
@pytest.mark.parametrize("name", ["box_area", "box_iou", "generalized_box_iou"])
def test_torchvision_agrees(name: str) -> None:
    given = (BOXES,) if name == "box_area" else (BOXES, BOXES[:9])
    expected = getattr(torchvision.ops, name)(*map(torch.from_numpy, given)).numpy()
    np.testing.assert_allclose(getattr(vision.ops, name)(*map(Tensor, given)).asnumpy(), expected, rtol=1e-5)
