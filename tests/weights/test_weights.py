"""`torch2ms weights` beside the libraries whose files it reads and writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mindspore
import numpy as np
import pytest
import safetensors.torch
import torch
from click.testing import CliRunner, Result
from mindspore import Parameter, Tensor

from torch2ms.cli import cli

SUFFIXES = [".pth", ".bin", ".safetensors", ".ckpt"]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, ["weights", *map(str, arguments)])


def written(*arguments: Any) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output + result.stderr
    return result


def refused(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


def state() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    tensors = {f"of.{str(d).partition('.')[2]}": (torch.randn(3, 5) * 3).to(d) for d in FLOATS + INTEGERS}
    base = torch.arange(24.0).reshape(4, 6)
    return {
        **tensors,
        "scalar": torch.tensor(2.5),
        "transposed": base.t(),
        "strided": base[1:, ::2],
        "expanded": torch.ones(2, 1).expand(2, 3),
        "tied.a": base,
        "tied.b": base,
        "ünï": torch.randn(2, 3, 4, 5),
    }


def save(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Write with the library that owns the format."""
    if path.suffix == ".safetensors":
        safetensors.torch.save_file({name: t.clone().contiguous() for name, t in tensors.items()}, path)
    elif path.suffix == ".ckpt":
        entries = [{"name": name, "data": Parameter(_mindspore(t))} for name, t in tensors.items()]
        mindspore.save_checkpoint(entries, str(path))
    else:
        torch.save(tensors, path)


def load(path: Path) -> dict[str, torch.Tensor]:
    """Read with the library that owns the format."""
    if path.suffix == ".safetensors":
        return safetensors.torch.load_file(path)
    if path.suffix == ".ckpt":
        return {name: _torch(p) for name, p in mindspore.load_checkpoint(str(path)).items()}
    return torch.load(path, weights_only=True)


def _mindspore(tensor: torch.Tensor) -> Tensor:
    if tensor.dtype == torch.bfloat16:
        return Tensor(tensor.float().contiguous().numpy()).astype(mindspore.bfloat16)
    return Tensor(tensor.contiguous().numpy())


def _torch(tensor: Tensor) -> torch.Tensor:
    if tensor.dtype == mindspore.bfloat16:
        return torch.tensor(tensor.asnumpy().astype(np.float32)).bfloat16()
    return torch.tensor(tensor.asnumpy())


def assert_same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        assert found[name].dtype == tensor.dtype and found[name].shape == tensor.shape, name
        assert torch.equal(found[name], tensor), name


@pytest.mark.parametrize("new", SUFFIXES)
@pytest.mark.parametrize("old", SUFFIXES)
def test_every_format_into_every_other(old: str, new: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"old{old}", tmp_path / f"new{new}"
    save(source, state())
    written(source, target)
    assert_same(load(target), state())


def test_files_in_pytorchs_older_format(tmp_path: Path) -> None:
    torch.save(state(), tmp_path / "old.pth", _use_new_zipfile_serialization=False)
    written(tmp_path / "old.pth", tmp_path / "new.safetensors")
    assert_same(load(tmp_path / "new.safetensors"), state())


@pytest.mark.parametrize("new", FLOATS, ids=str)
def test_types_are_converted_as_pytorch_does(new: torch.dtype, tmp_path: Path) -> None:
    torch.manual_seed(1)
    hard = torch.randn(100_000, dtype=torch.float64) * 10 ** torch.randint(-9, 4, (100_000,)).double()
    special = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-45, 1 + 2**-8, 1 + 3 * 2**-8, 60000.0])
    tensors = {str(d): torch.cat([hard, special.double()]).to(d) for d in FLOATS} | {"whole": torch.arange(3)}
    torch.save(tensors, tmp_path / "old.pth")
    written(tmp_path / "old.pth", tmp_path / "new.pth", "--dtype", str(new).partition(".")[2])
    for name, found in torch.load(tmp_path / "new.pth").items():
        expected = tensors[name] if name == "whole" else tensors[name].to(new)
        assert found.dtype == expected.dtype
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


def test_numbers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    torch.save({"w": torch.tensor([1.0, 70000.0])}, tmp_path / "old.pth")
    assert "w: 1 numbers are too large for float16" in refused(
        tmp_path / "old.pth", tmp_path / "new.pth", "--dtype", "float16"
    )
    assert os.listdir(tmp_path) == ["old.pth"]


def test_tied_tensors_stay_tied_in_pytorchs_format(tmp_path: Path) -> None:
    torch.save(state(), tmp_path / "old.pth")
    written(tmp_path / "old.pth", tmp_path / "new.pth")
    found = torch.load(tmp_path / "new.pth")
    assert found["tied.a"].data_ptr() == found["tied.b"].data_ptr()


