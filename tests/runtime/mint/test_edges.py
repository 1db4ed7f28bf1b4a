"""What OpInfo's random samples miss: kinks, nan, saturation, ties, emptiness, wrong indices, aliasing."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from tests.runtime.mint import gradients, parity
from torch2ms.runtime import grad, mint, value_and_grad
from torch2ms.runtime.mint.nn import functional as F

TF = torch.nn.functional
KINKS = np.array([-20, -6, -3, -1, -0.5, -0.0, 0.0, 0.5, 1, 3, 6, 20, 90, -90], np.float32)
NAN = np.array([1.0, np.nan, -2.0, 3.0], np.float32)


def _gradients(theirs: Any, ours: Any, values: np.ndarray) -> tuple[Any, Any]:
    leaf = torch.tensor(values, requires_grad=True)
    theirs(leaf).sum().backward()
    return leaf.grad, grad(lambda x: mint.sum(ours(x)))(Tensor(values))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("relu", ()),
        ("relu6", ()),
        ("hardtanh", ()),
        ("hardtanh", (-0.5, 3.0)),
        ("elu", ()),
        ("elu", (0.5,)),
        ("selu", ()),
        ("celu", (2.0,)),
        ("leaky_relu", ()),
        ("leaky_relu", (0.2,)),
        ("threshold", (0.5, 20.0)),
        ("softplus", ()),
        ("softplus", (2.0, 1.0)),
        ("logsigmoid", ()),
        ("hardsigmoid", ()),
        ("hardswish", ()),
        ("hardshrink", (0.5,)),
        ("softshrink", (0.5,)),
        ("gelu", ()),
        ("mish", ()),
        ("silu", ()),
        ("tanh", ()),
        ("sigmoid", ()),
        ("softsign", ()),
        ("tanhshrink", ()),
    ],
)
def test_values_and_gradients_at_kinks_and_far_out(name: str, arguments: Any) -> None:
    theirs, ours = getattr(TF, name), getattr(F, name)
    text = parity.difference(theirs(torch.tensor(KINKS), *arguments), ours(Tensor(KINKS), *arguments), 1e-5, 1e-6)
    assert not text
    wanted, found = _gradients(lambda x: theirs(x, *arguments), lambda x: ours(x, *arguments), KINKS)
    assert not parity.difference(wanted, found, 1e-4, 1e-6)


def test_tanh_never_exceeds_one() -> None:
    """log(1 - tanh(x) ** 2) of a squashed policy is nan otherwise, as with MindSpore's kernel."""
    x = np.linspace(-12, 12, 241).astype(np.float32)
    assert np.abs(mint.tanh(Tensor(x)).asnumpy()).max() <= 1
    assert not parity.difference(torch.tanh(torch.tensor(x)), mint.tanh(Tensor(x)), 1e-5, 2e-7)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (torch.relu, F.relu),
        (lambda x: torch.clamp(x, 0, 2), lambda x: mint.clamp(x, 0, 2)),
        (torch.max, mint.max),
        (torch.min, mint.min),
        (torch.amax, mint.amax),
        (lambda x: torch.max(x, 0), lambda x: mint.max(x, 0)),
        (lambda x: torch.min(x, 0), lambda x: mint.min(x, 0)),
        (torch.argmax, mint.argmax),
        (torch.sort, mint.sort),
        (lambda x: torch.sort(x, descending=True), lambda x: mint.sort(x, descending=True)),
        (lambda x: torch.topk(x, 2), lambda x: mint.topk(x, 2)),
        (torch.median, mint.median),
        (lambda x: torch.median(x, 0), lambda x: mint.median(x, 0)),
        (torch.sum, mint.sum),
        (lambda x: torch.maximum(x, x * 0), lambda x: mint.maximum(x, x * 0)),
        (lambda x: torch.maximum(x, torch.zeros(4)), lambda x: mint.maximum(x, mint.zeros(4))),
        (lambda x: torch.minimum(torch.zeros(4), x), lambda x: mint.minimum(mint.zeros(4), x)),
        (lambda x: x.clamp(min=0), lambda x: x.clamp(min=0)),
        (lambda x: x.clip(-1, 1), lambda x: x.clip(-1, 1)),
        *((getattr(torch.nn.functional, n), getattr(F, n)) for n in "hardtanh relu6 hardsigmoid softshrink hardshrink".split()),
        (lambda x: torch.nn.functional.threshold(x, 0, 9), lambda x: F.threshold(x, 0, 9)),
        (lambda x: torch.nn.functional.normalize(x, dim=0), lambda x: F.normalize(x, dim=0)),
    ],
)
def test_nan_is_not_lost(theirs: Any, ours: Any) -> None:
    assert not parity.difference(theirs(torch.tensor(NAN)), ours(Tensor(NAN)))


