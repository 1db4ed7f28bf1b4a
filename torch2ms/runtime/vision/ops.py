"""`torchvision.ops`: boxes, the suppression of overlapping ones, the focal loss. https://pytorch.org/vision/stable/ops.html"""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .. import mint
from ..mint.nn import functional as F

__all__ = [
    "batched_nms",
    "box_area",
    "box_convert",
    "box_iou",
    "clip_boxes_to_image",
    "generalized_box_iou",
    "nms",
    "remove_small_boxes",
    "sigmoid_focal_loss",
]

_KEPT = (mindspore.float32, mindspore.float64, mindspore.int32, mindspore.int64)
# above so many numbers PyTorch suppresses class by class
_MANY = 4000


def _wide(x: Tensor) -> Tensor:
    """The numbers in a type whose products do not overflow."""
    if x.dtype in _KEPT:
        return x
    return x.astype(mindspore.float32 if x.is_floating_point() else mindspore.int32)


def box_area(boxes: Tensor) -> Tensor:
    """Return the areas (N,) of boxes (N, 4) given as x1, y1, x2, y2."""
    boxes = _wide(boxes)
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _between(low: Tensor, high: Tensor) -> Tensor:
    """The areas (N, M) between corners (N, M, 2), 0 where they are in the wrong order."""
    sides = mint.clamp(_wide(high - low), min=0)
    return sides[:, :, 0] * sides[:, :, 1]


def _overlap(boxes1: Tensor, boxes2: Tensor) -> tuple[Tensor, Tensor]:
    """The areas (N, M) of the intersections and of the unions."""
    low = mint.maximum(boxes1[:, None, :2], boxes2[:, :2])
    high = mint.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
    shared = _between(low, high)
    return shared, box_area(boxes1)[:, None] + box_area(boxes2) - shared


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return the intersections over unions (N, M) of boxes (N, 4) and (M, 4)."""
    shared, union = _overlap(boxes1, boxes2)
    return shared / union


def generalized_box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return the generalized intersections over unions (N, M). https://arxiv.org/abs/1902.09630"""
    shared, union = _overlap(boxes1, boxes2)
    low = mint.minimum(boxes1[:, None, :2], boxes2[:, :2])
    high = mint.maximum(boxes1[:, None, 2:], boxes2[:, 2:])
    around = _between(low, high)
    return shared / union - (around - union) / around


def box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor:
    """Return boxes (..., 4) in another of the formats "xyxy", "xywh" and "cxcywh"; ValueError for any other."""
    known = ("xyxy", "xywh", "cxcywh")
    if in_fmt not in known or out_fmt not in known:
        raise ValueError(f"Unsupported Bounding Box Conversions for given in_fmt {in_fmt} and out_fmt {out_fmt}")
    if in_fmt == out_fmt:
        return boxes.copy()
    a, b, c, d = (boxes[..., n] for n in range(4))
    if in_fmt == "xywh":
        c, d = a + c, b + d
    elif in_fmt == "cxcywh":
        a, b, c, d = a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d
    if out_fmt == "xywh":
        c, d = c - a, d - b
    elif out_fmt == "cxcywh":
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return mint.stack((a, b, c, d), dim=-1)


def clip_boxes_to_image(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    """Return boxes (..., 4) cut at the borders of an image of the given height and width."""
    height, width = size
    parts = [mint.clamp(boxes[..., n], min=0, max=height if n % 2 else width) for n in range(4)]
    return mint.stack(parts, dim=-1)


def remove_small_boxes(boxes: Tensor, min_size: float) -> Tensor:
    """Return the numbers of the boxes (N, 4) whose sides are at least `min_size`."""
    array = boxes.asnumpy()
    keep = (array[:, 2] - array[:, 0] >= min_size) & (array[:, 3] - array[:, 1] >= min_size)
    return Tensor(np.flatnonzero(keep).astype(np.int64))


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Return the numbers of the boxes (N, 4) that overlap no better one by more than `iou_threshold`, best first."""
    return Tensor(_kept(_numbers(boxes), _numbers(scores), iou_threshold))


def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: float) -> Tensor:
    """Return what `nms` keeps where only boxes with the same number in `idxs` (N,) suppress each other."""
    places, marks, groups = _numbers(boxes), _numbers(scores), idxs.asnumpy()
    if places.size == 0:
        return Tensor(np.zeros(0, np.int64))
    if places.size <= _MANY:
        offsets = groups.astype(places.dtype) * (places.max() + places.dtype.type(1))
        return Tensor(_kept(places + offsets[:, None], marks, iou_threshold))
    keep = np.zeros(len(marks), bool)
    for group in np.unique(groups):
        (members,) = np.nonzero(groups == group)
        keep[members[_kept(places[members], marks[members], iou_threshold)]] = True
    (found,) = np.nonzero(keep)
    return Tensor(found[np.argsort(-marks[found], kind="stable")].astype(np.int64))


def _numbers(x: Tensor) -> np.ndarray:
    array: np.ndarray = (x if x.dtype in _KEPT else x.astype(mindspore.float32)).asnumpy()
    return array


def _kept(boxes: np.ndarray, scores: np.ndarray, threshold: float) -> np.ndarray:
    order = np.argsort(-scores, kind="stable")
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    keep = []
    while order.size:
        best, order = order[0], order[1:]
        keep.append(best)
        low, high = np.maximum(boxes[best, :2], boxes[order, :2]), np.minimum(boxes[best, 2:], boxes[order, 2:])
        sides = np.maximum(high - low, 0)
        shared = sides[:, 0] * sides[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            # the quotient is compared in double precision, and what is no number suppresses nothing
            overlap = (shared / (areas[best] + areas[order] - shared)).astype(np.float64)
        order = order[~(overlap > threshold)]
    return np.array(keep, np.int64)


def sigmoid_focal_loss(
    inputs: Tensor, targets: Tensor, alpha: float = 0.25, gamma: float = 2, reduction: str = "none"
) -> Any:
    """Return the focal loss of scores and labels of the same shape; ValueError for an unknown reduction.

    https://arxiv.org/abs/1708.02002
    """
    chance = mint.sigmoid(inputs)
    loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    right = chance * targets + (1 - chance) * (1 - targets)
    loss = loss * (1 - right) ** gamma
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"Invalid Value for arg 'reduction': '{reduction}'")
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()