def test_what_lies_beside_the_state_dict_is_named(tmp_path: Path) -> None:
    net = torch.nn.Linear(2, 3)
    torch.save(
        {"epoch": 3, "model": net.state_dict(), "optimizer": torch.optim.Adam(net.parameters()).state_dict()},
        tmp_path / "old.pth",
    )
    result = written(tmp_path / "old.pth", tmp_path / "new.safetensors")
    assert "left out: epoch, optimizer" in result.output
    assert_same(load(tmp_path / "new.safetensors"), dict(net.state_dict()))


def test_one_of_several_state_dicts_is_chosen_by_name(tmp_path: Path) -> None:
    old, new = tmp_path / "old.pth", tmp_path / "new.pth"
    torch.save({"nets": {"g": {"w": torch.ones(1)}, "d": {"w": torch.zeros(1)}}, "ema": {"w": torch.ones(2)}}, old)
    assert "not tensors by name" in refused(old, new, "--key", "nets.g.w")
    assert "there is no 'net'" in refused(old, new, "--key", "net")
    written(old, new, "--key", "nets.d")
    assert_same(torch.load(new), {"w": torch.zeros(1)})
    torch.save({"model": {"w": torch.ones(1)}, "ema": {"w": torch.ones(2)}}, old)
    assert "several state dicts: model, ema" in refused(old, new, "--force")


def test_names_are_changed_by_patterns(tmp_path: Path) -> None:
    torch.save({"module.a.w": torch.ones(1), "module.b.w": torch.ones(2)}, tmp_path / "old.pth")
    old, new = tmp_path / "old.pth", tmp_path / "new.pth"
    written(old, new, "--rename", "module.*=*")
    assert list(torch.load(new)) == ["a.w", "b.w"]
    written(old, new, "--force", "--rename", "module.*.w=net.*.weight")
    assert list(torch.load(new)) == ["net.a.weight", "net.b.weight"]
    assert "would both be called x" in refused(old, new, "--force", "--rename", "module.*.w=x")
    assert "--rename" in refused(old, new, "--force", "--rename", "a=*")


class Net(torch.nn.Module):
    """Every layer whose parameters have other names in mindspore.nn."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(7, 6)
        self.conv = torch.nn.Conv1d(5, 4, 3, padding=1)
        self.flat = torch.nn.Conv2d(1, 2, 3, padding=1)
        self.batch_norm = torch.nn.BatchNorm2d(2)
        self.group_norm = torch.nn.GroupNorm(2, 4)
        self.norm = torch.nn.LayerNorm(6)
        self.head = torch.nn.Linear(6, 3, bias=False)
        self.act = torch.nn.PReLU(2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.group_norm(self.conv(self.embed(ids)))
        x = self.act(self.batch_norm(self.flat(x[:, None]))).mean(1)
        return self.head(self.norm(x))


class Classic(mindspore.nn.Cell):
    """The same of mindspore.nn's layers."""

    def __init__(self) -> None:
        super().__init__()
        nn = mindspore.nn
        self.embed = nn.Embedding(7, 6)
        self.conv = nn.Conv1d(5, 4, 3, pad_mode="pad", padding=1, has_bias=True)
        self.flat = nn.Conv2d(1, 2, 3, pad_mode="pad", padding=1, has_bias=True)
        self.batch_norm = nn.BatchNorm2d(2)
        self.group_norm = nn.GroupNorm(2, 4)
        self.norm = nn.LayerNorm((6,), epsilon=1e-5)
        self.head = nn.Dense(6, 3, has_bias=False)
        self.act = nn.PReLU(2)

    def construct(self, ids: Tensor) -> Tensor:
        x = self.group_norm(self.conv(self.embed(ids)).expand_dims(-1)).squeeze(-1)
        x = self.act(self.batch_norm(self.flat(x[:, None]))).mean(1)
        return self.head(self.norm(x))


CLASSIC = ["--names", "classic", "--embedding", "embed.*", "--conv1d", "conv.*", "--rename", "act.weight=act.w"]


def trained() -> Net:
    torch.manual_seed(2)
    net = Net()
    with torch.no_grad():
        for tensor in net.state_dict().values():
            if tensor.is_floating_point():
                tensor.add_(torch.rand_like(tensor))
    return net.eval()