INFINITE = np.array([np.inf, -np.inf, np.nan, 1.5, -2.0], np.float32)


@pytest.mark.parametrize("name", "relu relu6 elu selu celu mish softplus logsigmoid hardswish softshrink".split())
def test_infinities_stay(name: str) -> None:
    theirs, ours = getattr(TF, name), getattr(F, name)
    assert not parity.difference(theirs(torch.tensor(INFINITE)), ours(Tensor(INFINITE)), 1e-5)
    finite = np.array([np.inf, 1.5, -2.0], np.float32)  # PyTorch has no gradient for some of them elsewhere
    wanted, found = _gradients(theirs, ours, finite)
    assert not parity.difference(wanted, found, 1e-5)


def test_prelu_of_infinities_and_its_slope() -> None:
    slope = torch.tensor([0.25], requires_grad=True)
    x = torch.tensor(INFINITE[[0, 3, 4]], requires_grad=True)
    theirs = TF.prelu(x, slope)
    theirs.sum().backward()
    ours, grads = value_and_grad(lambda x, w: (F.prelu(x, w).sum(), F.prelu(x, w)), (0, 1), has_aux=True)(
        Tensor(INFINITE[[0, 3, 4]]), Tensor([0.25], mindspore.float32)
    )
    assert not parity.difference(theirs, ours[1])
    assert not parity.difference((x.grad, slope.grad), tuple(grads))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("name", ["max_pool", "adaptive_max_pool"])
@pytest.mark.parametrize("nan", [False, True])
def test_maxima_of_windows_that_hold_no_number(rank: int, name: str, nan: bool) -> None:
    values = np.full((1, 2, *(6,) * rank), -np.inf, np.float32)
    values.reshape(-1)[20::5], values.reshape(-1)[1::7] = np.inf, 3
    if nan:
        values.reshape(-1)[7::97] = np.nan
    theirs = getattr(TF, f"{name}{rank}d")(torch.tensor(values), 2, return_indices=True)
    ours = getattr(F, f"{name}{rank}d")(Tensor(values), 2, return_indices=True)
    assert not parity.difference(theirs, ours)


@pytest.mark.parametrize("descending", [False, True])
def test_sort_is_stable(descending: bool) -> None:
    x = np.random.RandomState(0).randint(0, 5, (3, 200)).astype(np.float32)
    theirs = torch.sort(torch.tensor(x), dim=1, descending=descending, stable=True)
    assert not parity.difference(theirs, mint.sort(Tensor(x), dim=1, descending=descending, stable=True))


@pytest.mark.parametrize("name", ["max", "min", "sort", "kthvalue", "median", "topk", "cummax", "cummin"])
def test_results_along_a_dimension_are_named(name: str) -> None:
    arguments = {"sort": (), "kthvalue": (2, 1), "topk": (2, 1)}.get(name, (1,))
    result = getattr(mint, name)(mint.arange(6.0).reshape(2, 3), *arguments)
    values, indices = result
    assert result.values is values and result.indices is indices
    assert indices.dtype == mindspore.int64


def test_sums_and_products_of_nothing() -> None:
    empty = np.zeros((2, 0, 3), np.float32)
    for name in ("sum", "mean", "prod", "logsumexp"):
        arguments = (1,) if name == "logsumexp" else ()
        theirs, ours = getattr(torch, name), getattr(mint, name)
        assert not parity.difference(theirs(torch.tensor(empty), *arguments), ours(Tensor(empty), *arguments))
        assert not parity.difference(theirs(torch.tensor(empty), 1), ours(Tensor(empty), 1))
    with pytest.raises(IndexError):
        mint.amax(Tensor(empty), 1)
    inner = np.zeros((4, 0), np.float32)
    assert not parity.difference(
        torch.tensor(inner) @ torch.tensor(inner).T, mint.matmul(Tensor(inner), Tensor(inner.T))
    )


