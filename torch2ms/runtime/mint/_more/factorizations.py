"""Determinants, factorizations, eigenvalues and linear systems."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mindspore
from mindspore import Tensor, ops

from ..._device_target import IS_CPU
from .. import _device as mint
from .._linalg import inv, norm
from .._linalg import qr as _qr
from .._trace import twice

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eigh",
    "eigvalsh",
    "logdet",
    "lstsq",
    "matrix_exp",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "pinv",
    "pinverse",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
]


class SignLogDet(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Any
    logabsdet: Any


class USV(NamedTuple):
    """A singular value decomposition."""

    U: Any
    S: Any
    V: Any


class Eigen(NamedTuple):
    """Eigenvalues, ascending, and eigenvectors as columns."""

    eigenvalues: Any
    eigenvectors: Any


class LeastSquares(NamedTuple):
    """The solution of a least squares problem."""

    solution: Any
    residuals: Any
    rank: Any
    singular_values: Any


def _wide(x: Tensor) -> Tensor:
    """Return float32 as float64 where the device has it: the kernels lose half of the digits."""
    return x.astype(mindspore.float64) if IS_CPU and x.dtype == mindspore.float32 else x


def _h(x: Tensor) -> Tensor:
    return mint.transpose(x, -2, -1)


def _eye(x: Tensor, n: int) -> Tensor:
    return mint.eye(n, n, x.dtype)


def _lower_as_symmetric(A: Tensor, upper: bool = False) -> Tensor:
    """Return the symmetric matrix of one triangle, with the symmetric gradient that PyTorch gives."""
    half = mint.triu(A) if upper else mint.tril(A)
    strict = mint.triu(A, 1) if upper else mint.tril(A, -1)
    whole = (A + _h(A)) / 2
    return ops.stop_gradient(half + _h(strict)) + whole - ops.stop_gradient(whole)


def _values(x: Tensor) -> Tensor:
    """Return singular values; MindSpore's kernel refuses empty matrices."""
    if x.size == 0:
        count = min(x.shape[-2:])
        return mint.zeros(tuple(x.shape[:-2]) + (count,), dtype=x.dtype)
    return ops.svd(x, compute_uv=False)


def det(input: Tensor) -> Tensor:
    """Return the determinants of square matrices."""
    n = input.shape[-1]
    if n == 0:
        return mint.ones(input.shape[:-2], dtype=input.dtype)
    if n == 1:
        return input.reshape(input.shape[:-2])
    _refuse_second("det")
    return ops.det(_wide(input)).astype(input.dtype)


def _refuse_second(name: str) -> None:
    if twice():
        raise NotImplementedError(f"mint.{name}: the second derivative of MindSpore's kernel is wrong")


def slogdet(input: Tensor) -> SignLogDet:
    """Return sign and logarithm of the absolute value of the determinants."""
    n = input.shape[-1]
    if n == 0:
        return SignLogDet(
            mint.ones(input.shape[:-2], dtype=input.dtype), mint.zeros(input.shape[:-2], dtype=input.dtype)
        )
    if n == 1:
        number = input.reshape(input.shape[:-2])
        return SignLogDet(mint.sign(number), mint.log(mint.abs(number)))
    _refuse_second("slogdet")
    sign, logarithm = ops.slogdet(_wide(input))
    return SignLogDet(sign.astype(input.dtype), logarithm.astype(input.dtype))


