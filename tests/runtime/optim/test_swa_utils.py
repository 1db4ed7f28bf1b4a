"""Weight averaging beside torch.optim.swa_utils."""
from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Tensor, ops

from torch2ms.runtime import mint, nn, optim

S, T = optim.swa_utils, torch.optim.swa_utils


def nets():
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    ours = nn.SequentialCell(mint.nn.Linear(3, 4), mint.nn.BatchNorm1d(4))
    ours.load_state_dict({k: Tensor(v.detach().numpy()) for k, v in theirs.state_dict().items()})
    return ours, theirs


def same(ours, theirs):
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for a, b in zip(ours.state_dict().values(), theirs.state_dict().values()):
        np.testing.assert_allclose(a.asnumpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", ["swa", "multi swa", "ema", "multi ema", "own"])
@pytest.mark.parametrize("use_buffers", [False, True])
def test_averaged_model(how, use_buffers):
    def options(lib):
        return {
            "swa": {},
            "multi swa": {"multi_avg_fn": lib.get_swa_multi_avg_fn()},
            "ema": {"avg_fn": lib.get_ema_avg_fn(0.9)},
            "multi ema": {"multi_avg_fn": lib.get_ema_multi_avg_fn(0.9)},
            "own": {"avg_fn": lambda a, b, n: a * 0.25 + b * 0.75},
        }[how]

    if how == "multi swa" and use_buffers:
        pytest.skip("PyTorch 2.13 raises for integer buffers here (addcdiv)")
    ours, theirs = nets()
    averaged = S.AveragedModel(ours, use_buffers=use_buffers, **options(S))
    t_averaged = T.AveragedModel(theirs, use_buffers=use_buffers, **options(T))
    rng = np.random.RandomState(0)
    for _ in range(4):
        for p, t in zip(ours.parameters(), theirs.parameters()):
            change = rng.randn(*p.shape).astype("float32")
            ops.assign(p, p + Tensor(change))
            with torch.no_grad():
                t += torch.tensor(change)
        averaged.update_parameters(ours)
        t_averaged.update_parameters(theirs)
        same(averaged, t_averaged)
    x = rng.randn(5, 3).astype("float32")
    np.testing.assert_allclose(averaged(Tensor(x)).asnumpy(), t_averaged(torch.tensor(x)).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_update_bn():
    ours, theirs = nets()
    rng = np.random.RandomState(0)
    batches = [rng.randn(6, 3).astype("float32") for _ in range(4)]
    ours.set_train(False)
    theirs.eval()
    S.update_bn([(Tensor(b), None) for b in batches], ours)
    T.update_bn([(torch.tensor(b), None) for b in batches], theirs)
    same(ours, theirs)
    assert not ours.training and ours[1].momentum == 0.1


def test_wrong_use():
    for call in (lambda: S.get_ema_avg_fn(2), lambda: S.get_ema_multi_avg_fn(-1)):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(AssertionError):
        S.AveragedModel(nets()[0], avg_fn=lambda *a: 0, multi_avg_fn=lambda *a: 0)
