"""Singular values, eigenvalues and what follows from them: pseudo-inverse, rank, condition."""

from __future__ import annotations

from typing import Any, NamedTuple

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .._linalg import inv, norm
from .._trace import named, twice
from ._matrices import adjoint, eye, symmetric_of, wide

__all__ = [
    "cond",
    "eigh",
    "eigvalsh",
    "matrix_rank",
    "pca_lowrank",
    "pinv",
    "pinverse",
    "svd",
    "svd_lowrank",
    "svdvals",
    "thin_svd",
]


class USV(NamedTuple):
    """A singular value decomposition."""

    U: Any
    S: Any
    V: Any


class USVh(NamedTuple):
    """A singular value decomposition, with the right vectors as rows."""

    U: Any
    S: Any
    Vh: Any


class Eigen(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


def _values(x: Tensor) -> Tensor:
    """Return singular values; MindSpore's kernel refuses empty matrices."""
    if x.size == 0:
        count = min(x.shape[-2:])
        return mint.zeros(tuple(x.shape[:-2]) + (count,), dtype=x.dtype)
    return ops.svd(x, compute_uv=False)


def svdvals(A: Tensor) -> Tensor:
    """Return the singular values, descending."""
    if twice():
        raise NotImplementedError("mint.linalg.svdvals: MindSpore's second derivative of singular values is wrong")
    return _values(wide(A)).astype(A.dtype)


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> USV:
    """Return (U, S, V) with input = U @ diag(S) @ V.T; `some` keeps the first min(rows, columns) columns only."""
    if not compute_uv:
        raise NotImplementedError("mint.svd(compute_uv=False); use mint.linalg.svdvals")
    if twice():
        raise NotImplementedError("mint.svd: MindSpore's second derivative is wrong")
    if input.size == 0:
        raise NotImplementedError("mint.svd of an empty matrix")
    s, u, v = ops.svd(wide(input), full_matrices=not some)
    return named(USV, (u.astype(input.dtype), s.astype(input.dtype), v.astype(input.dtype)))


def thin_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> USVh:
    """Return (U, S, Vh) with A = U @ diag(S) @ Vh."""
    u, s, v = svd(A, not full_matrices)
    return named(USVh, (u, s, adjoint(v)))


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> USV:
    """Return the first `q` parts of the decomposition of A - M, exactly where PyTorch approximates them."""
    u, s, v = svd(A if M is None else A - M)
    count = min(6 if q is None else q, s.shape[-1])
    return named(USV, (mint.narrow(u, -1, 0, count), mint.narrow(s, -1, 0, count), mint.narrow(v, -1, 0, count)))


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> USV:
    """Return `svd_lowrank` of the matrices with the means of their columns taken off."""
    count = min(6, *A.shape[-2:]) if q is None else q
    return svd_lowrank(A - mint.mean(A, -2, True) if center else A, count)


def eigh(A: Tensor, UPLO: str = "L") -> Eigen:
    """Return eigenvalues and eigenvectors of symmetric matrices, of which one triangle is read."""
    if twice():
        raise NotImplementedError("mint.linalg.eigh: MindSpore's second derivative of singular values is wrong")
    if A.size == 0:
        return named(Eigen, (mint.zeros(tuple(A.shape[:-1]), dtype=A.dtype), mint.clone(A)))
    x = wide(A)
    symmetric = symmetric_of(x, UPLO == "U")
    # shifted to a positive definite matrix, whose singular values are its eigenvalues
    shift = ops.stop_gradient(norm(symmetric, "fro", (-2, -1), True)) + 1
    s, u, _ = ops.svd(symmetric + shift * eye(x, x.shape[-1]), full_matrices=False)
    values = mint.flip(s, (-1,)) - shift.squeeze(-1)
    return named(Eigen, (values.astype(A.dtype), mint.flip(u, (-1,)).astype(A.dtype)))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending."""
    return eigh(A, UPLO)[0]


def pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Return the pseudo-inverse; singular values below max(atol, rtol * the largest) count as 0."""
    if hermitian:
        raise NotImplementedError("mint.linalg.pinv(hermitian=True)")
    if twice():
        raise NotImplementedError("mint.linalg.pinv: its second derivative")
    if A.size == 0:
        return mint.zeros(tuple(A.shape[:-2]) + (A.shape[-1], A.shape[-2]), dtype=A.dtype)
    x = wide(A)
    fixed = ops.stop_gradient(x)
    s, u, v = ops.svd(fixed, full_matrices=False)
    relative = rtol
    if rtol is None:
        eps = 1.1920929e-07 if A.dtype == mindspore.float32 else 2.220446049250313e-16
        relative = 0.0 if atol is not None and atol > 0 else max(A.shape[-2:]) * eps
    limit = mint.clamp(mint.amax(s, -1, True) * relative, min=0.0 if atol is None else atol)
    kept = s > limit
    reciprocal = mint.where(kept, 1 / mint.where(kept, s, mint.ones_like(s)), mint.zeros_like(s))
    p = mint.matmul(v * reciprocal.unsqueeze(-2), adjoint(u))
    # the differential of the pseudo-inverse at the fixed matrix
    change = x - fixed
    rows, columns = eye(x, A.shape[-2]), eye(x, A.shape[-1])
    moved = mint.matmul(mint.matmul(p, change), p)
    first = mint.matmul(mint.matmul(mint.matmul(p, adjoint(p)), adjoint(change)), rows - mint.matmul(fixed, p))
    second = mint.matmul(mint.matmul(mint.matmul(columns - mint.matmul(p, fixed), adjoint(change)), adjoint(p)), p)
    return (p - moved + first + second).astype(A.dtype)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the pseudo-inverse; singular values below rcond * the largest count as 0."""
    return pinv(input, rtol=rcond)


def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Return the number of singular values above max(atol, rtol * the largest), int64."""
    x = symmetric_of(A) if hermitian else A
    if A.size == 0:
        return mint.zeros(tuple(A.shape[:-2]), dtype=mindspore.int64)
    s = _values(ops.stop_gradient(wide(x)))
    if rtol is None:
        eps = 1.1920929e-07 if A.dtype == mindspore.float32 else 2.220446049250313e-16
        rtol = max(A.shape[-2:]) * eps
        if isinstance(atol, Tensor):
            rtol = mint.where(atol > 0, mint.zeros_like(atol), mint.full_like(atol, rtol))
        elif atol is not None and atol > 0:
            rtol = 0.0
    relative, absolute = mint.amax(s, -1, True) * _for_each(rtol, s), _for_each(0.0 if atol is None else atol, s)
    both = mint.maximum(relative, absolute) if isinstance(absolute, Tensor) else mint.clamp(relative, min=absolute)
    return mint.sum((s > both).astype(mindspore.int64), -1)


def _for_each(tolerance: Any, s: Tensor) -> Any:
    """One number for all matrices, or one for each, which then stands beside its singular values."""
    return tolerance.astype(s.dtype).unsqueeze(-1) if isinstance(tolerance, Tensor) and tolerance.ndim else tolerance


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number in the `p`-norm."""
    if p is None or p in (2, -2):
        s = svdvals(A)
        largest, smallest = mint.amax(s, -1), mint.amin(s, -1)
        return smallest / largest if p == -2 else largest / smallest
    return norm(A, p, (-2, -1)) * norm(inv(A), p, (-2, -1))