def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinants, nan where they are negative."""
    sign, logarithm = slogdet(input)
    return mint.where(sign < 0, mint.full_like(logarithm, float("nan")), logarithm)


def cholesky(A: Tensor, upper: bool = False) -> Tensor:
    """Return the Cholesky factor of positive definite matrices."""
    x, n = _lower_as_symmetric(_wide(A), upper), A.shape[-1]
    columns: list[Tensor] = []
    for j in range(n):
        rest = mint.narrow(mint.narrow(x, -2, j, n - j), -1, j, 1)
        if columns:
            done = mint.cat(columns, -1)
            own = mint.narrow(done, -2, j, 1)
            rest = rest - mint.matmul(mint.narrow(done, -2, j, n - j), _h(own))
        pivot = mint.narrow(rest, -2, 0, 1)
        if not (ops.stop_gradient(pivot).asnumpy() > 0).all():
            order = f"leading minor of order {j + 1} is not positive-definite"
            raise RuntimeError(f"linalg.cholesky: the factorization could not be completed: {order}")
        column = rest / mint.sqrt(pivot)
        if j:
            column = mint.cat((mint.zeros(tuple(A.shape[:-2]) + (j, 1), dtype=x.dtype), column), -2)
        columns.append(column)
    factor = (mint.cat(columns, -1) if columns else x).astype(A.dtype)
    return _h(factor) if upper else factor


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return X with A @ X = B (X @ A = B with left=False); B holds vectors where its shape is that of A without the last dimension."""
    inverse, right = inv(_wide(A)), _wide(B)
    vector = B.ndim == 1 or (B.ndim + 1 == A.ndim and B.shape == A.shape[:-1])
    if vector:
        return mint.matmul(inverse, right.unsqueeze(-1)).squeeze(-1).astype(A.dtype)
    return (mint.matmul(inverse, right) if left else mint.matmul(right, inverse)).astype(A.dtype)


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """Return X with A @ X = B for triangular A; the other triangle is not read."""
    factor = mint.triu(A) if upper else mint.tril(A)
    if unitriangular:
        eye = _eye(A, A.shape[-1])
        factor = factor * (1 - eye) + eye
    return solve(factor, B, left=left) if B.ndim > 1 else solve(factor, B)


def svdvals(A: Tensor) -> Tensor:
    """Return the singular values, descending."""
    if twice():
        raise NotImplementedError("mint.linalg.svdvals: MindSpore's second derivative of singular values is wrong")
    return _values(_wide(A)).astype(A.dtype)


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> USV:
    """Return (U, S, V) with input = U @ diag(S) @ V.T; `some` keeps the first min(rows, columns) columns only."""
    if not compute_uv:
        raise NotImplementedError("mint.svd(compute_uv=False); use mint.linalg.svdvals")
    if twice():
        raise NotImplementedError("mint.svd: MindSpore's second derivative is wrong")
    if input.size == 0:
        raise NotImplementedError("mint.svd of an empty matrix")
    s, u, v = ops.svd(_wide(input), full_matrices=not some)
    return USV(u.astype(input.dtype), s.astype(input.dtype), v.astype(input.dtype))


class USVh(NamedTuple):
    """A singular value decomposition, with the right vectors as rows."""

    U: Any
    S: Any
    Vh: Any


def thin_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> USVh:
    """Return (U, S, Vh) with A = U @ diag(S) @ Vh."""
    u, s, v = svd(A, not full_matrices)
    return USVh(u, s, _h(v))


