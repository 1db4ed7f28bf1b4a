"""Guarded methods beside PyTorch's, on tensors and on everything else."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import mint, nn, tensor, value_and_grad

RNG = np.random.RandomState(0)
A = RNG.randn(3, 4, 5).astype(np.float32)
V = RNG.randn(6).astype(np.float32)
M = RNG.randn(4, 4).astype(np.float32)
N = RNG.randint(0, 9, (3, 4))
B = RNG.rand(3, 4) > 0.5
PLACES = np.array([[0], [1], [2], [3]])

CASES: list[tuple[str, np.ndarray, tuple[Any, ...]]] = [
    ("size", A, ()), ("size", A, (1,)), ("size", A, (-1,)),
    ("view", A, (3, -1)), ("view", A, ((4, 15),)), ("reshape", A, (-1,)), ("reshape", A, ([15, 4],)),
    ("max", A, ()), ("max", A, (1,)), ("max", A, (1, True)), ("min", A, ()), ("min", A, (-1,)), ("max", M, (M.T.copy(),)),
    ("std", A, ()), ("std", A, (0,)), ("std", A, (False,)), ("std", A, (1, False, True)), ("var", A, ((0, 1),)),
    ("any", B, ()), ("any", B, (1,)), ("all", B, (0, True)), ("any", N, (1,)), ("all", N, ()),
    ("sum", A, ()), ("sum", A, ((0, 2),)), ("sum", N, ()), ("mean", A, (1, True)), ("prod", A, (0,)), ("prod", V, ()),
    ("amax", A, ()), ("amin", A, ((0, 1),)), ("argmax", A, ()), ("argmax", A, (1,)), ("argmin", A, (2, True)),
    ("argsort", V, ()), ("argsort", V, (0, True)), ("sort", A, (1,)), ("sort", V, (0, True)), ("topk", V, (3,)),
    ("topk", A, (2, 1, False)), ("median", A, ()), ("median", A, (1,)), ("norm", A, ()), ("norm", A, (1,)),
    ("norm", A, (2, 1)), ("norm", A, ("fro", 0, True)), ("norm", V, (float("inf"),)), ("cumsum", A, (1,)),
    ("cumsum", N, (1,)), ("count_nonzero", N, ()), ("nonzero", N, ()), ("unique", N, ()), ("softmax", A, (1,)),
    ("log_softmax", A, (-1,)), ("trace", M, ()), ("round", A, ()), ("flip", A, (0,)), ("flip", A, ([1, 2],)),
    ("roll", A, (1, 0)), ("roll", A, (2,)), ("squeeze", A[:1], ()), ("squeeze", A[:1], (0,)), ("squeeze", A, (0,)),
    ("squeeze", A[:1, :1], ((0, 1),)), ("unsqueeze", A, (1,)), ("split", A, (2, 1)), ("split", A, ([1, 3], 1)),
    ("chunk", A, (2, 2)), ("diagonal", M, ()), ("diagonal", A, (1, 1, 2)), ("select", A, (1, 2)), ("select", A, (-1, 0)),
    ("repeat", V, (2,)), ("repeat", V, (3, 2)), ("repeat", M, (1, 2)), ("repeat", M, ((2, 1),)), ("tile", M, (2,)),
    ("permute", A, (2, 0, 1)), ("permute", A, ((1, 0, 2),)), ("transpose", A, (0, 2)), ("expand", A[:1], (3, 4, 5)),
    ("expand", A[:1], (7, -1, -1)), ("expand", V, (2, 6)), ("clone", A, ()), ("detach", A, ()), ("float", N, ()),
    ("double", A, ()), ("half", A, ()), ("long", A, ()), ("int", A, ()), ("short", N, ()), ("byte", N, ()), ("bool", N, ()),
    ("type", A, ()), ("type", N, ()), ("type", N, ("torch.FloatTensor",)), ("item", A[0, 0, 0], ()), ("tolist", M, ()),
    ("tolist", A[0, 0, 0], ()), ("relu", A, ()), ("tanh", A, ()), ("add", A, (2,)), ("add", A, (A,)), ("div", A, (2,)),
    ("eq", N, (3,)), ("unfold", V, (0, 3, 1)), ("unfold", A, (1, 2, 2)), ("abs", A, ()), ("clamp", A, (-0.5, 0.5)),
    ("numel", A, ()), ("dim", A, ()), ("contiguous", A, ()), ("pow", A, (2,)), ("flatten", A, (1,)), ("t", M, ()),
    ("narrow", A, (1, 1, 2)), ("unbind", M, ()), ("take", M, (np.array([0, 5]),)), ("gather", M, (1, PLACES)),
    ("scatter", M, (1, PLACES, 9.0)), ("scatter", M, (1, PLACES, M)), ("mm", M, (M,)), ("matmul", M, (M,)), ("dot", V, (V,)),
    ("equal", M, (M,)), ("equal", M, (M[:2],)), ("masked_fill", M, (M > 0, 0.0)), ("type_as", N, (M,)), ("new", M, ([1, 2],)),
    ("new_tensor", M, ([1, 2],)), ("cpu", M, ()), ("numpy", M, ()), ("is_contiguous", M, ()), ("where", M, (M > 0, M * 0)),
    ("bincount", N.reshape(-1), ()),
]  # fmt: skip


def _common(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.asnumpy()
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, (tuple, list)):
        return [_common(part) for part in value]
    return value


def _assert_same(ours: Any, theirs: Any) -> None:
    ours, theirs = _common(ours), _common(theirs)
    if isinstance(theirs, list):
        assert isinstance(ours, list) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            _assert_same(one, other)
    elif isinstance(theirs, np.ndarray):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.astype(np.float64), theirs.astype(np.float64), 1e-5, 1e-6)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, 1e-6)
    else:
        assert ours == theirs and type(ours) is type(theirs) or isinstance(theirs, torch.Size)


@pytest.mark.parametrize(("name", "array", "arguments"), CASES, ids=[f"{n}{i}" for i, (n, _, _) in enumerate(CASES)])
def test_on_tensors(name: str, array: np.ndarray, arguments: tuple[Any, ...]) -> None:
    theirs = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
    ours = [Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
    expected = getattr(torch.tensor(array), name)(*theirs)
    _assert_same(getattr(tensor, name)(Tensor(array), *ours), expected)


DIFFERENTIABLE = [
    ("max", (1,)), ("std", ()), ("std", (0,)), ("var", (1,)), ("sum", (1,)), ("mean", ()), ("norm", ()), ("cumsum", (1,)),
    ("softmax", (1,)), ("repeat", (2, 3)), ("tile", (2,)), ("flip", (0,)), ("roll", (1, 0)), ("squeeze", ()), ("split", (2, 1)),
    ("expand", (2, 4, 4)), ("clone", ()), ("unfold", (0, 2, 1)), ("select", (0, 1)), ("view", (2, 8)), ("double", ()),
    ("relu", ()), ("gather", (1, PLACES)), ("transpose", (0, 1)), ("sort", (1,)), ("diagonal", ()), ("where", (M > 0, 0.0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), DIFFERENTIABLE, ids=[f"{n}{i}" for i, (n, _) in enumerate(DIFFERENTIABLE)])
def test_gradients(name: str, arguments: tuple[Any, ...]) -> None:
    def first(value: Any) -> Any:
        return value[0] if isinstance(value, tuple) else value

    leaf = torch.tensor(M, requires_grad=True)
    theirs = [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
    out = first(getattr(leaf, name)(*theirs))
    (out * out).sum().backward()

    def loss(x: Tensor) -> Tensor:
        ours = [Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
        out = first(getattr(tensor, name)(x, *ours))
        return (out * out).sum()

    _, grad = value_and_grad(loss, 0)(Tensor(M))
    np.testing.assert_allclose(grad.asnumpy(), leaf.grad.numpy(), 1e-4, 1e-5)


def test_detach_cuts_the_gradient() -> None:
    _, grad = value_and_grad(lambda x: (tensor.detach(x) * x).sum(), 0)(Tensor([2.0, 3.0]))
    assert grad.asnumpy().tolist() == [2.0, 3.0]


def test_names_of_arguments() -> None:
    x, t = Tensor(A), torch.tensor(A)
    _assert_same(tensor.max(x, axis=1).values, t.max(dim=1).values)
    _assert_same(tensor.max(x, dim=1, keepdim=True)[1], t.max(dim=1, keepdim=True)[1])
    _assert_same(tensor.sum(x, axis=1, keepdims=True), t.sum(axis=1, keepdims=True))
    _assert_same(tensor.std(x, dim=0, unbiased=False), t.std(dim=0, unbiased=False))
    _assert_same(tensor.std(x, dim=0, correction=2), t.std(dim=0, correction=2))
    _assert_same(tensor.div(x, 2, rounding_mode="floor"), t.div(2, rounding_mode="floor"))
    _assert_same(tensor.add(x, x, alpha=2), t.add(t, alpha=2))
    _assert_same(tensor.round(x, decimals=1), t.round(decimals=1))
    _assert_same(tensor.nonzero(Tensor(N), as_tuple=True), torch.tensor(N).nonzero(as_tuple=True))
    _assert_same(tensor.unique(Tensor(N), return_counts=True), torch.tensor(N).unique(return_counts=True))
    _assert_same(tensor.view(x, mindspore.int32), t.view(torch.int32))


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [(("cuda",), "float32"), ((mindspore.float16,), "float16"), (("cuda:0", mindspore.float64), "float64"), ((0,), "float32"),
     ((Tensor(N),), "int64"), (("torch.LongTensor",), "int64")],
    ids=str,
)  # fmt: skip
def test_to(arguments: tuple[Any, ...], dtype: str) -> None:
    assert str(tensor.to(Tensor(A), *arguments).dtype).lower() == dtype


def test_to_with_keywords_and_copies() -> None:
    x = Tensor(A)
    assert tensor.to(x, device="cpu", dtype=mindspore.int32, non_blocking=True).dtype == mindspore.int32
    assert tensor.to(x, "cuda") is x and tensor.cuda(x, 1, non_blocking=True) is x
    copied = tensor.to(x, "cuda", copy=True)
    copied[0] = 7
    assert not (x.asnumpy()[0] == 7).any()


def test_numpy_of_a_tensor_in_a_gradient() -> None:
    def loss(x: Tensor) -> Tensor:
        with pytest.raises(RuntimeError, match="detach"):
            tensor.numpy(x * 2)
        return (x * float(tensor.numpy(tensor.detach(x * 2)).sum())).sum()

    _, grad = value_and_grad(loss, 0)(Tensor([1.0, 2.0]))
    assert grad.asnumpy().tolist() == [6.0, 6.0]


def test_other_objects_keep_their_methods() -> None:
    array = np.array([3, 1, 2])
    assert tensor.max(array) == 3 and tensor.repeat(array, 2).tolist() == [3, 3, 1, 1, 2, 2]
    assert tensor.split("a b") == ["a", "b"]
    numbers = {1}
    tensor.add(numbers, 2)
    assert numbers == {1, 2}
    values = [2, 1]
    tensor.sort(values)
    assert values == [1, 2]
    assert tensor.view(np.arange(4), np.int64).tolist() == [0, 1, 2, 3]
    with pytest.raises(AttributeError):
        tensor.unsqueeze([1], 0)


def test_modules_have_the_methods_that_mindspore_lacks() -> None:
    layer = mint.nn.Linear(2, 3)
    assert tensor.cuda(layer) is layer and tensor.cpu(layer) is layer and tensor.to(layer, "cuda:0") is layer
    for convert, dtype in ((tensor.half, "Float16"), (tensor.float, "Float32")):
        converted = convert(layer)
        assert {str(p.dtype) for p in converted.get_parameters()} == {dtype}
    assert str(tensor.to(layer, "cuda", mindspore.float64).weight.dtype) == "Float64"
    assert str(tensor.type(layer, mindspore.float32).weight.dtype) == "Float32"
    with pytest.raises(TypeError, match="floating point"):
        tensor.to(layer, mindspore.int32)
    assert isinstance(tensor.to(nn.Cell()), nn.Cell)


@pytest.mark.parametrize("name", ["add_", "mul_", "zero_", "clamp_", "copy_", "fill_"])
def test_in_place_methods_of_tensors_are_refused(name: str) -> None:
    with pytest.raises(NotImplementedError, match="assign the result"):
        getattr(tensor, name)(Tensor([1.0]), 1)

    class Register:
        def add_(self, value: int) -> int:
            return value + 1

    assert tensor.add_(Register(), 1) == 2


def test_unknown_names() -> None:
    with pytest.raises(AttributeError):
        tensor.no_such_method


CONSTRUCTORS = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "LongTensor": "int64", "IntTensor": "int32",
    "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8", "BoolTensor": "bool",
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_old_constructors(name: str) -> None:
    ours, theirs = getattr(tensor, name), getattr(torch, name)
    for arguments in ((), (2, 3), (2,), ([1, 0, 1],), ([[1, 0], [0, 1]],), ([],)):
        found, expected = ours(*arguments), theirs(*arguments)
        assert found.shape == tuple(expected.shape) and str(found.dtype).lower() == CONSTRUCTORS[name]
        if arguments and isinstance(arguments[0], list):
            assert found.asnumpy().tolist() == expected.tolist()
    assert ours(np.array([1, 0])).asnumpy().tolist() == [1, 0]
    same = Tensor(np.array([1, 0]), ours(1).dtype)
    assert ours(same) is same
    assert tensor.type(Tensor([1.0, 0.0]), ours).dtype == ours(1).dtype


def test_the_class_of_all_tensors_as_a_value() -> None:
    for arguments in ((), (2, 3), (2,), ([1, 0, 1],), (np.array([0.5, 1.5]),), ([0.25],), (np.array([1, 2]),)):
        found, expected = tensor.AnyTensor(*arguments), torch.Tensor(*arguments)
        assert found.shape == tuple(expected.shape) and found.dtype == mindspore.float32 and expected.dtype == torch.float32
        if arguments and not isinstance(arguments[0], int):
            assert found.asnumpy().tolist() == expected.tolist()
    half = Tensor(np.array([1.0, 0.5]), mindspore.float64)
    assert str(torch.ones(1, dtype=torch.float64).type(torch.Tensor).dtype) == "torch.float32"
    assert tensor.type(half, tensor.AnyTensor).dtype == mindspore.float32
    weight = Parameter(half, name="w")
    for asked, kept in ((tensor.AnyTensor, Tensor), (torch.Tensor, torch.Tensor)):
        value = half if kept is Tensor else torch.ones(1)
        assert isinstance(value, asked) and not isinstance(1, asked) and not isinstance(np.ones(1), asked)
        assert type(value) == asked and {asked: 1}[type(value)] == 1 and issubclass(kept, asked) and asked != int  # noqa: E721
    assert isinstance(weight, tensor.AnyTensor) and tensor.AnyTensor != type(weight)  # noqa: E721


def test_a_tuple_may_be_a_size_or_data() -> None:
    with pytest.raises(TypeError, match="size or the elements"):
        tensor.FloatTensor((2, 3))
    assert tensor.FloatTensor((0.5, 1.0)).asnumpy().tolist() == [0.5, 1.0]
    assert tensor.new(Tensor([1], mindspore.int32), 2, 3).shape == (2, 3)
    assert tensor.new(Tensor([1], mindspore.int32), [2.7]).asnumpy().tolist() == [2]


def test_leaves() -> None:
    weight = Parameter(Tensor([1.0]), name="w")
    assert tensor.is_leaf(weight) and tensor.is_leaf(Tensor([1.0]))

    def loss(x: Tensor) -> Tensor:
        assert not tensor.is_leaf(x * weight)
        return (x * weight).sum()

    value_and_grad(loss, None, [weight])(Tensor([2.0]))


def test_assert_close() -> None:
    close, far = np.array([1.0, 2.0], np.float32), np.array([1.0, 2.1], np.float32)
    for value in (close, np.array([1.000001, 2.0], np.float32)):
        torch.testing.assert_close(torch.tensor(value), torch.tensor(close))
        tensor.assert_close(Tensor(value), Tensor(close))
    for wrong in (far, close.astype(np.float64), close[:1], np.array([np.nan, 2.0], np.float32)):
        with pytest.raises(AssertionError):
            torch.testing.assert_close(torch.tensor(wrong), torch.tensor(close))
        with pytest.raises(AssertionError):
            tensor.assert_close(Tensor(wrong), Tensor(close))
    tensor.assert_close({"a": [Tensor(far), 1.0]}, {"a": [Tensor(far), 1.0]})
    tensor.assert_close(Tensor(far), Tensor(close), rtol=0.1, atol=0)
    tensor.assert_close(Tensor([np.nan]), Tensor([np.nan]), equal_nan=True)
    with pytest.raises(ValueError):
        tensor.assert_close(1.0, 1.0, rtol=0.1)
    with pytest.raises(AssertionError, match="keys"):
        tensor.assert_close({"a": 1}, {"b": 1})


def test_numel_of_shapes() -> None:
    x = Tensor(np.ones((2, 3), "float32"))
    assert tensor.numel(x) == tensor.numel(x.shape) == 6 and tensor.numel(()) == 1


def test_requires_grad_of_leaves() -> None:
    x = Tensor(np.ones(2, "float32"))
    assert tensor.requires_grad_(x) is x and x.requires_grad
    assert not tensor.requires_grad_(x, False).requires_grad
    layer = mint.nn.Linear(2, 2)
    assert tensor.requires_grad_(nn.SequentialCell(layer), False) is not None
    assert not layer.weight.requires_grad
