"""Errors of the parity table that are known, by entry ("cdist"), entry and form, or entry, form and dtype, with the cause."""

from __future__ import annotations

_BOOLEANS = "AddExt has no CPU kernel for booleans with alpha"
_SVD = "MindSpore has no gradient of the full singular vectors where rows and columns differ by more than one"
_RESIZED = "PyTorch's in-place form gives its first argument another shape here; MindSpore's write keeps it"

ERRORS: dict[str, str] = {
    "add | function | bool": _BOOLEANS,
    "add | method | bool": _BOOLEANS,
    "addbmm | in-place": _RESIZED,
    "bfloat16 | method | float32": "a loss in bfloat16: OnesLike has no CPU kernel for it",
    "imag | function | complex128": "the kernel of Imag refuses tensors without elements",
    "svd": _SVD,
    "linalg.svd": _SVD,
}