def eigh(A: Tensor, UPLO: str = "L") -> Eigen:
    """Return eigenvalues and eigenvectors of symmetric matrices, of which one triangle is read."""
    if twice():
        raise NotImplementedError("mint.linalg.eigh: MindSpore's second derivative of singular values is wrong")
    if A.size == 0:
        return Eigen(mint.zeros(tuple(A.shape[:-1]), dtype=A.dtype), mint.clone(A))
    x = _wide(A)
    symmetric = _lower_as_symmetric(x, UPLO == "U")
    # shifted to a positive definite matrix, whose singular values are its eigenvalues
    shift = ops.stop_gradient(norm(symmetric, "fro", (-2, -1), True)) + 1
    s, u, _ = ops.svd(symmetric + shift * _eye(x, x.shape[-1]), full_matrices=False)
    values = mint.flip(s, (-1,)) - shift.squeeze(-1)
    return Eigen(values.astype(A.dtype), mint.flip(u, (-1,)).astype(A.dtype))


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
    x = _wide(A)
    fixed = ops.stop_gradient(x)
    s, u, v = ops.svd(fixed, full_matrices=False)
    relative = rtol
    if rtol is None:
        eps = 1.1920929e-07 if A.dtype == mindspore.float32 else 2.220446049250313e-16
        relative = 0.0 if atol is not None and atol > 0 else max(A.shape[-2:]) * eps
    limit = mint.clamp(mint.amax(s, -1, True) * relative, min=0.0 if atol is None else atol)
    kept = s > limit
    reciprocal = mint.where(kept, 1 / mint.where(kept, s, mint.ones_like(s)), mint.zeros_like(s))
    p = mint.matmul(v * reciprocal.unsqueeze(-2), _h(u))
    # the differential of the pseudo-inverse at the fixed matrix
    change = x - fixed
    rows, columns = _eye(x, A.shape[-2]), _eye(x, A.shape[-1])
    moved = mint.matmul(mint.matmul(p, change), p)
    first = mint.matmul(mint.matmul(mint.matmul(p, _h(p)), _h(change)), rows - mint.matmul(fixed, p))
    second = mint.matmul(mint.matmul(mint.matmul(columns - mint.matmul(p, fixed), _h(change)), _h(p)), p)
    return (p - moved + first + second).astype(A.dtype)


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the pseudo-inverse; singular values below rcond * the largest count as 0."""
    return pinv(input, rtol=rcond)


def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Return the number of singular values above max(atol, rtol * the largest), int64."""
    x = _lower_as_symmetric(A) if hermitian else A
    if A.size == 0:
        return mint.zeros(tuple(A.shape[:-2]), dtype=mindspore.int64)
    s = _values(ops.stop_gradient(_wide(x)))
    if rtol is None:
        eps = 1.1920929e-07 if A.dtype == mindspore.float32 else 2.220446049250313e-16
        rtol = 0.0 if atol is not None and atol > 0 else max(A.shape[-2:]) * eps
    limit = mint.clamp(mint.amax(s, -1, True) * rtol, min=0.0 if atol is None else atol)
    return mint.sum((s > limit).astype(mindspore.int64), -1)


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number in the `p`-norm."""
    if p is None or p in (2, -2):
        s = svdvals(A)
        largest, smallest = mint.amax(s, -1), mint.amin(s, -1)
        return smallest / largest if p == -2 else largest / smallest
    return norm(A, p, (-2, -1)) * norm(inv(A), p, (-2, -1))


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> LeastSquares:
    """Return X that minimizes the norm of A @ X - B, for matrices of full rank."""
    solution = mint.matmul(pinv(A), B if B.ndim > 1 and B.ndim == A.ndim else B.unsqueeze(-1))
    difference = mint.matmul(A, solution) - (B if B.ndim > 1 and B.ndim == A.ndim else B.unsqueeze(-1))
    tall = A.shape[-2] > A.shape[-1]
    residuals = mint.sum(difference * difference, -2) if tall else mint.zeros((0,), dtype=A.dtype)
    if not (B.ndim > 1 and B.ndim == A.ndim):
        solution = solution.squeeze(-1)
    return LeastSquares(solution, residuals, matrix_rank(A), mint.zeros((0,), dtype=A.dtype))


def qr(input: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    """Return the QR factorization, complete unless `some`."""
    return _qr(input, "reduced" if some else "complete")


def multi_dot(tensors: Any) -> Tensor:
    """Return the product of a chain of matrices; the first and the last may be vectors."""
    result = tensors[0]
    for tensor in tensors[1:]:
        result = mint.matmul(result, tensor)
    return result


def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return the matrix multiplied with itself `n` times; negative powers are those of the inverse."""
    if n == 0:
        return mint.broadcast_to(_eye(A, A.shape[-1]), A.shape) * 1
    base, left = (A, n) if n > 0 else (inv(A), -n)
    result = None
    while left:
        if left % 2:
            result = base if result is None else mint.matmul(result, base)
        left //= 2
        base = mint.matmul(base, base) if left else base
    return result


def matrix_exp(A: Tensor) -> Tensor:
    """Return the matrix exponential, by scaling, a Taylor series and squaring."""
    x = _wide(A)
    if A.size == 0:
        return mint.clone(A)
    largest = float(ops.stop_gradient(mint.amax(mint.sum(mint.abs(x), -2))).asnumpy())
    squarings = max(0, math.ceil(math.log2(largest)) + 1) if largest > 0 else 0
    scaled = x / 2.0**squarings
    term = mint.broadcast_to(_eye(x, A.shape[-1]), A.shape) * 1
    total = term
    for k in range(1, 19):
        term = mint.matmul(term, scaled) / k
        total = total + term
    for _ in range(squarings):
        total = mint.matmul(total, total)
    return total.astype(A.dtype)
