"""Names of mint that have no right counterpart on CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _refusing(name: str, advice: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"mint.{name} does not run on CPU; {advice}")

    refuse.__name__ = name.rpartition(".")[2]
    return refuse


_STATISTICS = "use mint.nn.functional.batch_norm"
addr_ = _refusing("addr_", "write input = input + outer(vec1, vec2)")
batch_norm_elemt = _refusing("batch_norm_elemt", _STATISTICS)
batch_norm_gather_stats_with_counts = _refusing("batch_norm_gather_stats_with_counts", _STATISTICS)
batch_norm_stats = _refusing("batch_norm_stats", _STATISTICS)

_IN_PLACE = "write the result back: x = f(x)"
elu_ = _refusing("nn.functional.elu_", _IN_PLACE)
hardtanh_ = _refusing("nn.functional.hardtanh_", _IN_PLACE)
relu_ = _refusing("nn.functional.relu_", _IN_PLACE)
sigmoid_ = _refusing("nn.functional.sigmoid_", _IN_PLACE)
threshold_ = _refusing("nn.functional.threshold_", _IN_PLACE)
