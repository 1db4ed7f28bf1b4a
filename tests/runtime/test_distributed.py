"""Process groups: one process beside PyTorch's gloo, two processes for real."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
import torch.distributed as theirs
from mindspore import Tensor

from torch2ms.runtime import distributed, nn, serialization
from torch2ms.runtime.mint import nn as mnn


@pytest.fixture
def group() -> Any:
    distributed.init_process_group("gloo", rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


def test_before_there_is_a_group() -> None:
    assert distributed.is_available() and not distributed.is_initialized()
    for ask in ("get_rank", "get_world_size", "get_backend"):
        with pytest.raises(ValueError):
            getattr(theirs, ask)()
        with pytest.raises(ValueError, match="init_process_group"):
            getattr(distributed, ask)()
    with pytest.raises(ValueError):
        distributed.all_reduce(Tensor([1.0]))


def test_one_process(group: Any) -> None:
    assert distributed.is_initialized()
    assert (distributed.get_rank(), distributed.get_world_size(), distributed.get_backend()) == (0, 1, "gloo")
    with pytest.raises(ValueError, match="twice"):
        distributed.init_process_group("gloo", rank=0, world_size=1)
    x = Tensor([1.0, 2.0])
    for op in ("SUM", "AVG", "MAX", "MIN", "PRODUCT"):
        assert distributed.all_reduce(x, getattr(distributed.ReduceOp, op)) is None
        assert x.asnumpy().tolist() == [1.0, 2.0]
    work = distributed.all_reduce(x, async_op=True)
    assert work.wait() and work.is_completed()
    distributed.broadcast(x, 0)
    distributed.reduce(x, 0)
    distributed.barrier()
    distributed.monitored_barrier()


def test_one_process_collects_its_own(group: Any) -> None:
    x, empty = Tensor([1.0, 2.0]), lambda: Tensor([0.0, 0.0])
    parts = [empty()]
    distributed.all_gather(parts, x)
    assert parts[0].asnumpy().tolist() == [1.0, 2.0]
    parts = [empty()]
    distributed.gather(x, parts)
    assert parts[0].asnumpy().tolist() == [1.0, 2.0]
    for function, arguments in (
        (distributed.scatter, ([x],)), (distributed.reduce_scatter, ([x],)), (distributed.reduce_scatter_tensor, (x,)),
        (distributed.all_gather_into_tensor, (x,)), (distributed.all_to_all_single, (x,)),
    ):  # fmt: skip
        target = empty()
        function(target, *arguments)
        assert target.asnumpy().tolist() == [1.0, 2.0], function.__name__
    target = empty()
    distributed.all_to_all([target], [x])
    assert target.asnumpy().tolist() == [1.0, 2.0]
    scalar = Tensor(0.0)
    distributed.scatter(scalar, [Tensor(5.0)])
    assert float(scalar) == 5.0
    with pytest.raises(ValueError):
        distributed.send(x, 0)
    with pytest.raises(ValueError):
        distributed.recv(x, 0)
    with pytest.raises(NotImplementedError):
        distributed.all_to_all_single(x, x, [1], [1])


def test_one_process_and_objects(group: Any) -> None:
    value = {"a": [1]}
    parts: list[Any] = [None]
    distributed.all_gather_object(parts, value)
    assert parts == [value] and parts[0] is not value
    distributed.broadcast_object_list(parts, 0)
    distributed.gather_object(value, parts)
    received: list[Any] = [None]
    distributed.scatter_object_list(received, [7])
    assert parts == [value] and received == [7]
    some = distributed.new_group([0])
    assert distributed.get_world_size(some) == 1 and distributed.get_global_rank(some, 0) == 0
    assert distributed.get_group_rank(some, 0) == 0 and distributed.get_process_group_ranks() == [0]


@pytest.mark.parametrize(
    ("options", "variables"),
    [({}, {}), ({"rank": 0}, {}), ({"backend": "carrier pigeon"}, {"RANK": "0", "WORLD_SIZE": "1"}),
     ({"rank": 2, "world_size": 2}, {}), ({"init_method": "http://x", "rank": 0, "world_size": 1}, {})],
    ids=str,
)  # fmt: skip
def test_groups_that_cannot_be_made(
    options: dict[str, Any], variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RANK", "WORLD_SIZE", "RANK_ID", "MS_WORKER_NUM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError):
        distributed.init_process_group(**options)
    assert not distributed.is_initialized()


def test_variables_of_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "TORCHELASTIC_RUN_ID": "x"}.items():
        monkeypatch.setenv(name, value)
    distributed.init_process_group("cpu:gloo,cuda:nccl", init_method="env://")
    assert distributed.get_world_size() == 1 and distributed.get_node_local_rank() == 0
    assert distributed.is_torchelastic_launched()
    distributed.destroy_process_group()
    monkeypatch.delenv("LOCAL_RANK")
    assert distributed.get_node_local_rank(3) == 3
    with pytest.raises(RuntimeError):
        distributed.get_node_local_rank()
    assert distributed.is_gloo_available() and distributed.is_backend_available("NCCL") and not distributed.is_mpi_available()
    assert not distributed.is_nccl_available() and not distributed.is_backend_available("x")


def test_wrapped_models(group: Any) -> None:
    layer = mnn.Linear(2, 3)
    x = Tensor(np.ones((1, 2), np.float32))
    for wrap in (distributed.DataParallel, distributed.DistributedDataParallel):
        wrapped = wrap(layer, device_ids=[0])
        assert isinstance(wrapped, nn.Cell) and wrapped.module is layer
        assert list(wrapped.state_dict()) == ["module.weight", "module.bias"]
        np.testing.assert_array_equal(wrapped(x).asnumpy(), layer(x).asnumpy())
    with wrapped.no_sync():
        grads = (Tensor([1.0]), None)
        assert distributed.average_gradients(grads) is grads


TWO = """
    import json, os, sys
    import numpy as np
    from mindspore import Tensor
    from torch2ms.runtime import distributed as d
    from torch2ms.runtime.mint import nn

    def work(rank, world, folder):
        os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=sys.argv[1] if len(sys.argv) > 1 else "8431")
        d.init_process_group("nccl", rank=rank, world_size=world)
        out = {}
        for op in ("SUM", "AVG", "MAX", "MIN", "PRODUCT"):
            x = Tensor([float(rank + 1), 2.0])
            d.all_reduce(x, getattr(d.ReduceOp, op))
            out[op] = x.asnumpy().tolist()
        x = Tensor(np.array([rank + 0.5]))
        d.all_reduce(x)
        out["double"] = x.asnumpy().tolist()
        x = Tensor([float(rank)])
        d.broadcast(x, 1)
        out["broadcast"] = x.asnumpy().tolist()
        parts = [Tensor([0.0]) for _ in range(world)]
        d.all_gather(parts, Tensor([float(rank)]))
        out["gather"] = [p.asnumpy().tolist() for p in parts]
        x = Tensor([0.0])
        d.scatter(x, [Tensor([5.0]), Tensor([6.0])] if rank == 0 else None)
        out["scatter"] = x.asnumpy().tolist()
        x = Tensor([0.0])
        d.reduce_scatter(x, [Tensor([1.0 + rank]), Tensor([2.0])])
        out["reduce_scatter"] = x.asnumpy().tolist()
        received = [Tensor([0.0]), Tensor([0.0])]
        d.all_to_all(received, [Tensor([10.0 * rank]), Tensor([10.0 * rank + 1])])
        out["all_to_all"] = [r.asnumpy().tolist() for r in received]
        values = [rank, "x"]
        d.broadcast_object_list(values, 1)
        out["objects"] = values
        layer = nn.Linear(1, 1)
        layer.weight[:] = rank + 3.0
        d.DistributedDataParallel(layer)
        out["weight"] = layer.weight.asnumpy().tolist()
        grads = d.average_gradients((Tensor([float(rank)]), None, Tensor([[2.0 * rank]])))
        out["grads"] = [None if g is None else g.asnumpy().tolist() for g in grads]
        d.barrier()
        with open(os.path.join(folder, f"{rank}.json"), "w") as file:
            json.dump(out, file)
        d.destroy_process_group()

    if __name__ == "__main__":
        d.spawn(work, (2, os.path.dirname(__file__)), 2)