def test_classic_names_load_into_mindspores_layers(tmp_path: Path) -> None:
    net = trained()
    torch.save(net.state_dict(), tmp_path / "old.pth")
    result = written(tmp_path / "old.pth", tmp_path / "new.ckpt", *CLASSIC, "-v")
    assert "left out: batch_norm.num_batches_tracked" in result.output
    classic = Classic().set_train(False)
    assert mindspore.load_param_into_net(classic, mindspore.load_checkpoint(str(tmp_path / "new.ckpt"))) == ([], [])
    ids = np.random.RandomState(0).randint(0, 7, (2, 5))
    expected = net(torch.tensor(ids)).detach().numpy()
    np.testing.assert_allclose(classic(Tensor(ids)).asnumpy(), expected, 1e-5, 1e-5)


def test_classic_names_and_back(tmp_path: Path) -> None:
    net = trained()
    torch.save(net.state_dict(), tmp_path / "old.pth")
    written(tmp_path / "old.pth", tmp_path / "new.ckpt", *CLASSIC)
    back = ["--names", "torch", "--conv1d", "conv.*", "--rename", "act.w=act.weight"]
    written(tmp_path / "new.ckpt", tmp_path / "back.pth", *back)
    Net().load_state_dict(torch.load(tmp_path / "back.pth"))
    expected = {name: t for name, t in net.state_dict().items() if not name.endswith("num_batches_tracked")}
    assert_same(torch.load(tmp_path / "back.pth"), expected)


def test_classic_names_that_the_file_does_not_prove_are_asked_for(tmp_path: Path) -> None:
    old, new = tmp_path / "old.pth", tmp_path / "new.ckpt"
    torch.save(Net().state_dict(), old)
    said = refused(old, new, "--names", "classic")
    assert "embed.weight, head.weight (--embedding" in said and "conv.weight (--conv1d" in said
    assert "act.weight (--rename" in said and not new.exists()
    written(old, new, "--names", "classic", "--embedding", "none", "--conv1d", "none", "--keep", "act.weight")
    assert "embed.weight" in mindspore.load_checkpoint(str(new))


def test_dry_run_shows_the_names_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    torch.save(torch.nn.BatchNorm1d(3).state_dict(), tmp_path / "old.pth")
    result = written(tmp_path / "old.pth", tmp_path / "new.ckpt", "--names", "classic", "--dtype", "float16", "--dry-run")
    assert os.listdir(tmp_path) == ["old.pth"]
    (row,) = [line.split() for line in result.output.splitlines() if line.startswith("running_var")]
    assert row[:5] == ["running_var", "moving_variance", "float32", "->", "float16"]


