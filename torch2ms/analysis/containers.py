"""The kinds of module containers, data sets, loaders and transforms: they carry the kind of what they hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.lattice import (
    BOTTOM,
    MAYBE_TENSOR,
    NUMBER,
    TENSOR,
    TENSOR_KINDS,
    TENSORS,
    UNKNOWN,
    Kind,
    KindInfo,
    first_in_place,
    join_all,
    mapping,
    record,
    sequence,
)
from torch2ms.analysis.torch_objects import LAYER

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator


def container(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """Sequential, ModuleList ...: `element` is what they hold."""
    args = arguments.args
    if name == "torch.nn.Sequential" and not (len(args) == 1 and args[0].kind in (Kind.MAPPING, Kind.UNKNOWN)):
        if arguments.starred:
            node = arguments.node
            starred = [isinstance(a, ast.Starred) for a in node.args] if node is not None else []
            layers = join_all([ev.iterate(a) if s else a for a, s in zip(args, starred, strict=True)])
            return KindInfo(
                Kind.MODULE,
                cls=name,
                element=LAYER if layers is UNKNOWN else layers,
                starts=first_in_place(args[0] if starred[:1] == [True] else sequence(items=tuple(args[:1]))),
            )
        return KindInfo(Kind.MODULE, cls=name, element=join_all(args), items=tuple(args))
    if not args:
        return KindInfo(Kind.MODULE, cls=name, element=BOTTOM)
    held = args[0].element if args[0].kind is Kind.MAPPING else ev.iterate(args[0])
    return KindInfo(Kind.MODULE, cls=name, element=held)


def loader(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """A DataLoader: `element` is a batch, `items[0]` the data set."""
    data = arguments.get(0, "dataset") or UNKNOWN
    sample = ev.iterate(data)
    collate = arguments.keywords.get("collate_fn")
    if collate is not None and collate.kind is not Kind.NONE:
        batch = ev.call(collate, Arguments(None, [sequence(sample)], {}))
    elif data.classes and all(cls.startswith("torchvision.datasets.") for cls in data.classes):
        batch = sequence(items=(TENSOR, KindInfo(Kind.TENSOR, dtype="int64")))
    else:
        batch = collated(sample)
    return KindInfo(Kind.LOADER, cls=name, element=batch, items=(data,))


def collated(sample: KindInfo) -> KindInfo:
    """What default_collate makes of samples of a kind."""
    kind = sample.kind
    if kind is Kind.NUMBER or kind is Kind.NDARRAY or kind in TENSOR_KINDS:
        return TENSOR if sample.certain else MAYBE_TENSOR
    if kind is Kind.STRING:
        return sequence(sample)
    if kind is Kind.SEQUENCE:
        if sample.items is not None:
            return sequence(items=tuple(collated(i) for i in sample.items))
        return sequence(collated(sample.element) if sample.element is not None else None)
    if kind is Kind.MAPPING:
        if sample.keys is not None and sample.items is not None:
            return record({key: collated(item) for key, item in zip(sample.keys, sample.items, strict=True)})
        return mapping(collated(sample.element) if sample.element is not None else None)
    return BOTTOM if sample is BOTTOM else UNKNOWN


def dataset(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """A data set of PyTorch or torchvision: `element` is a sample."""
    args = arguments.args
    if name == "torch.utils.data.TensorDataset":
        return KindInfo(
            Kind.DATASET, cls=name, element=TENSORS if arguments.starred else sequence(items=(TENSOR,) * len(args))
        )
    if name == "torch.utils.data.Subset" and args:
        return args[0]
    if name == "torch.utils.data.ConcatDataset" and args:
        return KindInfo(Kind.DATASET, cls=name, element=ev.iterate(ev.iterate(args[0])))
    if name.startswith("torchvision.datasets."):
        transform = arguments.keywords.get("transform")
        image = ev.call(transform, Arguments(None, [UNKNOWN], {})) if transform is not None else UNKNOWN
        return KindInfo(Kind.DATASET, cls=name, element=sequence(items=(image, NUMBER)))
    return KindInfo(Kind.DATASET, cls=name)


def transform(ev: Evaluator, name: str, arguments: Arguments) -> KindInfo:
    """An object of torchvision.transforms; for Compose `element` is what an image becomes."""
    last = name.rpartition(".")[2]
    first = arguments.get(0, "transforms")
    if last == "Lambda" and first is not None and first.kind is Kind.CALLABLE:
        return first
    if last in ("Compose", "Sequential") and first is not None:
        if first.items is None:
            return KindInfo(Kind.OTHER, cls=name, element=_repeated(ev, first))
        image = UNKNOWN
        for step in first.items:
            image = ev.call(step, Arguments(None, [image], {}))
        return KindInfo(Kind.OTHER, cls=name, element=image)
    return KindInfo(Kind.OTHER, cls=name)


def _repeated(ev: Evaluator, steps: KindInfo) -> KindInfo:
    """Steps that are not known one by one give a tensor if each of them does."""
    if steps.element is None:
        return UNKNOWN
    return ev.call(steps.element, Arguments(None, [UNKNOWN], {}))


def transformed(info: KindInfo, name: str, image: KindInfo) -> KindInfo:
    """What calling an object of torchvision.transforms gives."""
    last = name.rpartition(".")[2]
    if last in ("ToTensor", "PILToTensor", "Normalize", "ConvertImageDtype", "RandomErasing", "LinearTransformation"):
        return TENSOR
    if last == "Compose":
        return info.element if info.element is not None else UNKNOWN
    if last in ("ToPILImage", "FiveCrop", "TenCrop", "ToImage"):
        return UNKNOWN
    return image


def einops_result(name: str, arguments: Arguments) -> KindInfo:
    """What einops gives: what it was given, stacked where that was a list."""
    last = name.rpartition(".")[2]
    if name.startswith("einops.layers."):
        return KindInfo(Kind.MODULE, cls=name)
    given = arguments.get(0, "tensor") or UNKNOWN
    if last in ("rearrange", "reduce", "repeat"):
        return given.element if given.kind is Kind.SEQUENCE and given.element is not None else given
    if last == "einsum":
        return next((a for a in arguments.args if a.kind in TENSOR_KINDS), UNKNOWN)
    if last == "parse_shape":
        return mapping(NUMBER)
    if last == "pack" and given.kind is Kind.SEQUENCE:
        return sequence(items=(given.element or UNKNOWN, sequence(None)))
    return sequence(given) if last == "unpack" else UNKNOWN
