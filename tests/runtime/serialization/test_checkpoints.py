"""Checkpoints between PyTorch and the runtime, in both directions and both of PyTorch's formats."""

from __future__ import annotations

import argparse
import collections
import io
import os
import pathlib
import pickle
import stat
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from tests.ids import stable
from torch2ms.runtime import nn, serialization
from torch2ms.runtime.device import default_device
from torch2ms.runtime.mint import nn as mnn

DTYPES = (
    "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64".split()
)


def common(value: Any) -> Any:
    """Both libraries' tensors as (kind, type, numbers), containers with their type."""
    if isinstance(value, Tensor):
        array = value.asnumpy()
        name = {"bool_": "bool"}.get(str(array.dtype), str(array.dtype))
        numbers = array.astype(np.float32) if name == "bfloat16" else array
        return "parameter" if isinstance(value, Parameter) else "tensor", name, numbers.tolist()
    if isinstance(value, torch.Tensor):
        kind = "parameter" if isinstance(value, torch.nn.Parameter) else "tensor"
        plain = value.detach()
        numbers = plain.float() if plain.dtype == torch.bfloat16 else plain
        return kind, str(value.dtype).removeprefix("torch."), numbers.numpy().tolist()
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype.newbyteorder("=")), value.tolist()
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if type(value).__module__.startswith("mindspore"):
        return str(value).lower().removeprefix("mindspore.")
    if isinstance(value, torch.device):
        return "cpu"
    if isinstance(value, dict):
        return type(value).__name__, {key: common(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return "list" if isinstance(value, list) else "tuple", [common(inner) for inner in value]
    return str(value).lower() if value is not None and type(value).__name__ == "Device" else value


def training_state() -> dict[str, Any]:
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01, amsgrad=True)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for _ in range(3):
        net(torch.randn(5, 3)).sum().backward()
        optimizer.step()
        schedule.step()
    return {
        "epoch": 3, "best": 0.5, "model": net.state_dict(), "optimizer": optimizer.state_dict(),
        "scheduler": schedule.state_dict(), "rng": torch.get_rng_state(), "names": ["a", "b"],
    }  # fmt: skip


BASE = torch.arange(12.0).view(3, 4)
OBJECTS: dict[str, Any] = {
    "training state": training_state(),
    "types": {d: torch.tensor([0, 1, 1]).to(getattr(torch, d)) for d in DTYPES},
    "views": [BASE, BASE.t(), BASE[:, 1:3], BASE[1], BASE.expand(2, 3, 4), BASE[::2], BASE.T[1:]],
    "small": [torch.tensor(3.5), torch.empty(0, 3), torch.zeros(1, 0, 2)],
    "parameter": torch.nn.Parameter(torch.ones(2)),
    "plain": {"n": None, "b": True, "big": 2**70, "neg": -5, "f": float("inf"), "s": "ü\n", "by": b"a\0", "c": 1 + 2j},
    "containers": {
        "l": [1, (2, "x"), ()], "s": {1, 2}, "o": collections.OrderedDict(a=1), "k": {(1, "a"): 2, 3: 4, None: 5},
        "counter": collections.Counter("aab"), "ba": bytearray(b"xx"), "deep": [[[[{"a": [()]}]]]],
    },
    "names": [torch.float32, torch.int64, torch.Size([1, 2]), torch.device("cpu")],
}  # fmt: skip
# what only PyTorch with weights_only=False reads
UNSAFE: dict[str, Any] = {
    "arrays": [
        np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(["ab", "c"]),
        np.array(True), np.arange(3, dtype=">i4"),
    ],
    "numbers of numpy": [np.float64(3.5), np.int32(4), np.bool_(True)],
    "settings": argparse.Namespace(lr=0.1, name="x", nested=argparse.Namespace(a=[1])),
    "others": [frozenset([1, 2]), slice(1, 2), range(3), pathlib.Path("/a/b"), collections.defaultdict(list, {1: [2]})],
}  # fmt: skip


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize("name", [*OBJECTS, *UNSAFE])
@pytest.mark.parametrize("lazy", [True, False], ids=["lazy", "read"])
def test_what_pytorch_wrote_is_read(name: str, legacy: bool, lazy: bool, tmp_path: pathlib.Path) -> None:
    value = {**OBJECTS, **UNSAFE}[name]
    path = tmp_path / "file.pth"
    torch.save(value, path, _use_new_zipfile_serialization=not legacy)
    assert common(serialization.load(path, mmap=lazy)) == common(value)
    with path.open("rb") as file:
        assert common(serialization.load(file)) == common(value)
    assert common(serialization.load(io.BytesIO(path.read_bytes()), map_location="cuda:0")) == common(value)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_later_pickle_protocols(protocol: int, tmp_path: pathlib.Path) -> None:
    for name in ("training state", "containers"):
        torch.save(OBJECTS[name], tmp_path / "file.pth", pickle_protocol=protocol)
        assert common(serialization.load(tmp_path / "file.pth")) == common(OBJECTS[name])


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("mmap", [False, True])
def test_pytorch_reads_what_was_written(name: str, mmap: bool, tmp_path: pathlib.Path) -> None:
    torch.save(OBJECTS[name], tmp_path / "theirs.pth")
    serialization.save(serialization.load(tmp_path / "theirs.pth"), tmp_path / "ours.pth")
    expected = common(OBJECTS[name])
    assert common(torch.load(tmp_path / "ours.pth", weights_only=True, mmap=mmap)) == expected
    assert common(serialization.load(tmp_path / "ours.pth")) == expected


@pytest.mark.parametrize("name", UNSAFE)
def test_pytorch_reads_numpys_types_without_weights_only(name: str, tmp_path: pathlib.Path) -> None:
    serialization.save(UNSAFE[name], tmp_path / "ours.pth")
    assert common(torch.load(tmp_path / "ours.pth", weights_only=False)) == common(UNSAFE[name])
    assert common(serialization.load(tmp_path / "ours.pth")) == common(UNSAFE[name])


def test_tensors_on_shared_memory_stay_together(tmp_path: pathlib.Path) -> None:
    torch.save({"a": BASE, "b": BASE.view(12), "c": BASE[1]}, tmp_path / "theirs.pth")
    loaded = serialization.load(tmp_path / "theirs.pth")
    assert np.shares_memory(loaded["a"].asnumpy(), loaded["b"].asnumpy())
    loaded["a"].asnumpy()[1, 0] = 99
    assert float(loaded["c"][0]) == 99
    serialization.save(loaded, tmp_path / "ours.pth")
    back = torch.load(tmp_path / "ours.pth")
    assert back["a"].data_ptr() == back["b"].data_ptr()


def test_one_object_under_two_keys_stays_one(tmp_path: pathlib.Path) -> None:
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    serialization.save({"a": weight, "b": weight, "list": [weight.shape] * 2}, tmp_path / "ours.pth")
    loaded = serialization.load(tmp_path / "ours.pth")
    assert loaded["a"] is loaded["b"] and isinstance(loaded["a"], Parameter)
    back = torch.load(tmp_path / "ours.pth")
    assert back["a"].data_ptr() == back["b"].data_ptr()


def test_loaded_tensors_do_not_change_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "large.pth"
    torch.save(torch.zeros(1 << 20), path)
    before = path.read_bytes()
    tensor = serialization.load(path)
    tensor[:] = 7
    assert float(tensor.asnumpy().sum()) == 7 * (1 << 20)
    assert path.read_bytes() == before
    assert float(serialization.load(path).asnumpy().sum()) == 0


def test_a_lazily_loaded_file_may_be_written_anew(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "large.pth"
    serialization.save({"w": Tensor(np.ones(1 << 20, np.float32))}, path)
    loaded = serialization.load(path)
    serialization.save({"w": Tensor(np.zeros(10, np.float32))}, path)
    assert float(loaded["w"].asnumpy().sum()) == 1 << 20
    serialization.save(loaded, path)
    assert float(serialization.load(path)["w"].asnumpy().sum()) == 1 << 20


def test_a_model_goes_to_pytorch_and_back(tmp_path: pathlib.Path) -> None:
    ours = nn.SequentialCell(mnn.Linear(3, 4), mnn.BatchNorm1d(4), mnn.Linear(4, 1))
    serialization.save(ours.state_dict(), tmp_path / "ours.pth")
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    theirs.load_state_dict(torch.load(tmp_path / "ours.pth", weights_only=True))
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.mul_(2)
    torch.save(theirs.state_dict(), tmp_path / "theirs.pth")
    ours.load_state_dict(serialization.load(tmp_path / "theirs.pth"))
    x = np.random.RandomState(0).randn(5, 3).astype(np.float32)
    expected = theirs.eval()(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(ours.set_train(False)(Tensor(x)).asnumpy(), expected, 1e-5, 1e-6)


def test_module_versions_beside_a_state_dict_survive(tmp_path: pathlib.Path) -> None:
    torch.save(torch.nn.BatchNorm1d(2).state_dict(), tmp_path / "f.pth")
    assert serialization.load(tmp_path / "f.pth")._metadata[""] == {"version": 2}


def test_devices_and_types(tmp_path: pathlib.Path) -> None:
    serialization.save([default_device(), mindspore.float16, mindspore.bool_], tmp_path / "f.pth")
    assert torch.load(tmp_path / "f.pth") == [torch.device("cpu"), torch.float16, torch.bool]


class Marker(Exception):
    pass


class Runs:
    def __reduce__(self) -> Any:
        return os.system, ("echo run > marker",)


PAYLOADS = {
    "model": torch.nn.Linear(2, 2),
    "system": Runs(),
    "inside": {"weights": [torch.ones(2), Runs()]},
    "exception": Marker("x"),
    "function": os.getcwd,
    "objects": np.array([None]),
}


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize("name", PAYLOADS)
def test_code_is_never_run(name: str, legacy: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save(PAYLOADS[name], "file.pth", _use_new_zipfile_serialization=not legacy)
    with pytest.raises(serialization.UnsafeCheckpoint):
        serialization.load("file.pth", weights_only=False)
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("protocol", range(6))
def test_bare_pickles_are_refused(protocol: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("file.pth").write_bytes(pickle.dumps(Runs(), protocol))
    with pytest.raises((serialization.UnsafeCheckpoint, serialization.DamagedCheckpoint)):
        serialization.load("file.pth")
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize(
    ("tensor", "told"),
    [(torch.eye(2).to_sparse(), "sparse"), (torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8), "quantized"),
     (torch.ones(2, device="meta"), "meta"), (torch.zeros(2).to(torch.float8_e4m3fn), "float8")],
    ids=["sparse", "quantized", "meta", "float8"],
)  # fmt: skip
def test_tensors_without_counterpart_are_named(tensor: torch.Tensor, told: str, tmp_path: pathlib.Path) -> None:
    torch.save(tensor, tmp_path / "f.pth")
    with pytest.raises(serialization.UnsafeCheckpoint, match=told):
        serialization.load(tmp_path / "f.pth")


class Config:
    def __init__(self, width: int) -> None:
        self.width = width


class Finished:
    def __init__(self) -> None:
        self.value = 0

    def __getstate__(self) -> Any:
        return {"value": 5}

    def __setstate__(self, state: Any) -> None:
        self.value = state["value"] + 1


def test_classes_that_the_program_declares_safe(tmp_path: pathlib.Path) -> None:
    torch.save({"config": Config(3), "state": Finished()}, tmp_path / "f.pth")
    with pytest.raises(serialization.UnsafeCheckpoint, match="add_safe_globals"):
        serialization.load(tmp_path / "f.pth")
    with serialization.safe_globals([Config, Finished]):
        loaded = serialization.load(tmp_path / "f.pth")
        serialization.save(loaded, tmp_path / "g.pth")
        assert serialization.load(tmp_path / "g.pth")["config"].width == 3
    assert loaded["config"].width == 3 and loaded["state"].value == 6
    assert not serialization.get_safe_globals()
    serialization.add_safe_globals([Config])
    assert serialization.get_safe_globals() == [Config]
    serialization.clear_safe_globals()


@pytest.mark.parametrize(
    "value", [mnn.Linear(2, 2), Config(1), {"a": [Config(1)]}, os.getcwd, Config, lambda: 1, object()], ids=stable
)
def test_what_is_no_data_is_not_written(value: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "f.pth"
    path.write_bytes(b"old")
    with pytest.raises(pickle.PicklingError):
        serialization.save(value, path)
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["f.pth"]


def test_an_interrupted_save_leaves_the_old_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.pth"
    serialization.save({"a": 1}, path)

    def fail(*_args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        serialization.save({"a": 2}, path)
    assert serialization.load(path) == {"a": 1} and os.listdir(tmp_path) == ["f.pth"]


def test_paths_modes_and_links(tmp_path: pathlib.Path) -> None:
    target, link = tmp_path / "target.pth", tmp_path / "link.pth"
    before = os.umask(0o027)
    serialization.save(1, target)
    os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o600)
    link.symlink_to(target)
    serialization.save(2, str(link))
    assert link.is_symlink() and serialization.load(target) == 2
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(FileNotFoundError):
        serialization.load(tmp_path / "none.pth")
    with pytest.raises(FileNotFoundError):
        serialization.save(1, tmp_path / "no folder" / "f.pth")


def test_file_objects(tmp_path: pathlib.Path) -> None:
    stream = io.BytesIO()
    serialization.save({"a": Tensor([1.0])}, stream)
    stream.seek(0)
    assert torch.load(stream)["a"].tolist() == [1.0]
    stream.seek(0)
    assert serialization.load(stream)["a"].asnumpy().tolist() == [1.0]


def test_random_states_go_over(tmp_path: pathlib.Path) -> None:
    from torch2ms.runtime import _rng, random

    torch.manual_seed(5)
    torch.randn(3)
    torch.save(torch.get_rng_state(), tmp_path / "f.pth")
    random.set_rng_state(serialization.load(tmp_path / "f.pth"))
    np.testing.assert_allclose(_rng.normal(4), torch.randn(4).numpy(), 1e-6)


def test_compressed_and_large_archives(tmp_path: pathlib.Path) -> None:
    import zipfile

    torch.save({"a": torch.arange(100.0)}, tmp_path / "f.pth")
    with zipfile.ZipFile(tmp_path / "f.pth") as old, zipfile.ZipFile(tmp_path / "g.pth", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert float(serialization.load(tmp_path / "g.pth")["a"].sum()) == 4950


def test_records_beyond_4_gb_are_found(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    # the wide form of the archive, without writing that much
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    serialization.save({"a": Tensor(np.arange(1000.0)), "b": Tensor([1])}, tmp_path / "f.pth")
    monkeypatch.undo()
    loaded = serialization.load(tmp_path / "f.pth")
    assert float(loaded["a"].sum()) == 499500
    assert torch.load(tmp_path / "f.pth", mmap=True)["a"].sum() == 499500


def test_safetensors(tmp_path: pathlib.Path) -> None:
    from safetensors.torch import load_file, save_file

    values = {d: torch.tensor([[0, 1, 1]]).to(getattr(torch, d)) for d in DTYPES if d != "complex128"}
    values["scalar"], values["empty"] = torch.tensor(1.5), torch.zeros(0, 2)
    save_file(values, tmp_path / "theirs.safetensors", {"format": "pt"})
    loaded = serialization.safetensors.load_file(tmp_path / "theirs.safetensors")
    assert {k: common(v) for k, v in loaded.items()} == {k: common(v) for k, v in values.items()}
    serialization.safetensors.save_file(loaded, tmp_path / "ours.safetensors", {"by": "ours"})
    assert {k: common(v) for k, v in load_file(tmp_path / "ours.safetensors").items()} == {
        k: common(v) for k, v in values.items()
    }
    with serialization.safetensors.safe_open(tmp_path / "ours.safetensors") as file:
        assert file.metadata() == {"by": "ours"} and sorted(file.keys()) == sorted(values)
        assert common(file.get_tensor("scalar")) == common(values["scalar"])
        with pytest.raises(KeyError):
            file.get_tensor("none")
    content = serialization.safetensors.save(loaded)
    assert set(serialization.safetensors.load(content)) == set(values)


def test_checkpoints_from_a_url(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    source = tmp_path / "net.pth"
    torch.save({"w": torch.ones(2)}, source)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    for name, valid in ((f"net-{digest[:8]}.pth", True), ("net-00000000.pth", False)):
        (tmp_path / name).write_bytes(source.read_bytes())
        url = (tmp_path / name).as_uri()
        if valid:
            assert serialization.load_state_dict_from_url(url, check_hash=True)["w"].asnumpy().tolist() == [1, 1]
            (tmp_path / name).unlink()
            assert "w" in serialization.load_state_dict_from_url(url, progress=False)
        else:
            with pytest.raises(RuntimeError, match="hash"):
                serialization.load_state_dict_from_url(url, check_hash=True)
    with pytest.raises(RuntimeError, match="could not be fetched.*hub/checkpoints"):
        serialization.load_state_dict_from_url((tmp_path / "none.pth").as_uri())
    assert sorted(os.listdir(tmp_path / "home" / "hub" / "checkpoints")) == [f"net-{digest[:8]}.pth"]
