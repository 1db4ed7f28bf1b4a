"""Decompositions are unique only up to signs, phases and bases: the text that states what is unique about them."""

from __future__ import annotations

_SVD = "u, s, v = {call}\n    return (u[..., : s.shape[-1]] * s.unsqueeze(-2)) @ {v}, s"
_EIGH = "w, v = {call}\n    return (v * w.unsqueeze(-2)) @ v.swapaxes(-2, -1), w"

STATEMENTS = {
    "svd": _SVD.replace("{v}", "v[..., : s.shape[-1]].swapaxes(-2, -1)"),
    "linalg.svd": _SVD.replace("{v}", "v[..., : s.shape[-1], :]"),
    "linalg.eigh": _EIGH,
    "symeig": _EIGH,
}


def stated(name: str, call: str) -> str:
    """The text of a call with its results combined into what is unique."""
    statement = STATEMENTS.get(name)
    return (
        statement.replace("{call}", call.removeprefix("return ")) if statement and call.startswith("return ") else call
    )
