"""What goes wrong in workers: errors with their traceback, crashes, early ends, MindSpore operations. Never a hang."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest
from mindspore import Tensor, ops

from tests.runtime.data.samples import Samples
from torch2ms.runtime import data, mint, nn


@pytest.fixture(autouse=True)
def an_operation_was_run() -> None:
    # forked workers are only in danger after the first operation
    (Tensor([1.0]) + 1).asnumpy()


def no_worker_is_left() -> bool:
    # an exception that a test looked at holds the pass until it is collected
    gc.collect()
    deadline = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not multiprocessing.active_children()


class Raises(Samples):
    def __init__(self, error: Any, at: int = 3) -> None:
        super().__init__("int", 8)
        self.error, self.at = error, at

    def __getitem__(self, i: int) -> Any:
        if i == self.at:
            raise self.error
        return i


class TwoArguments(Exception):
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first, second)


@pytest.mark.parametrize("error", [ValueError("bad 7"), KeyError("bad 7"), IndexError("bad 7"), OSError("bad 7")], ids=repr)
def test_errors_keep_their_type_and_traceback(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        list(data.DataLoader(Raises(error), 2, num_workers=2))
    text = str(caught.value)
    assert "bad 7" in text and "worker process 1" in text
    assert "Traceback" in text and "raise self.error" in text and "\n" in text


def test_errors_that_cannot_be_built_again() -> None:
    class Local(Exception):
        pass

    for error in (TwoArguments("bad 7", "x"), Local("bad 7")):
        with pytest.raises(RuntimeError, match="bad 7"):
            list(data.DataLoader(Raises(error), 2, num_workers=1))


def test_the_pass_goes_on_after_an_error() -> None:
    batches = iter(data.DataLoader(Raises(ValueError("bad"), at=2), 2, num_workers=2))
    assert next(batches).asnumpy().tolist() == [0, 1]
    with pytest.raises(ValueError):
        next(batches)
    assert [b.asnumpy().tolist() for b in batches] == [[4, 5], [6, 7]]


def test_errors_of_init_functions_and_of_collation() -> None:
    def broken(worker: int) -> None:
        raise LookupError("no such disk")

    with pytest.raises(LookupError, match="no such disk"):
        list(data.DataLoader(Samples("int"), 2, num_workers=2, worker_init_fn=broken))
    with pytest.raises(ZeroDivisionError):
        list(data.DataLoader(Samples("int"), 2, num_workers=2, collate_fn=lambda batch: 1 / 0))


def test_results_that_cannot_be_sent() -> None:
    class Functions(Samples):
        def __getitem__(self, i: int) -> Any:
            return lambda: i

    with pytest.raises(RuntimeError, match="pickle"):
        list(data.DataLoader(Functions("int"), 2, num_workers=1, collate_fn=list))


class Dies(Samples):
    def __init__(self, how: str) -> None:
        super().__init__("int", 8)
        self.how = how

    def __getitem__(self, i: int) -> Any:
        if i == 4:
            match self.how:
                case "exit":
                    os._exit(3)
                case "sys.exit":
                    sys.exit(4)
                case "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "segfault":
                    os.kill(os.getpid(), signal.SIGSEGV)
        return i


@pytest.mark.parametrize(
    ("how", "told"), [("exit", "exit code 3"), ("sys.exit", "exit code 4"), ("kill", "SIGKILL"), ("segfault", "SIGSEGV")]
)
def test_a_dead_worker_is_an_error(how: str, told: str) -> None:
    started = time.monotonic()
    with pytest.raises(RuntimeError, match=f"exited unexpectedly with .*{told}"):
        list(data.DataLoader(Dies(how), 2, num_workers=2))
    assert time.monotonic() - started < 30
    assert no_worker_is_left()


class Slow(Samples):
    def __getitem__(self, i: int) -> Any:
        time.sleep(5 if i == 2 else 0)
        return i


def test_timeout() -> None:
    with pytest.raises(RuntimeError, match="timed out after 0.5 seconds"):
        list(data.DataLoader(Slow("int"), 2, num_workers=1, timeout=0.5))
    assert no_worker_is_left()


def test_a_slow_worker_is_waited_for() -> None:
    loader = data.DataLoader(Slow("int", 4), 2, num_workers=1)
    assert [b.asnumpy().tolist() for b in loader] == [[0, 1], [2, 3]]
    assert not loader.in_process


@pytest.mark.parametrize("persistent", [False, True])
def test_no_process_is_left_after_an_early_end(persistent: bool) -> None:
    loader = data.DataLoader(Samples("large", 40), 2, num_workers=2, persistent_workers=persistent)
    for _ in range(2):
        for batch in loader:
            assert batch.shape == (2, 100, 100)
            break
    del loader
    assert no_worker_is_left()


def test_an_interrupted_pass_begins_anew() -> None:
    loader = data.DataLoader(Samples("int", 20), 2, num_workers=2, persistent_workers=True)
    for stop in (1, 4, 0):
        for i, batch in enumerate(loader):
            assert batch.asnumpy().tolist() == [2 * i, 2 * i + 1]
            if i == stop:
                break
    assert len(list(loader)) == 10


def test_loaders_inside_each_other() -> None:
    outer, inner = (data.DataLoader(Samples("int", 4), 2, num_workers=1) for _ in range(2))
    pairs = [(a.asnumpy().tolist(), b.asnumpy().tolist()) for a in outer for b in inner]
    assert pairs == [(a, b) for a in ([0, 1], [2, 3]) for b in ([0, 1], [2, 3])]
    first, second = iter(outer), iter(outer)
    assert next(first).asnumpy().tolist() == next(second).asnumpy().tolist() == [0, 1]


def test_worker_information() -> None:
    class Asks(Samples):
        def __getitem__(self, i: int) -> Any:
            info = data.get_worker_info()
            return info.id, info.num_workers, info.dataset is self

    loader = data.DataLoader(Asks("int", 4), 1, num_workers=2, collate_fn=lambda batch: batch[0])
    assert list(loader) == [(0, 2, True), (1, 2, True), (0, 2, True), (1, 2, True)]
    assert data.get_worker_info() is None


def test_init_functions_reach_the_copy_of_the_dataset() -> None:
    class Shifted(Samples):
        shift = 0

        def __getitem__(self, i: int) -> Any:
            return i + self.shift

    def init(worker: int) -> None:
        data.get_worker_info().dataset.shift = 100 * (worker + 1)

    dataset = Shifted("int", 4)
    loader = data.DataLoader(dataset, 2, num_workers=2, worker_init_fn=init)
    assert [b.asnumpy().tolist() for b in loader] == [[100, 101], [202, 203]]
    assert dataset.shift == 0


X = Tensor(np.arange(32, dtype=np.float32).reshape(8, 4))
Y = Tensor(np.arange(8))
NET = nn.Cell()


class Indexes(Samples):
    def __getitem__(self, i: int) -> Any:
        return X[i], Y[i]


class Computes(Samples):
    def __getitem__(self, i: int) -> Any:
        row = (X[i].float() / 255 - 0.5) * 2
        target = mint.zeros(5)
        target[1:3] = row[:2]
        stacked = mint.stack([row, row])
        return row, Y[i].long() + 1, row.mean(), row.unsqueeze(0).permute(1, 0), stacked, target, mint.cat([row, row]), row > 0


class Product(Samples):
    def __getitem__(self, i: int) -> Any:
        return ops.matmul(X[:4], X[:4]), [float(v) for v in X[i]]


class Einsum(Samples):
    def __getitem__(self, i: int) -> Any:
        return mint.einsum("ij,jk->ik", X[:4], X[:4])


class Hangs(Samples):
    def __getitem__(self, i: int) -> Any:
        return ops.add(X[i], 1)


def _read(dataset: Any, workers: int) -> tuple[list[Any], data.DataLoader]:
    loader = data.DataLoader(dataset, 2, num_workers=workers)
    batches = [[t.asnumpy().tolist() for t in (b if isinstance(b, list) else [b])] for b in loader if not isinstance(b, dict)]
    return batches, loader


def _flat(batches: Any) -> list[float]:
    return [float(n) for n in np.concatenate([np.ravel(np.asarray(part, np.float64)) for batch in batches for part in batch])]


@pytest.mark.parametrize("kind", [Indexes, Computes])
def test_tensors_are_computed_in_workers(kind: type) -> None:
    expected, _ = _read(kind("int", 6), 0)
    found, loader = _read(kind("int", 6), 2)
    np.testing.assert_allclose(_flat(found), _flat(expected), 1e-6)
    assert not loader.in_process


def test_types_in_workers_are_those_of_mindspore() -> None:
    def types(workers: int) -> list[str]:
        loader = data.DataLoader(Computes("int", 2), 2, num_workers=workers)
        return [str(t.dtype) for batch in loader for t in batch]

    assert types(2) == types(0)


@pytest.mark.parametrize("kind", [Einsum, Hangs])
def test_operations_move_the_loader_to_the_main_process(kind: type) -> None:
    expected, _ = _read(kind("int", 6), 0)
    with pytest.warns(RuntimeWarning, match="MindSpore operations"):
        found, loader = _read(kind("int", 6), 2)
    assert found == expected and loader.in_process
    assert no_worker_is_left()
    assert _read(kind("int", 6), 0)[0] == [[t.asnumpy().tolist()] for t in loader]


def test_a_model_in_a_worker_moves_the_loader_too() -> None:
    layer = mint.nn.Linear(4, 2)

    class Model(Samples):
        def __getitem__(self, i: int) -> Any:
            return layer(X[i])

    with pytest.warns(RuntimeWarning, match="Cell"):
        assert len(list(data.DataLoader(Model("int", 4), 2, num_workers=2))) == 2


def test_operations_in_a_stream_are_an_error() -> None:
    class Stream(data.IterableDataset):
        def __iter__(self) -> Any:
            for i in range(4):
                yield mint.einsum("i,i->", X[i], X[i])

    with pytest.raises(RuntimeError, match="num_workers=0"):
        list(data.DataLoader(Stream(), 2, num_workers=1))


def test_workers_compute_matrix_products_with_numpy() -> None:
    class Rows(Samples):
        def __getitem__(self, i: int) -> Any:
            return X[:4] @ X[:4]

    expected, _ = _read(Rows("int", 4), 0)
    found, loader = _read(Rows("int", 4), 2)
    np.testing.assert_allclose(_flat(found), _flat(expected), 1e-6)
    assert not loader.in_process


def test_a_lock_that_only_the_parent_could_release() -> None:
    lock = threading.Lock()

    class Waits(Samples):
        def __getitem__(self, i: int) -> Any:
            with lock:
                return i

    loader = data.DataLoader(Waits("int", 4), 2, num_workers=1)
    lock.acquire()
    batches = iter(loader)
    lock.release()
    with pytest.warns(RuntimeWarning):
        assert [b.asnumpy().tolist() for b in batches] == [[0, 1], [2, 3]]


PROGRAM = """
    import multiprocessing, os, signal, sys, time
    import numpy as np
    from mindspore import Tensor
    from torch2ms.runtime import data

    class Numbers(data.Dataset):
        def __len__(self):
            return 1000
        def __getitem__(self, i):
            {body}
            return np.float32(i)

    if __name__ == "__main__":
        (Tensor([1.0]) + 1).asnumpy()
        {main}
