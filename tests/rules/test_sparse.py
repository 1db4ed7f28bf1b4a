"""Sparse matrices in coordinate form convert, the rest of torch.sparse is refused."""

import pytest

from .ruled import line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("r = torch.sparse_coo_tensor(x, x, (2, 2), device='cpu')", "r = sparse.coo_tensor(x, x, (2, 2))"),
        ("r = torch.sparse.FloatTensor(x, x, u)", "r = sparse.coo_tensor(x, x, u, dtype=mindspore.float32)"),
        ("r = torch.spmm(u, x), torch.sparse.mm(u, x)", "r = sparse.mm(u, x), sparse.mm(u, x)"),
        ("r = x.to_dense()", "r = sparse.to_dense(x)"),
        ("r = x.is_sparse", "r = isinstance(x, sparse.SparseMatrix)"),
    ],
)
def test_form(before: str, after: str) -> None:
    assert line(before) == after


@pytest.mark.parametrize("text", ["r = torch.sparse.sum(x)", "r = torch.sparse_csr_tensor(x, x, x)", "r = x.to_sparse()"])
def test_refused(text: str) -> None:
    assert line(text).startswith("r = unsupported(")
