"""Without tape.start() nothing records, and backward says what is missing."""
from __future__ import annotations

import numpy as np
import pytest
from mindspore import Parameter, Tensor

from torch2ms.runtime import tape


def test_backward_without_start_raises():
    p = Parameter(Tensor(np.ones(2, np.float32)), name="p")
    with pytest.raises(RuntimeError, match=r"tape\.start\(\)"):
        tape.backward((p * 2).sum())
    with pytest.raises(RuntimeError, match=r"tape\.start\(\)"):
        tape.grad((p * 2).sum(), p)