def test_wrong_classes_and_indices_are_refused() -> None:
    logits = mint.zeros((2, 3))
    with pytest.raises(IndexError, match="Target 3 is out of bounds"):
        F.cross_entropy(logits, Tensor([1, 3]))
    with pytest.raises(IndexError, match="index out of range"):
        F.embedding(Tensor([0, 5]), mint.zeros((5, 2)))
    with pytest.raises(RuntimeError, match="smaller than num_classes"):
        F.one_hot(Tensor([0, 5]), 3)
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        F.binary_cross_entropy(Tensor([1.5]), Tensor([1.0]))
    with pytest.raises(RuntimeError, match="channels"):
        F.conv2d(mint.zeros((1, 3, 4, 4)), mint.zeros((2, 4, 3, 3)))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_with_ignored_targets(reduction: str, smoothing: float, weighted: bool) -> None:
    rng = np.random.RandomState(0)
    x, y = rng.randn(6, 4, 2).astype(np.float32), rng.randint(0, 4, (6, 2))
    y[0], y[3, 1] = -100, -100
    weight = rng.rand(4).astype(np.float32) if weighted else None
    options = {"reduction": reduction, "label_smoothing": smoothing}
    leaf = torch.tensor(x, requires_grad=True)
    theirs = TF.cross_entropy(leaf, torch.tensor(y), None if weight is None else torch.tensor(weight), **options)
    theirs.sum().backward()

    def loss(a: Tensor) -> Tensor:
        return F.cross_entropy(a, Tensor(y), None if weight is None else Tensor(weight), **options)

    assert not parity.difference(theirs, loss(Tensor(x)))
    for function in (loss, mindspore.jit(loss)):
        assert not parity.difference(leaf.grad, grad(function)(Tensor(x)), 1e-4, 1e-6)


def test_embedding_renormalizes_its_table_in_place() -> None:
    table = np.random.RandomState(0).randn(5, 3).astype(np.float32) * 3
    theirs, ours = torch.tensor(table), Parameter(Tensor(table), name="table")
    index = np.array([[0, 2], [2, 4]])
    wanted = TF.embedding(torch.tensor(index), theirs, max_norm=1.0)
    assert not parity.difference(wanted, F.embedding(Tensor(index), ours, max_norm=1.0))
    assert not parity.difference(theirs, ours)


@pytest.mark.parametrize("options", [{"padding_idx": 1}, {"scale_grad_by_freq": True}, {}])
def test_gradient_of_embedding(options: dict[str, Any]) -> None:
    table, index = np.random.RandomState(0).randn(5, 3).astype(np.float32), np.array([[0, 1, 1], [1, 4, 0]])
    theirs = torch.tensor(table, requires_grad=True)
    TF.embedding(torch.tensor(index), theirs, **options).pow(2).sum().backward()
    found = grad(lambda w: mint.sum(F.embedding(Tensor(index), w, **options) ** 2))(Tensor(table))
    assert not parity.difference(theirs.grad, found)


def test_index_add_leaves_its_input_alone() -> None:
    x = mint.zeros((3, 2))
    mint.index_add(x, 0, Tensor([0, 0, 2]), mint.ones((3, 2)))
    assert not x.asnumpy().any()


@pytest.mark.parametrize("function", [mint.clone, lambda x: mint.roll(x, 0, 0), lambda x: F.pad(x, (0, 0))])
def test_copies_own_their_storage(function: Any) -> None:
    x = mint.zeros((3, 2))
    y = function(x)
    y[0] = 1
    assert not x.asnumpy().any()


def test_norms_have_no_nan_gradient_at_zero() -> None:
    x = np.zeros((2, 3), np.float32)
    for theirs, ours in (
        (lambda t: t.norm(dim=1), lambda t: mint.norm(t, dim=1)),
        (lambda t: t.std(dim=1), lambda t: mint.std(t, 1)),
        (lambda t: TF.normalize(t), lambda t: F.normalize(t)),
        (lambda t: TF.cosine_similarity(t, t + 1), lambda t: F.cosine_similarity(t, t + 1)),
    ):
        assert not parity.difference(*_gradients(theirs, ours, x))


