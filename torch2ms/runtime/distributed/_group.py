"""The process group: one process needs none of MindSpore's communication, several start it from torchrun's variables.

`torchrun script.py`, `msrun script.py` and `spawn` work; MindSpore's scheduler is started beside rank 0 where no
launcher did. https://www.mindspore.cn/docs/en/master/api_python/mindspore.communication.html
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

_BACKENDS = ("gloo", "nccl", "hccl", "mccl", "mpi")
_SCHEDULER = (
    "import mindspore; mindspore.set_device({target!r}); from mindspore.communication import init; init()"
)


@dataclass(slots=True)
class _State:
    rank: int
    world_size: int
    backend: str
    scheduler: subprocess.Popen[bytes] | None = None


_state: _State | None = None


def is_available() -> bool:
    """Tell whether process groups can be made."""
    return True


def is_initialized() -> bool:
    """Tell whether the process group was made."""
    return _state is not None


def state() -> _State:
    """Return the process group; raises before it was made."""
    if _state is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return _state


def alone() -> bool:
    """Tell whether the group has one process, which needs no communication."""
    return state().world_size == 1


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    **_options: Any,
) -> None:
    """Make the process group. Size and rank come from the arguments, or from WORLD_SIZE and RANK.

    The backend's name is kept and has no effect: MindSpore communicates as its device does.
    """
    global _state
    if _state is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if backend is not None and not set(_names(backend)) <= set(_BACKENDS):
        raise ValueError(f"Invalid backend: {backend!r}")
    _read_address(init_method)
    size, own = _number("WORLD_SIZE", world_size, "MS_WORKER_NUM"), _number("RANK", rank, "RANK_ID")
    if not 0 <= own < size:
        raise ValueError(f"the rank {own} does not lie in a group of {size} processes")
    scheduler = _start_communication(size, own) if size > 1 else None
    _state = _State(own, size, backend or "gloo", scheduler)


def _names(backend: str) -> list[str]:
    # also "cpu:gloo,cuda:nccl"
    return [part.rpartition(":")[2].lower() for part in backend.split(",")]


def _read_address(init_method: str | None) -> None:
    if init_method and init_method.startswith("tcp://"):
        address, _, port = init_method[len("tcp://") :].partition("?")[0].rpartition(":")
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = address, port
    elif init_method and not init_method.startswith(("env://", "file://")):
        raise ValueError(f"No rendezvous handler for {init_method}")


def _number(name: str, given: int, other: str) -> int:
    if given >= 0:
        return given
    value = os.environ.get(name, os.environ.get(other))
    if value is None:
        raise ValueError(
            f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but not set"
        )
    return int(value)


def _start_communication(size: int, rank: int) -> subprocess.Popen[bytes] | None:
    import mindspore
    from mindspore.communication import init

    scheduler = None
    if "MS_ROLE" not in os.environ:
        host = os.environ.get("MASTER_ADDR", "127.0.0.1").replace("localhost", "127.0.0.1")
        # the launcher keeps MASTER_PORT for itself
        port = str(int(os.environ.get("MASTER_PORT", "29500")) + 1)
        common = {"MS_WORKER_NUM": str(size), "MS_SCHED_HOST": host, "MS_SCHED_PORT": port, "RANK_SIZE": str(size)}
        if rank == 0:
            code = _SCHEDULER.format(target=mindspore.get_context("device_target"))
            variables = {**os.environ, **common, "MS_ROLE": "MS_SCHED", "MS_NODE_ID": "scheduler"}
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            scheduler = subprocess.Popen([sys.executable, "-c", code], env=variables, **quiet)  # type: ignore[call-overload]
            atexit.register(_end, scheduler)
        os.environ.update(common, MS_ROLE="MS_WORKER", MS_NODE_ID=str(rank), RANK_ID=str(rank))
    init()
    return scheduler


def _end(scheduler: subprocess.Popen[bytes]) -> None:
    if scheduler.poll() is None:
        scheduler.terminate()


def destroy_process_group(group: Any = None) -> None:
    """End the process group."""
    global _state
    if _state is not None and _state.world_size > 1:
        from mindspore.communication import release

        release()
    _state = None


def get_rank(group: Any = None) -> int:
    """Return the number of this process in the group."""
    return state().rank


def get_world_size(group: Any = None) -> int:
    """Return how many processes the group has."""
    return state().world_size if group is None else len(get_process_group_ranks(group))


def get_backend(group: Any = None) -> str:
    """Return the name that the group was made with."""
    return state().backend


def get_process_group_ranks(group: Any = None) -> list[int]:
    """Return the ranks of a group."""
    return list(getattr(group, "ranks", None) or range(state().world_size))


def get_global_rank(group: Any, group_rank: int) -> int:
    """Return the rank in all processes of a rank in a group."""
    return get_process_group_ranks(group)[group_rank]


def get_group_rank(group: Any, global_rank: int) -> int:
    """Return the rank in a group of a rank in all processes."""
    return get_process_group_ranks(group).index(global_rank)


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the number of this process on its machine."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank.")
    return fallback_rank


def is_torchelastic_launched() -> bool:
    """Tell whether torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def is_backend_available(backend: str) -> bool:
    """Tell whether a group can be made under a backend's name."""
    return backend.lower() in _BACKENDS


def is_gloo_available() -> bool:
    """Tell whether a group can be made as "gloo"."""
    return True


def is_mpi_available() -> bool:
    """Tell whether a group can be made as "mpi"."""
    return False


def is_nccl_available() -> bool:
    """Tell whether a group can be made as "nccl": on an accelerator."""
    from ..device import is_available as has_accelerator

    return has_accelerator()