def sharded(folder: Path, suffix: str) -> dict[str, torch.Tensor]:
    tensors = {f"layers.{i}.weight": torch.randn(3, 4) for i in range(5)} | {"step": torch.tensor(3)}
    names = list(tensors)
    places = {}
    folder.mkdir()
    for i, chosen in enumerate((names[:2], names[2:4], names[4:])):
        stem = "model" if suffix == ".safetensors" else "pytorch_model"
        part = f"{stem}-{i + 1:05d}-of-00003{suffix}"
        save(folder / part, {name: tensors[name] for name in chosen})
        places.update(dict.fromkeys(chosen, part))
    (folder / f"{stem}{suffix}.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    return tensors


@pytest.mark.parametrize("new", ["safetensors", "bin", "ckpt", "pth"])
@pytest.mark.parametrize("old", [".safetensors", ".bin"])
def test_folders_with_an_index(old: str, new: str, tmp_path: Path) -> None:
    tensors = sharded(tmp_path / "old", old)
    written(tmp_path / "old", tmp_path / "new", "--to", new)
    stem = "pytorch_model" if new == "bin" else "model"
    index = json.loads((tmp_path / "new" / f"{stem}.{new}.index.json").read_text())
    assert index["metadata"]["total_size"] == 5 * 48 + 8
    assert index["weight_map"].keys() == tensors.keys()
    found = {}
    for part in sorted(set(index["weight_map"].values())):
        held = load(tmp_path / "new" / part)
        assert all(index["weight_map"][name] == part for name in held)
        found.update(held)
    assert part.startswith(f"{stem}-00003-of-00003.")
    assert_same(found, tensors)
    assert sorted(os.listdir(tmp_path)) == ["new", "old"]


def test_a_folder_into_one_file(tmp_path: Path) -> None:
    tensors = sharded(tmp_path / "old", ".safetensors")
    written(tmp_path / "old", tmp_path / "new.pth")
    assert_same(torch.load(tmp_path / "new.pth"), tensors)


def test_an_index_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    sharded(tmp_path / "old", ".bin")
    index = tmp_path / "old" / "pytorch_model.bin.index.json"
    places = json.loads(index.read_text())
    places["weight_map"]["more"] = places["weight_map"]["step"]
    index.write_text(json.dumps(places))
    assert "more" in refused(tmp_path / "old", tmp_path / "new", "--to", "pth")
    places["weight_map"]["more"] = "../secret.bin"
    index.write_text(json.dumps(places))
    assert "outside of its folder" in refused(tmp_path / "old", tmp_path / "new", "--to", "pth")


def test_large_tensors_in_mindspores_files_have_several_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch2ms.weights import mindspore_files

    monkeypatch.setattr(mindspore_files, "_SLICE", 1 << 20)
    tensors = {"large": torch.randn(1000, 1003), "small": torch.randn(3)}
    torch.save(tensors, tmp_path / "old.pth")
    written(tmp_path / "old.pth", tmp_path / "new.ckpt")
    assert_same(load(tmp_path / "new.ckpt"), tensors)
    written(tmp_path / "new.ckpt", tmp_path / "back.pth")
    assert_same(torch.load(tmp_path / "back.pth"), tensors)


def test_sums_and_texts_of_mindspores_files(tmp_path: Path) -> None:
    path = tmp_path / "old.ckpt"
    mindspore.save_checkpoint(
        [{"name": "w", "data": Tensor([1.0, 2.0])}], str(path), append_dict={"lr": 0.5, "who": "me"}, crc_check=True
    )
    result = written(path, tmp_path / "new.pth")
    assert "left out: who" in result.output
    assert_same(torch.load(tmp_path / "new.pth"), {"w": torch.tensor([1.0, 2.0]), "lr": torch.tensor(0.5)})
    path.chmod(0o644)
    damaged = bytearray(path.read_bytes())
    damaged[-30] ^= 1
    path.write_bytes(damaged)
    assert "checksum" in refused(path, tmp_path / "new.pth", "--force")


BAD: dict[str, Any] = {
    "a whole model": lambda path: torch.save(torch.nn.Linear(1, 1), path),
    "a tensor": lambda path: torch.save(torch.ones(1), path),
    "text": lambda path: path.write_text("weights"),
    "nothing": lambda path: path.write_bytes(b""),
    "cut off": lambda path: (torch.save(state(), path), path.write_bytes(path.read_bytes()[:-600])),
    "cut ckpt": lambda path: path.write_bytes(b"\x0a\x80\x80\x80\x80\x80\x01"),
    "sparse": lambda path: torch.save({"w": torch.eye(2).to_sparse()}, path),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_state_dict_is_refused(kind: str, tmp_path: Path) -> None:
    BAD[kind](tmp_path / "old.pth")
    assert refused(tmp_path / "old.pth", tmp_path / "new.pth").startswith("error: ")
    assert os.listdir(tmp_path) == ["old.pth"]


def test_types_that_a_format_lacks_are_refused(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2, dtype=torch.complex128)}, tmp_path / "old.pth")
    assert "no complex128" in refused(tmp_path / "old.pth", tmp_path / "new.ckpt")
    assert "no complex128" in refused(tmp_path / "old.pth", tmp_path / "new.safetensors")
    torch.save({"w": torch.ones(0, 3)}, tmp_path / "old.pth")
    assert "empty tensor" in refused(tmp_path / "old.pth", tmp_path / "new.ckpt")
    assert os.listdir(tmp_path) == ["old.pth"]


def test_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pth")
    assert "exists" in refused(tmp_path / "a.pth", tmp_path / "a.pth")
    written(tmp_path / "a.pth", tmp_path / "a.pth", "--dtype", "float16", "--force")
    assert torch.load(tmp_path / "a.pth")["w"].dtype == torch.float16
    assert "unknown format" in refused(tmp_path / "a.pth", tmp_path / "a.onnx")


_MEASURE = """
import sys
for name in ("torch", "mindspore"):
    sys.modules[name] = None
from torch2ms.cli import cli
cli(["weights", *sys.argv[1:]], standalone_mode=False)
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("new", [".safetensors", ".ckpt", ".pth"])
def test_memory_is_bounded_and_neither_library_is_needed(new: str, tmp_path: Path) -> None:
    tensors = {f"w{i}": torch.randn(1 << 20) for i in range(59)} | {"t": torch.randn(1 << 10, 1 << 10).t()}
    torch.save(tensors, tmp_path / "old.pth")
    command = [sys.executable, "-c", _MEASURE, str(tmp_path / "old.pth"), str(tmp_path / f"new{new}"), "--dtype", "bfloat16"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) < 1.3 * 4096 + 200 * 1024
    assert (tmp_path / f"new{new}").stat().st_size > 60 << 21
