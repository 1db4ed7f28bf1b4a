"""Writes that reach the base of a view, and bases with another value in the place of a view."""

from __future__ import annotations

import mindspore
import numpy as np
import pytest
from mindspore import Parameter, Tensor

from torch2ms.runtime import tensor, value_and_grad

torch = pytest.importorskip("torch", reason="PyTorch says what is right")
NUMBERS = np.linspace(-2, 3, 12).reshape(3, 4).astype(np.float32)
VIEWS = {
    "itself": lambda t: t,
    "view": lambda t: t.view(-1),
    "transpose": lambda t: t.T,
    "row": lambda t: t[1],
    "part": lambda t: t[1:, :2],
    "chunk": lambda t: t.chunk(2)[0],
    "number": lambda t: t[0][1],
    "view of views": lambda t: t.T[1:].view(3, 3)[0] if t.T[1:].is_contiguous() else t.T[1:][0],
}


def base() -> Tensor:
    return Tensor(NUMBERS) * 1


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_a_write_reaches_the_base(view) -> None:
    ours, theirs = base(), torch.tensor(NUMBERS)
    shown = view(ours)
    assert tensor.write(shown, ..., shown * 10) is shown
    view(theirs).mul_(10)
    np.testing.assert_array_equal(ours.asnumpy(), theirs.numpy())


def test_masks_and_lists_reach_the_base() -> None:
    ours, theirs = base(), torch.tensor(NUMBERS)
    tensor.write(ours.T, ours.T > 0, 7.0)
    tensor.write(ours.view(-1), [0, 5], -7.0)
    theirs.T[theirs.T > 0] = 7.0
    theirs.view(-1)[[0, 5]] = -7.0
    np.testing.assert_array_equal(ours.asnumpy(), theirs.numpy())


def test_what_is_no_tensor_is_written_by_its_own_way() -> None:
    numbers = [1, 2]
    assert tensor.write(numbers, 0, 5) is numbers and numbers == [5, 2]


def test_a_gradient_refuses_the_write() -> None:
    weight = Parameter(Tensor(NUMBERS))

    def forward_fn() -> Tensor:
        h = weight * 2
        tensor.write(h, ..., h * 2)
        return h.sum()

    with pytest.raises(NotImplementedError):
        value_and_grad(forward_fn, None, [weight])()


@pytest.mark.parametrize("view", [v for n, v in VIEWS.items() if n != "view of views"])
def test_a_base_is_made_with_another_part(view) -> None:
    weight = Parameter(Tensor(NUMBERS))

    def forward_fn() -> Tensor:
        h = weight * 2
        h = tensor.replaced(h, view, view(h) * weight.mean())
        return (h * h).sum()

    loss, (grad,) = value_and_grad(forward_fn, None, [weight])()
    w = torch.tensor(NUMBERS, requires_grad=True)
    h = w * 2
    h = h.clone()
    places = view(torch.arange(12).view(3, 4)).reshape(-1)
    h = h.view(-1).scatter(0, places, (view(w * 2) * w.mean()).reshape(-1)).view(3, 4)
    (h * h).sum().backward()
    np.testing.assert_allclose(loss.asnumpy(), (h * h).sum().item(), rtol=1e-5)
    np.testing.assert_allclose(grad.asnumpy(), w.grad.numpy(), atol=1e-4)


def test_by_an_index_and_of_nothing() -> None:
    ours = tensor.replaced(base(), base() > 0, 0)
    np.testing.assert_array_equal(ours.asnumpy(), np.minimum(NUMBERS, 0))
    assert tensor.replaced(base(), lambda t: t[3:], 1.0).dtype == mindspore.float32


def test_a_write_beside_the_gradient_reaches_the_base() -> None:
    weight = Parameter(Tensor(NUMBERS))
    seen = Tensor(NUMBERS)
    view = seen.reshape(-1)

    def forward_fn() -> Tensor:
        tensor.write(view, [0, 1], 5.0)
        return (weight * seen).sum()

    _, (grad,) = value_and_grad(forward_fn, None, [weight])()
    expected = torch.tensor(NUMBERS)
    expected.view(-1)[[0, 1]] = 5.0
    np.testing.assert_array_equal(grad.asnumpy(), expected.numpy())
