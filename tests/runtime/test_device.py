"""Device names, the questions that scripts ask about devices, timing."""

from __future__ import annotations

import copy
import pickle
import time

import pytest
import torch

from torch2ms.runtime import default_device, device, mint, unsupported, unsupported_api
from torch2ms.runtime.device import Device


def test_the_cpu() -> None:
    for asked in (None, "cpu", "cuda", "cuda:1", 0, Device("CPU")):
        found = default_device(asked)
        assert found == "CPU" and found.type == "cpu" and found.index is None and isinstance(found, str)
    assert f"{default_device()}" == str(default_device().type) == str(torch.device("cpu"))
    assert default_device() == default_device("cuda:3")
    with pytest.raises(TypeError):
        default_device(True)


def test_an_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "target", lambda: "Ascend")
    assert default_device() == "Ascend" and default_device().index is None
    found = default_device("cuda:1")
    assert str(found) == "Ascend:1" and found.index == 1
    assert found == "cuda:1" and found == "npu:1" and found != "cuda:0" and found != "cpu"
    assert found.type == "cuda" and found.type == "Ascend" and found.type != "cpu"
    assert found.startswith("cuda") and "cuda" in found and not found.startswith("cpu")
    assert default_device(2) == Device("Ascend", 2) and default_device("cuda", 3).index == 3
    assert default_device("cpu") == "cpu" and default_device("cpu") != default_device("cuda")
    assert device.is_available() and device.is_bf16_supported()


def test_devices_are_values() -> None:
    one = Device("Ascend:1")
    assert {one: 1}[Device("Ascend", 1)] == 1 and len({one, Device("Ascend:1"), Device("CPU")}) == 2
    assert pickle.loads(pickle.dumps(one)) == one == copy.deepcopy(one)
    with one as inside:
        assert inside is one
    with pytest.raises(RuntimeError, match="index"):
        Device("Ascend:1", 2)


def test_questions_on_the_cpu() -> None:
    assert not device.is_available() and device.device_count() == 0
    assert device.get_device_name(0) == "CPU" and device.get_device_capability() == (0, 0)
    assert device.get_device_properties(0).total_memory == 0
    for ask in (device.memory_allocated, device.max_memory_allocated, device.memory_reserved, device.max_memory_reserved):
        assert ask() == 0 and ask("cuda:0") == 0
    assert device.memory_stats() == {} and device.memory_summary() == "" and device.mem_get_info() == (0, 0)
    device.synchronize()
    device.empty_cache()
    device.reset_peak_memory_stats()
    device.set_device(0)


def test_timing_and_streams() -> None:
    start, end = device.Event(enable_timing=True), device.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="recorded"):
        start.elapsed_time(end)
    start.record()
    time.sleep(0.02)
    end.record()
    end.synchronize()
    assert 15 < start.elapsed_time(end) < 2000 and end.query()
    with pytest.raises(RuntimeError, match="enable_timing"):
        device.Event().elapsed_time(end)
    queue = device.Stream()
    with device.stream(queue), device.stream(None):
        queue.record_event().wait(queue)
    queue.wait_stream(device.current_stream())
    queue.synchronize()


def test_unsupported_raises_when_it_is_reached() -> None:
    with pytest.raises(NotImplementedError) as caught:
        unsupported("torch.fx.symbolic_trace", "  g = torch.fx.symbolic_trace(net)\n", "call the model itself")
    assert str(caught.value).splitlines() == [
        "torch.fx.symbolic_trace was not converted to MindSpore.",
        "  original: g = torch.fx.symbolic_trace(net)",
        "  instead:  call the model itself",
    ]
    with pytest.raises(NotImplementedError, match="torch.x"):
        unsupported("torch.x")


def test_an_unsupported_api_may_be_kept_and_tested_for() -> None:
    kept = unsupported_api("torch.fx.Node", "Node", "call the model itself")
    registry = {"node": kept, "relu": mint.nn.ReLU}
    assert kept in registry.values() and mint.nn.ReLU in registry.values() and {kept: 1}[kept] == 1
    assert not isinstance(3, (int, kept)[1:]) and kept != mint.nn.ReLU and kept is not None
    for use in (
        lambda: kept(1), lambda: kept.op, lambda: bool(kept), lambda: kept == "node", lambda: type("Own", (kept,), {}),
    ):
        with pytest.raises(NotImplementedError, match=r"torch\.fx\.Node was not converted"):
            use()