"""


def _start(tmp_path: Any, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GLOG_v": "4"}
    return subprocess.run(
        [sys.executable, str(script), *arguments], env=environment, capture_output=True, text=True, timeout=180
    )


@pytest.mark.slow
def test_two_processes(tmp_path: Any) -> None:
    import json
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    done = _start(tmp_path, TWO, port)
    assert done.returncode == 0, done.stderr[-3000:]
    for rank in (0, 1):
        assert json.loads((tmp_path / f"{rank}.json").read_text()) == {
            "SUM": [3.0, 4.0], "AVG": [1.5, 2.0], "MAX": [2.0, 2.0], "MIN": [1.0, 2.0], "PRODUCT": [2.0, 4.0],
            "double": [2.0], "broadcast": [1.0], "gather": [[0.0], [1.0]], "scatter": [5.0 + rank],
            "reduce_scatter": [3.0 + rank], "all_to_all": [[float(rank)], [10.0 + rank]], "objects": [1, "x"],
            "weight": [[3.0]], "grads": [[0.5], None, [[1.0]]],
        }  # fmt: skip


def test_a_process_that_fails(tmp_path: Any) -> None:
    text = """
        from torch2ms.runtime import distributed

        def work(rank, wanted):
            if rank == wanted:
                raise ValueError(f"rank {rank} gives up")

        if __name__ == "__main__":
            distributed.spawn(work, (5,), 2)
            print("fine", flush=True)
            distributed.spawn(work, (1,), 2)
    """
    done = _start(tmp_path, text)
    assert done.returncode == 1 and done.stdout == "fine\n"
    assert "process 1 terminated" in done.stderr and "rank 1 gives up" in done.stderr


def test_checkpoints_of_wrapped_models_load_without_the_wrapper(group: Any, tmp_path: Any) -> None:
    wrapped = distributed.DistributedDataParallel(mnn.Linear(2, 2))
    serialization.save(wrapped.module.state_dict(), tmp_path / "f.pth")
    assert list(serialization.load(tmp_path / "f.pth")) == ["weight", "bias"]
