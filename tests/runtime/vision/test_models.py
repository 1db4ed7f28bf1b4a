"""The networks of torchvision.models: layers and their names, seeded weights, outputs, trained weights by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from mindspore import Tensor

from tests.runtime.vision.test_transforms import needs_torchvision, torchvision
from torch2ms.runtime import interop, manual_seed, nn, serialization, vision

M = vision.models
IMAGES = np.random.RandomState(0).randn(2, 3, 64, 64).astype(np.float32)


def _elements(net: nn.Cell) -> int:
    return sum(p.size for p in net.get_parameters() if p.requires_grad)


@pytest.mark.parametrize(("name", "elements"), [("resnet18", 11_689_512), ("resnet34", 21_797_672), ("resnet50", 25_557_032)])
def test_number_of_weights(name: str, elements: int) -> None:
    assert _elements(getattr(M, name)()) == elements


def test_settings() -> None:
    net = M.resnet18(num_classes=7, zero_init_residual=True).set_train(False)
    assert net(Tensor(IMAGES)).shape == (2, 7)
    assert not net.layer1[0].bn2.weight.asnumpy().any() and net.fc.in_features == 512
    dilated = M.resnet50(replace_stride_with_dilation=[False, True, True], num_classes=3)
    assert dilated.layer4[1].conv2.dilation in ((4, 4), 4)
    with pytest.raises(ValueError, match="groups"):
        M.resnet18(groups=2)


@needs_torchvision
@pytest.mark.parametrize(
    ("name", "options"),
    [("resnet18", {}), ("resnet50", {"num_classes": 7}), ("resnet50", {"replace_stride_with_dilation": [False, True, True]}),
     ("alexnet", {"num_classes": 5}), ("vgg11_bn", {"num_classes": 5})],
    ids=str,
)  # fmt: skip
def test_same_seed_same_network(name: str, options: dict[str, Any]) -> None:
    torch.manual_seed(3)
    theirs = getattr(torchvision.models, name)(weights=None, **options).eval()
    manual_seed(3)
    ours = getattr(M, name)(**options).set_train(False)
    expected, found = theirs.state_dict(), ours.state_dict()
    assert list(found) == list(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(found[key].asnumpy(), value.numpy(), 1e-4, 1e-6)
    ours.load_state_dict(interop.from_torch(expected))
    out = theirs(torch.tensor(IMAGES)).detach().numpy()
    np.testing.assert_allclose(ours(Tensor(IMAGES)).asnumpy(), out, 1e-3, 1e-4)


def test_trained_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder = tmp_path / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    manual_seed(1)
    trained = M.resnet18()
    serialization.save(trained.state_dict(), folder / "resnet18-f37072fd.pth")
    for arguments in ({"pretrained": True}, {"weights": "DEFAULT"}, {"weights": M.ResNet18_Weights.IMAGENET1K_V1},
                      {"weights": "ResNet18_Weights.DEFAULT"}):  # fmt: skip
        loaded = M.resnet18(**arguments)
        np.testing.assert_array_equal(loaded.conv1.weight.asnumpy(), trained.conv1.weight.asnumpy())
    with pytest.raises(ValueError, match="IMAGENET1K_V1, DEFAULT"):
        M.resnet18(weights="IMAGENET1K_V2")
    assert M.ResNet50_Weights.DEFAULT is M.ResNet50_Weights.IMAGENET1K_V2 and M.VGG16_BN_Weights.DEFAULT