def test_double_precision_is_kept() -> None:
    x = np.linspace(-3, 3, 12).reshape(3, 4)
    for name, arguments in {
        "layer_norm": ((4,),),
        "gelu": (),
        "softplus": (),
        "normalize": (),
        "logsigmoid": (),
    }.items():
        wanted = getattr(TF, name)(torch.tensor(x), *arguments)
        assert not parity.difference(wanted, getattr(F, name)(Tensor(x), *arguments), 1e-6, 1e-8)
    conv = TF.conv1d(torch.tensor(x[None]), torch.tensor(x[None, :, :2]))
    assert not parity.difference(
        conv, F.conv1d(Tensor(x[None]), Tensor(np.ascontiguousarray(x[None, :, :2]))), 1e-12, 1e-12
    )


@pytest.mark.parametrize(
    "equation", ["bhid,bhjd->bhij", "ij,jk", "ii", "bij,bkj->bik", "...ij,jk->...ik", "i,j,k->kij"]
)
def test_einsum(equation: str) -> None:
    rng = np.random.RandomState(0)
    sizes = dict(zip("bhijkd", (2, 3, 4, 4, 5, 6)))
    terms = equation.partition("->")[0].split(",")
    arrays = [rng.randn(*(sizes[c] for c in t.replace("...", "bh"))).astype(np.float32) for t in terms]
    wanted = torch.einsum(equation, *map(torch.tensor, arrays))
    assert not parity.difference(wanted, mint.einsum(equation, *map(Tensor, arrays)))


def test_batch_norm_counts_each_forward_once() -> None:
    layer, theirs = mint.nn.BatchNorm1d(3, momentum=None), torch.nn.BatchNorm1d(3, momentum=None)
    for seed in range(3):
        x = np.random.RandomState(seed).randn(6, 3).astype(np.float32)
        theirs(torch.tensor(x))
        value_and_grad(lambda v: mint.sum(layer(v) ** 2))(Tensor(x))
    assert int(layer.num_batches_tracked) == 3
    for name, value in theirs.state_dict().items():
        assert not parity.difference(value, layer.state_dict()[name])


def test_a_jitted_batch_norm_moves_its_statistics() -> None:
    layer, theirs = mint.nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3)
    x = np.random.RandomState(0).randn(4, 3, 2, 2).astype(np.float32)

    @mindspore.jit
    def forward(v: Tensor) -> Tensor:
        return mint.sum(layer(v) ** 3)

    for _ in range(2):
        leaf = torch.tensor(x, requires_grad=True)
        theirs(leaf).pow(3).sum().backward()
        assert not parity.difference(leaf.grad, value_and_grad(forward)(Tensor(x))[1], 1e-3, 1e-4)
    for name, value in theirs.state_dict().items():
        assert not parity.difference(value, layer.state_dict()[name])


@pytest.mark.parametrize("name", ["batch_norm", "layer_norm", "max_pool2d", "conv2d", "cross_entropy"])
def test_a_gradient_penalty_is_right_again_and_again(name: str) -> None:
    """MindSpore's own second derivatives of these are wrong from the second call on, or missing."""
    rng = np.random.RandomState(0)
    x, w = rng.randn(4, 3, 4, 4).astype(np.float32), rng.randn(2, 3, 3, 3).astype(np.float32)
    labels = rng.randint(0, 3, (4, 4, 4))

    def network(library: Any, v: Any, weight: Any, target: Any) -> Any:
        if name == "batch_norm":
            v = library.batch_norm(v, None, None, training=True)
        elif name == "layer_norm":
            v = library.layer_norm(v, (4,))
        elif name == "max_pool2d":
            v = library.max_pool2d(v, 2)
        elif name == "cross_entropy":
            return library.cross_entropy(v * v, target)
        else:
            v = library.conv2d(v, weight, padding=1)
        return (v * v * v).sum()

    for _ in range(3):
        leaf, weight = torch.tensor(x, requires_grad=True), torch.tensor(w, requires_grad=True)
        inner = torch.autograd.grad(network(TF, leaf, weight, torch.tensor(labels)), leaf, create_graph=True)[0]
        wanted = torch.autograd.grad((inner * inner).sum(), [leaf, weight], allow_unused=True)

        def penalty(v: Tensor, k: Tensor) -> Tensor:
            inside = grad(lambda u: network(F, u, k, Tensor(labels)))(v)
            return mint.sum(inside * inside)

        assert not gradients.compare_gradients(wanted, grad(penalty, (0, 1))(Tensor(x), Tensor(w)))


