"""Settings that every test needs before MindSpore is imported, and errors of its kernels where they happen."""

from __future__ import annotations

import os
import types
from pathlib import Path

import pytest

os.environ.setdefault("GLOG_v", "3")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# processes that tests start find this checkout too, installed or not
_ROOT = str(Path(__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join([_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])])


def _uses_mindspore(request: pytest.FixtureRequest) -> bool:
    if request.node.get_closest_marker("mindspore"):
        return True
    for value in vars(request.module).values():
        owner = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        if isinstance(owner, str) and (owner.split(".")[0] == "mindspore" or owner.startswith("torch2ms.runtime")):
            return True
    return False


@pytest.fixture(autouse=True)
def launch_blocking(request: pytest.FixtureRequest) -> None:
    """Kernels run where they are called: asynchronous errors would surface in an unrelated later test."""
    if _uses_mindspore(request):
        import mindspore

        mindspore.runtime.launch_blocking()
