"""Sparse matrices in coordinate form and their products with dense ones; other layouts and operations are refused."""
from __future__ import annotations

import ast

from torch2ms.edits import Replace
from torch2ms.rules.api import Api
from torch2ms.rules.rows import by_row, outcome
from torch2ms.rules.site import Outcome, Site
from torch2ms.rules.special import rewrite

_OPTIONS = "dtype=None, device=None, pin_memory=False, requires_grad=False, is_coalesced=None"
_LEGACY = {"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16"}
ROWS = (
    Api(f"torch.sparse_coo_tensor(indices, values, size=None, *, {_OPTIONS})", "sparse.coo_tensor(indices, values, size, dtype=dtype)"),
    *(
        Api(f"torch.{where}{name}(indices, values, size=None)", f"sparse.coo_tensor(indices, values, size, dtype=mindspore.{dtype})")
        for where in ("sparse.", "cuda.sparse.")
        for name, dtype in _LEGACY.items()
    ),
    Api("torch.spmm(mat1, mat2)", "sparse.mm(mat1, mat2)"),
    Api("torch.sparse.mm(mat1, mat2)", "sparse.mm(mat1, mat2)"),
)


@rewrite("torch.Tensor.is_sparse")
def is_sparse(site: Site) -> Outcome:
    """Gradients are never sparse; anything else is asked."""
    match site.receiver:
        case None | ast.Name(id="grad" | "g") | ast.Attribute(attr="grad"):
            return outcome(site, Replace(site.node, "False"))
    return outcome(site, Replace(site.node, "isinstance($0, $sparse.SparseMatrix)", (site.receiver,)))


@rewrite("torch.Tensor.to_dense")
def to_dense(site: Site) -> Outcome:
    """A tensor that is surely one stays itself; anything else may be a sparse matrix."""
    return by_row(site, Api("torch.Tensor.to_dense(self, dtype=None, *, masked_grad=True)", "sparse.to_dense(self, dtype)"))
