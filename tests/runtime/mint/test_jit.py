"""Each function inside `@mindspore.jit`, on one sample: torch's values, and shapes that the compiler knows."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor, ops
from torch.testing._internal.common_methods_invocations import op_db

from tests.runtime.mint import exceptions, parity
from torch2ms.runtime import grad, mint

SAMPLES = 4 if os.environ.get("TORCH2MS_PARITY") == "full" else 1
# results are found on the host, which a compiled graph can not do everywhere
HOST = {
    "histc": "the host looks for the range of the data",
    "searchsorted": "the host searches",
    "nn.functional.ctc_loss": "the host arranges the labels",
    "quantile": "the compiler refuses it",
    "nanquantile": "the compiler refuses it",
    "tensor_split": "the compiler refuses it",
    "index_put": "the compiler refuses it",
    "nonzero_static": "the compiler refuses it",
    "linalg.householder_product": "the compiler refuses it",
    "logcumsumexp": "the compiler refuses it",
    "logdet": "the compiler refuses it",
    "cholesky": "the host checks the pivots",
    "linalg.cholesky": "the host checks the pivots",
    "linalg.cholesky_ex": "the host checks the pivots",
    **{
        f"special.{name}": "the host computes it"
        for name in (
            "bessel_j0 bessel_j1 chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
            "erfcx hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p log_ndtr "
            "modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 ndtri scaled_modified_bessel_k0 "
            "scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
            "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w spherical_bessel_j0 zeta"
        ).split()
    },
    "matrix_exp": "the host scales",
    "linalg.matrix_exp": "the host scales",
}
# shapes that depend on values
DYNAMIC = {"masked_select", "nonzero", "unique", "unique_consecutive", "histc", "bincount", "searchsorted", "argwhere"}

_unknown: list[Any] = []


@ops.constexpr(check=False)
def _record(shape: Any) -> int:
    if None in shape or -1 in shape:
        _unknown.append(shape)
    return 0


def _seen(result: Any) -> Any:
    if isinstance(result, Tensor):
        _record(result.shape)
    return result


def _compiled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a jitted function that gets the tensors as inputs and finds the rest in its closure."""
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    if not places:
        if args and isinstance(args[0], (list, tuple)) and all(isinstance(t, Tensor) for t in args[0]):
            rest = args[1:]

            def of_list(tensors: Any) -> Any:
                return _seen(function(tensors, *rest, **kwargs))

            return mindspore.jit(of_list)(tuple(args[0]))

        def of_nothing() -> Any:
            return _seen(function(*args, **kwargs))

        return mindspore.jit(of_nothing)()
    before, after, tensors = args[: places[0]], args[places[-1] + 1 :], args[places[0] : places[-1] + 1]
    if len(places) != len(tensors):
        # a number between tensors, as in gather(input, dim, index): one input, the rest in the closure
        rest = args[places[0] + 1 :]

        def of_first(a: Any) -> Any:
            return _seen(function(*before, a, *rest, **kwargs))

        return mindspore.jit(of_first)(args[places[0]])

    def of_tensors(*inputs: Any) -> Any:
        return _seen(function(*before, *inputs, *after, **kwargs))

    return mindspore.jit(of_tensors)(*tensors)


def _names() -> list[Any]:
    found = {}
    for op in op_db:
        for name in [op.name, *(alias.name for alias in op.aliases)]:
            if name not in found and callable(parity.find(name)) and op.supports_dtype(torch.float32, "cpu"):
                found[name] = op
    return [pytest.param(name, op, id=name) for name, op in found.items()]


@pytest.mark.parametrize(("name", "op"), _names())
def test_jit(name: str, op: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in exceptions.FORWARD | HOST:
        pytest.skip((exceptions.FORWARD | HOST)[name])
    monkeypatch.chdir(tmp_path)  # a failed compilation leaves files
    checked = 0
    for call in parity.calls(op, name, torch.float32, 100):
        tensors = [v for v in parity.leaves(call.args) if isinstance(v, torch.Tensor)]
        if any(t.numel() == 0 for t in tensors):
            continue
        try:
            reference = call.torch_function(*parity.clone(call.args), **parity.clone(call.kwargs))
            parity.bind(call)
            args, kwargs = parity.to_mindspore(call.args), parity.to_mindspore(call.kwargs)
        except (parity.NotInSignature, *parity.REFUSALS):
            continue
        _unknown.clear()
        text = parity.difference(reference, _compiled(call.function, args, kwargs), values=not parity.is_random(name))
        assert not text, f"{text} <- {call}"
        assert name in DYNAMIC or not _unknown, f"the compiler lost the shape: {_unknown} <- {call}"
        checked += 1
        if checked == SAMPLES:
            break
    if not checked:
        pytest.skip("no sample without empty tensors")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("max", (1,)),
        ("min", (1,)),
        ("sort", ()),
        ("topk", (2, 1)),
        ("median", (1,)),
        ("kthvalue", (2, 1)),
        ("cummax", (1,)),
        ("mode", (1,)),
        ("aminmax", ()),
        ("slogdet", ()),
    ],
)
def test_named_results_of_a_graph_keep_their_gradient(name: str, arguments: Any) -> None:
    """Named tuples made inside a compiled graph lose it silently; plain ones do not."""
    values = np.random.RandomState(0).randn(3, 3).astype(np.float32)
    which = 1 if name == "slogdet" else 0
    leaf = torch.tensor(values, requires_grad=True)
    source = torch.linalg.slogdet if name == "slogdet" else getattr(torch, name)
    (source(leaf, *arguments)[which] * 2).sum().backward()
    function = getattr(mint, name)

    def compiled(x: Tensor) -> Any:
        return function(x, *arguments)

    compiled = mindspore.jit(compiled)
    found = grad(lambda x: mint.sum(compiled(x)[which] * 2))(Tensor(values))
    assert not parity.difference(leaf.grad, found, 1e-3, 1e-4)