def test_a_target_of_zero_probability_costs_nothing() -> None:
    p = np.array([[0.0, 0.3, 0.7]], np.float32)
    q = np.log(np.array([[0.2, 0.3, 0.5]], np.float32))
    assert not parity.difference(TF.kl_div(torch.tensor(q), torch.tensor(p)), F.kl_div(Tensor(q), Tensor(p)))
    x, y = np.array([0, 0, 1, 0, 2], np.float32), np.array([0, 2, 0, np.nan, 3], np.float32)
    assert not parity.difference(torch.xlogy(torch.tensor(x), torch.tensor(y)), mint.xlogy(Tensor(x), Tensor(y)))


def test_factorizations_rebuild_their_matrix() -> None:
    rng = np.random.RandomState(0)
    a = rng.randn(2, 5, 4).astype(np.float32)
    u, s, vh = mint.linalg.svd(Tensor(a), False)
    assert np.allclose((u * s.unsqueeze(-2)).asnumpy() @ vh.asnumpy(), a, atol=1e-5)
    assert not parity.difference(torch.linalg.svdvals(torch.tensor(a)), s)
    symmetric = a @ a.swapaxes(-1, -2)
    values, vectors = mint.linalg.eigh(Tensor(symmetric))
    assert not parity.difference(torch.linalg.eigvalsh(torch.tensor(symmetric)), values)
    v = vectors.asnumpy()
    assert np.allclose((v * values.asnumpy()[..., None, :]) @ v.swapaxes(-1, -2), symmetric, atol=1e-4)
    b = rng.randn(5, 3).astype(np.float32)
    wanted = torch.linalg.lstsq(torch.tensor(a[0]), torch.tensor(b)).solution
    assert not parity.difference(wanted, mint.linalg.lstsq(Tensor(a[0]), Tensor(b)).solution)
    with pytest.raises(RuntimeError, match="positive-definite"):
        mint.linalg.cholesky(Tensor(-np.eye(3, dtype=np.float32)))


def test_absolute_values_of_complex_numbers_are_real() -> None:
    values = np.array([3 - 4j, 0, 1j], np.complex64)
    assert parity.difference(torch.abs(torch.tensor(values)), mint.abs(Tensor(values))) == ""
    expected, found = _gradients(
        lambda x: torch.abs(torch.complex(x, 2 * x)), lambda x: mint.abs(mint.complex(x, 2 * x)), KINKS
    )
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-6)


def test_gradients_of_softmax_of_large_numbers_keep_their_digits() -> None:
    draw = np.random.RandomState(3)
    shapes = ((4, 3, 8), (4, 6, 8), (4, 6, 8))
    for _ in range(4):
        arrays = [draw.uniform(-9, 9, shape).astype(np.float32) for shape in shapes]
        exact = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
        TF.scaled_dot_product_attention(*exact).sum().backward()
        found = grad(lambda *qkv: F.scaled_dot_product_attention(*qkv).sum(), (0, 1, 2))(*[Tensor(a) for a in arrays])
        for theirs, ours in zip(exact, found, strict=True):
            scale = theirs.grad.abs().max().item()
            np.testing.assert_allclose(ours.asnumpy(), theirs.grad.numpy(), rtol=0, atol=1e-5 * scale)


def test_softmax_of_a_row_with_infinity_or_nan() -> None:
    x = np.array([[np.inf, 0.0], [np.nan, 1.0], [-np.inf, 0.0], [-np.inf, -np.inf], [1.0, 2.0]], np.float32)
    assert not parity.difference(torch.softmax(torch.tensor(x), 1), F.softmax(Tensor(x), 1))


def test_matrix_rank_takes_a_tolerance_for_each_matrix() -> None:
    x, tolerance = np.random.RandomState(2).randn(2, 4, 4).astype(np.float32), np.array([0.1, 2.0], np.float32)
    for name in ("atol", "rtol"):
        theirs = torch.linalg.matrix_rank(torch.tensor(x), **{name: torch.tensor(tolerance / 2)})
        ours = mint.linalg.matrix_rank(Tensor(x), **{name: Tensor(tolerance / 2)})
        assert not parity.difference(theirs, ours)
