"""Formatting of tensors and numpy's operators on them, beside PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor, ops

import torch2ms.runtime  # noqa: F401  (importing it is what gives tensors these methods)
from torch2ms.runtime import mint, nn, value_and_grad


@pytest.mark.parametrize("spec", ["", ".2f", "8.3f", ".1%", "e", "g", ">10.2f"])
def test_numbers_are_formatted_as_numbers(spec: str) -> None:
    number = np.float32(3.14159)
    assert format(Tensor(number), spec) == format(torch.tensor(number), spec)
    assert f"{Parameter(Tensor(number), name='p'):.3f}" == "3.142"
    assert "%.3f|%d" % (Tensor(number), Tensor(7)) == "3.142|7"  # noqa: UP031


def test_integers_flags_and_longer_tensors() -> None:
    assert f"{Tensor(7):03d} {Tensor(7)} {Tensor(True)}" == f"{torch.tensor(7):03d} {torch.tensor(7)} {torch.tensor(True)}"
    assert f"{Tensor(1.5, mindspore.bfloat16):.2f}" == "1.50"
    assert f"{Tensor([1.0, 2.0])}" == str(Tensor([1.0, 2.0]))
    with pytest.raises(TypeError):
        f"{torch.tensor([1.0]):.2f}"
    with pytest.raises(TypeError):
        f"{Tensor([1.0]):.2f}"
    assert round(Tensor(2.567), 1) == pytest.approx(2.6, 1e-6)
    with pytest.raises(TypeError):
        round(Tensor([1.0, 2.0]), 1)


X = np.array([1.0, 2.0], np.float32)
EXPRESSIONS = [
    "np.float32(2) * t", "np.float64(2) * t", "np.float32(1) - t", "np.float64(3) / t", "np.float32(2) ** t",
    "np.int64(2) + n", "np.float64(3) * n", "np.float64(1.5) < t", "np.float32(2) == t", "t * np.float32(2)",
    "np.sin(t)", "np.sqrt(t)", "np.exp(n)", "np.maximum(t, 1.5)",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_numpy_numbers_and_functions_give_tensors(expression: str) -> None:
    expected = eval(expression, {"np": np, "t": torch.tensor(X), "n": torch.tensor([3, 4])})
    for kind in (Tensor, lambda v: Parameter(Tensor(v), name="p")):
        found = eval(expression, {"np": np, "t": kind(X), "n": Tensor([3, 4])})
        assert isinstance(found, Tensor)
        assert str(found.dtype).lower() == str(expected.dtype).removeprefix("torch.")
        np.testing.assert_allclose(found.asnumpy(), expected.numpy(), 1e-6)


def test_arrays_stay_arrays_where_pytorch_makes_arrays() -> None:
    t = Tensor(X)
    assert type(np.asarray(t)) is np.ndarray and type(np.concatenate([t, t])) is np.ndarray
    assert type(np.stack([t, t])) is np.ndarray and np.allclose(t, X)
    assert (np.ones(2, np.float32) + t).asnumpy().tolist() == [2, 3]


def test_the_gradient_goes_through_a_numpy_number() -> None:
    _, grad = value_and_grad(lambda x: (np.float32(3) * x).sum(), 0)(Tensor(X))
    assert grad.asnumpy().tolist() == [3, 3]

    def loss(x: Tensor) -> Tensor:
        with pytest.raises(RuntimeError, match="gradient"):
            np.sin(x * 2)
        return x.sum()

    value_and_grad(loss, 0)(Tensor(X))


def test_tensors_as_indices_and_keys() -> None:
    names = ["a", "b", "c"]
    assert names[Tensor(1)] == "b" and list(range(Tensor(3))) == [0, 1, 2]
    assert {Tensor(1): "x"} and int(Tensor(3)) == 3 and bool(Tensor(True)) and len(Tensor(X)) == 2


GRID = np.arange(12, dtype=np.float32).reshape(3, 4)
INDICES = [
    np.int64(1), np.int32(-1), np.array([0, 2]), np.array([[0], [1]]), np.array([True, False, True]), GRID > 3,
    (np.int64(1), np.int64(2)), (slice(None), np.array([0, 1])), [np.int64(0), np.int64(2)], range(2),
    slice(np.int64(0), np.int64(2)), (slice(None), slice(np.int64(1), None)), (np.array([0, 1]), np.array([2, 3])),
    np.uint8(1), 1, slice(0, 2), (..., 1), None, Tensor(1),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_indices_of_numpy(index: object) -> None:
    theirs = 1 if isinstance(index, Tensor) else index
    expected = torch.tensor(GRID)
    for kind in (Tensor, lambda v: Parameter(Tensor(v), name="p")):
        np.testing.assert_array_equal(kind(GRID)[index].asnumpy(), expected[theirs].numpy())
    changed, written = Tensor(GRID), torch.tensor(GRID)
    changed[index] = -1.0
    written[theirs] = -1.0
    np.testing.assert_array_equal(changed.asnumpy(), written.numpy())
    leaf = torch.tensor(GRID, requires_grad=True)
    (leaf[theirs] ** 2).sum().backward()
    _, grad = value_and_grad(lambda x: (x[index] ** 2).sum(), 0)(Tensor(GRID))
    np.testing.assert_allclose(grad.asnumpy(), leaf.grad.numpy(), 1e-6)


@pytest.mark.parametrize(
    "index",
    [
        np.s_[:, ::2], np.s_[:, 1::3, :, None], np.s_[..., 0:4:3, 0:3:2], np.s_[0, ::2], np.s_[:, None, ::2, ..., 1], np.s_[:, 0:0:2],
        np.s_[[0, 1], ::2],
    ],
)  # fmt: skip
def test_the_gradient_of_a_strided_slice(index: object) -> None:
    data = np.random.RandomState(0).randn(2, 6, 5, 4).astype(np.float32)
    theirs = torch.tensor(data, requires_grad=True)
    (theirs[index] ** 2).sum().backward()
    ours = Parameter(Tensor(data), name="x")
    _, (found,) = value_and_grad(lambda: ((ours * 1)[index] ** 2).sum(), None, (ours,))()
    np.testing.assert_allclose(found.asnumpy(), theirs.grad.numpy(), atol=1e-6)


@pytest.mark.parametrize("value", [3, 2.5, Tensor(np.arange(3, dtype=np.int64)), Tensor(np.ones((2, 3), np.float32))])
@pytest.mark.parametrize("index", [slice(None), Ellipsis, ()])
def test_a_parameter_written_whole_can_be_assigned_afterwards(index: object, value: object) -> None:
    p = Parameter(Tensor(np.zeros((2, 3), np.float32)), name="p")
    theirs = torch.zeros(2, 3)
    p[index] = value
    theirs[index] = torch.tensor(value.asnumpy()) if isinstance(value, Tensor) else value
    np.testing.assert_array_equal(p.asnumpy(), theirs.numpy())
    ops.assign(p, p * 2)
    np.testing.assert_array_equal(p.asnumpy(), 2 * theirs.numpy())


def test_a_buffer_written_whole_takes_a_state_dict() -> None:
    cell = nn.Cell()
    cell.register_buffer("count", mint.zeros(3))
    saved = {key: mint.clone(value) for key, value in cell.state_dict().items()}
    cell.count[:] = mint.ones(3)
    cell.load_state_dict(saved)
    np.testing.assert_array_equal(cell.count.asnumpy(), np.zeros(3))


@pytest.mark.parametrize("cast", [lambda t: t.float(), lambda t: t.contiguous(), lambda t: t.to(t.dtype)])
def test_a_cast_to_the_own_type_gives_the_tensor_itself_also_after_a_write(cast: Callable[[Any], Any]) -> None:
    ours, theirs = Tensor(np.zeros((2, 3), np.float32)), torch.zeros(2, 3)
    ours[:] = ours + 1
    theirs += 1
    cast(ours)[:] = Tensor(np.full((2, 3), 5, np.float32))
    cast(theirs)[:] = 5
    np.testing.assert_array_equal(ours.asnumpy(), theirs.numpy())


@pytest.mark.parametrize("name", "mean sum prod std var norm all any nanmean nansum".split())
@pytest.mark.parametrize(("shape", "args"), [((0,), ()), ((0, 3), ()), ((0, 3), (0,)), ((2, 0), (1,))])
def test_reductions_of_nothing(name: str, shape: tuple[int, ...], args: tuple[int, ...]) -> None:
    theirs = torch.zeros(shape)
    if name == "norm":
        args = (2, *args) if args else ()
    wanted, found = getattr(theirs, name)(*args), getattr(Tensor(np.zeros(shape, np.float32)), name)(*args)
    np.testing.assert_array_equal(found.asnumpy(), wanted.numpy())


def test_gradient_of_an_index_of_tensors_of_one_number() -> None:
    w, i, j = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))), Tensor(1), Tensor(2)
    slope = value_and_grad(lambda: w[i, j] * 3 + w[0, j] + w[i, 0:2].sum() + w[Tensor([0, 1]), j].sum(), None, [w])()[1]
    assert slope[0].asnumpy().tolist() == [[0, 0, 2], [1, 1, 4]]
