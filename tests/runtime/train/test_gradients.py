"""Accumulation and clipping of gradient tuples."""
from __future__ import annotations

import numpy as np
import pytest
from mindspore import Parameter, Tensor

from torch2ms.runtime import accumulate, backward_into, clip_grad_norm, clip_grad_value


def t(*values):
    return Tensor(np.array(values, np.float32))


def test_accumulate_adds_and_keeps_none():
    first = (t(1, 2), None, t(3), None)
    total = accumulate(None, first)
    assert total is first
    total = accumulate(total, (t(1, 1), t(5), None, None))
    assert [None if g is None else g.asnumpy().tolist() for g in total] == [[2, 3], [5], [3], None]
    assert first[0].asnumpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="2 and of 1"):
        accumulate((t(1), t(1)), (t(1),))


def test_clipping_keeps_none_and_returns_the_norm():
    grads, norm = clip_grad_norm((t(3, 0), None, t(4)), 1.0)
    assert float(norm) == pytest.approx(5.0) and grads[1] is None
    np.testing.assert_allclose(grads[0].asnumpy(), [0.6, 0], rtol=1e-6)
    unchanged, norm = clip_grad_norm((t(3, 0), t(4)), 10.0)
    np.testing.assert_array_equal(unchanged[1].asnumpy(), [4])
    assert float(clip_grad_norm((None, None), 1.0)[1]) == 0.0
    limited = clip_grad_value((t(3, -3), None), 1.5)
    assert np.isnan(clip_grad_value((t(np.nan, 3),), 1.5)[0].asnumpy()).tolist() == [True, False]
    assert limited[0].asnumpy().tolist() == [1.5, -1.5] and limited[1] is None


def test_double_precision_is_kept():
    g = Tensor(np.array([3.0, 4.0]))
    grads, norm = clip_grad_norm((g,), 0.1)
    np.testing.assert_allclose(grads[0].asnumpy(), np.array([3.0, 4.0]) * (0.1 / (5 + 1e-6)), rtol=1e-14)
    np.testing.assert_allclose(clip_grad_value((g,), 0.1)[0].asnumpy(), [0.1, 0.1], rtol=1e-15)


def test_backward_into_adds_to_the_slots():
    a, b = (Parameter(t(1), name=n) for n in "ab")
    assert backward_into((a, b), 3, (t(2), None)) == 3
    backward_into((a, b), 3, (t(5), None))
    assert float(a.grad) == 7.0 and b.grad is None
