"""Sparse matrices beside PyTorch's: products, gradients, transposition, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import mint, sparse, value_and_grad

RNG = np.random.RandomState(0)
PLACES = np.array([[0, 1, 1, 3, 0], [2, 0, 4, 1, 2]])  # the place (0, 2) twice
ENTRIES = RNG.randn(5).astype(np.float32)
DENSE = RNG.randn(5, 3).astype(np.float32)
SIZE = (4, 5)


def pair() -> tuple[sparse.SparseMatrix, torch.Tensor]:
    theirs = torch.sparse_coo_tensor(torch.tensor(PLACES), torch.tensor(ENTRIES), SIZE)
    return sparse.coo_tensor(Tensor(PLACES), Tensor(ENTRIES), SIZE), theirs


def test_products() -> None:
    ours, theirs = pair()
    expected = torch.sparse.mm(theirs, torch.tensor(DENSE)).numpy()
    np.testing.assert_allclose(sparse.mm(ours, Tensor(DENSE)).asnumpy(), expected, 1e-5, 1e-6)
    np.testing.assert_allclose((ours @ Tensor(DENSE)).asnumpy(), expected, 1e-5, 1e-6)
    other = RNG.randn(4, 2).astype(np.float32)
    np.testing.assert_allclose(
        (ours.t() @ Tensor(other)).asnumpy(), torch.sparse.mm(theirs.t(), torch.tensor(other)).numpy(), 1e-5, 1e-6
    )
    np.testing.assert_allclose(
        sparse.mm(Tensor(other.T), Tensor(other)).asnumpy(), other.T @ other, 1e-5, 1e-6, err_msg="dense times dense"
    )


def test_dense_form_and_size() -> None:
    ours, theirs = pair()
    np.testing.assert_allclose(sparse.to_dense(ours).asnumpy(), theirs.to_dense().numpy(), 1e-6)
    x = Tensor(DENSE)
    assert sparse.to_dense(x) is x
    assert sparse.coo_tensor(PLACES, ENTRIES).shape == tuple(torch.sparse_coo_tensor(PLACES, ENTRIES).shape) == (4, 5)


def test_gradients_reach_both_factors() -> None:
    entries = torch.tensor(ENTRIES, requires_grad=True)
    dense = torch.tensor(DENSE, requires_grad=True)
    (torch.sparse.mm(torch.sparse_coo_tensor(torch.tensor(PLACES), entries, SIZE), dense) ** 2).sum().backward()

    def loss(entries: Tensor, dense: Tensor) -> Tensor:
        return (sparse.mm(sparse.coo_tensor(Tensor(PLACES), entries, SIZE), dense) ** 2).sum()

    _, grads = value_and_grad(loss, (0, 1))(Tensor(ENTRIES), Tensor(DENSE))
    np.testing.assert_allclose(grads[0].asnumpy(), entries.grad.numpy(), 1e-4, 1e-5)
    np.testing.assert_allclose(grads[1].asnumpy(), dense.grad.numpy(), 1e-4, 1e-5)


def test_every_spelling_of_the_product() -> None:
    ours, theirs = pair()
    expected = torch.matmul(theirs, torch.tensor(DENSE)).numpy()
    dense = Tensor(DENSE)
    for got in (mint.matmul(ours, dense), mint.mm(ours, dense), ours.matmul(dense), ours.mm(dense), ours @ dense):
        np.testing.assert_allclose(got.asnumpy(), expected, 1e-5)
    np.testing.assert_array_equal(ours._indices().asnumpy(), theirs._indices().numpy())
    np.testing.assert_array_equal(ours._values().asnumpy(), theirs._values().numpy())


def test_no_other_operation_takes_one() -> None:
    ours, _ = pair()
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        sparse.mm(ours, Tensor(DENSE.T.copy()))
    for call in (lambda: mint.relu(ours), lambda: ours + 1, lambda: ours.sum()):
        with pytest.raises((TypeError, AttributeError)):
            call()


def test_bad_arguments() -> None:
    with pytest.raises(RuntimeError, match="outside"):
        sparse.coo_tensor(PLACES, ENTRIES, (4, 4))
    with pytest.raises(RuntimeError, match="places"):
        sparse.coo_tensor(PLACES, ENTRIES[:3], SIZE)
    with pytest.raises(NotImplementedError):
        sparse.coo_tensor(PLACES, np.ones((5, 2), np.float32), (4, 5, 2))