"""


def _run(body: str, main: str, tmp_path: Any) -> subprocess.Popen[str]:
    script = tmp_path / "program.py"
    # the lines of the program are indented as deep as their places
    text = PROGRAM.replace("{body}", body).replace("{main}", textwrap.indent(textwrap.dedent(main), " " * 8).strip())
    script.write_text(textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GLOG_v": "3"}
    return subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_spawned_workers_run_operations(tmp_path: Any) -> None:
    main = """
        loader = data.DataLoader(Numbers(), 500, num_workers=1, multiprocessing_context="spawn")
        print([float(b.sum()) for b in loader], loader.in_process)
    """
    program = _run("return Tensor([float(i)]) * 2", main, tmp_path)
    out, err = program.communicate(timeout=120)
    assert out.strip() == "[249500.0, 749500.0] False", err


def test_workers_end_with_an_interrupted_program(tmp_path: Any) -> None:
    main = """
        for i, batch in enumerate(data.DataLoader(Numbers(), 1, num_workers=2)):
            if i == 0:
                print([p.pid for p in multiprocessing.active_children()], flush=True)
    """
    program = _run("time.sleep(0.05)", main, tmp_path)
    pids = [int(pid) for pid in program.stdout.readline().strip("[]\n").split(",")]
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert program.returncode != 0, out + err
    _wait_for_end(pids)


def test_workers_end_with_a_killed_program(tmp_path: Any) -> None:
    main = """
        for i, batch in enumerate(data.DataLoader(Numbers(), 1, num_workers=2)):
            if i == 0:
                print([p.pid for p in multiprocessing.active_children()], flush=True)
            time.sleep(0.5)
    """
    program = _run("pass", main, tmp_path)
    pids = [int(pid) for pid in program.stdout.readline().strip("[]\n").split(",")]
    program.kill()
    program.communicate(timeout=60)
    _wait_for_end(pids)


def _wait_for_end(pids: list[int]) -> None:
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{pid}") and "Z" not in _state(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.2)


def _state(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_nothing_runs_at_import(tmp_path: Any) -> None:
    # a child that hangs would show that an operation was run
    code = textwrap.dedent(
        """
        import os, sys
        from torch2ms import runtime
        from torch2ms.runtime import amp, data, device, distributed, distributions, interop, random, serialization, tensor, vision
        runtime.manual_seed(1)
        import mindspore
        pid = os.fork()
        if pid == 0:
            print((mindspore.Tensor([1.0]) + 1).asnumpy(), flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "GLOG_v": "3"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[2.]", done.stderr
