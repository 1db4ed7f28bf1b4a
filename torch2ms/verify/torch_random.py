"""Feeds PyTorch's random functions from the shared stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from torch2ms.verify.feed import Feed

_LIKE = ("rand_like", "randn_like", "randint_like")


def install(feed: Feed) -> None:
    """Replace every random function of PyTorch that scripts and layers use by one that draws from `feed`."""
    _creation(feed)
    _in_place(feed)
    _sampling(feed)
    _dropout(feed)
    _recurrent_dropout(feed)
    _attention_dropout(feed)


def _size(size: tuple[Any, ...], options: dict[str, Any]) -> tuple[int, ...]:
    if "size" in options:
        size = tuple(options.pop("size"))
    elif len(size) == 1 and not isinstance(size[0], int):
        size = tuple(size[0])
    return tuple(int(n) for n in size)


def _make(values: np.ndarray, options: dict[str, Any], dtype: torch.dtype | None = None) -> torch.Tensor:
    out = options.pop("out", None)
    grad = options.pop("requires_grad", False)
    dtype = options.pop("dtype", None) or dtype or torch.get_default_dtype()
    made = torch.from_numpy(np.asarray(values)).to(dtype)
    if out is not None:
        with torch.no_grad():
            return out.copy_(made)
    return made.requires_grad_(grad)


def _creation(feed: Feed) -> None:
    def rand(*size: Any, **options: Any) -> torch.Tensor:
        return _make(feed.uniform(_size(size, options)), options)

    def randn(*size: Any, **options: Any) -> torch.Tensor:
        return _make(feed.normal(_size(size, options)), options)

    def randint(*args: Any, **options: Any) -> torch.Tensor:
        low, high = options.pop("low", None), options.pop("high", None)
        size = options.pop("size", None)
        rest = list(args)
        if size is None:
            size = rest.pop()
        if high is None:
            high = rest.pop()
        low = rest.pop() if rest else (low or 0)
        return _make(feed.integers(int(low), int(high), tuple(size)), options, torch.int64)

    def randperm(n: int, **options: Any) -> torch.Tensor:
        return _make(feed.permutation(int(n)), options, torch.int64)

    def rand_like(input: torch.Tensor, **options: Any) -> torch.Tensor:
        return _make(feed.uniform(tuple(input.shape)), options, input.dtype)

    def randn_like(input: torch.Tensor, **options: Any) -> torch.Tensor:
        return _make(feed.normal(tuple(input.shape)), options, input.dtype)

    def randint_like(input: torch.Tensor, *bounds: int, **options: Any) -> torch.Tensor:
        low, high = bounds if len(bounds) == 2 else (options.pop("low", 0), options.pop("high", None) or bounds[0])
        return _make(feed.integers(int(low), int(high), tuple(input.shape)), options, input.dtype)

    for function in (rand, randn, randint, randperm, rand_like, randn_like, randint_like):
        setattr(torch, function.__name__, function)
    # random_split calls it by a name of its own
    torch.utils.data.dataset.randperm = randperm


def _in_place(feed: Feed) -> None:
    def fill(tensor: torch.Tensor, values: np.ndarray) -> torch.Tensor:
        with torch.no_grad():
            return tensor.copy_(torch.from_numpy(np.asarray(values).reshape(tuple(tensor.shape))))

    def uniform_(
        self: torch.Tensor, a: float = 0.0, b: float = 1.0, *, generator: Any = None, **names: float
    ) -> torch.Tensor:
        return fill(self, feed.uniform(tuple(self.shape), float(names.get("from", a)), float(names.get("to", b))))

    def normal_(self: torch.Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> torch.Tensor:
        return fill(self, feed.normal(tuple(self.shape), float(mean), float(std)))

    def random_(self: torch.Tensor, *bounds: int, generator: Any = None, **names: int) -> torch.Tensor:
        low, high = (
            bounds if len(bounds) == 2 else (names.get("from", 0), names.get("to", bounds[0] if bounds else 2**24))
        )
        return fill(self, feed.integers(int(low), int(high), tuple(self.shape)))

    def bernoulli_(self: torch.Tensor, p: Any = 0.5, *, generator: Any = None) -> torch.Tensor:
        chance = p.detach().double().numpy() if isinstance(p, torch.Tensor) else p
        return fill(self, feed.bernoulli(tuple(self.shape), chance).astype("float64"))

    def exponential_(self: torch.Tensor, lambd: float = 1.0, *, generator: Any = None) -> torch.Tensor:
        return fill(self, feed.exponential(tuple(self.shape), float(lambd)))

    for method in (uniform_, normal_, random_, bernoulli_, exponential_):
        setattr(torch.Tensor, method.__name__, method)


def _sampling(feed: Feed) -> None:
    def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **options: Any) -> torch.Tensor:
        mean, std = (torch.as_tensor(value).detach() for value in (mean, std))
        shape = torch.broadcast_shapes(mean.shape, std.shape) if size is None else tuple(size)
        dtype = mean.dtype if mean.dim() and mean.is_floating_point() else None
        # a leaf, also where it asks for its gradient
        return _make(feed.normal(shape) * std.double().numpy() + mean.double().numpy(), options, dtype)

    def bernoulli(input: torch.Tensor, p: float | None = None, **options: Any) -> torch.Tensor:
        chance = input.detach().double().numpy() if p is None else p
        return _make(feed.bernoulli(tuple(input.shape), chance).astype("float64"), options, input.dtype)

    def multinomial(input: torch.Tensor, num_samples: int, replacement: bool = False, **options: Any) -> torch.Tensor:
        return _make(feed.multinomial(input.detach().double().numpy(), num_samples, replacement), options, torch.int64)

    torch.normal, torch.bernoulli, torch.multinomial = normal, bernoulli, multinomial
    torch.Tensor.bernoulli, torch.Tensor.multinomial = bernoulli, multinomial


def _dropout(feed: Feed) -> None:
    def mask(x: torch.Tensor, p: float, shape: tuple[int, ...]) -> torch.Tensor:
        scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
        return torch.from_numpy(feed.bernoulli(shape, 1 - p)).to(x.dtype) * scale

    def dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
        if not training or p == 0.0:
            return input
        made = input * mask(input, p, tuple(input.shape))
        return input.copy_(made) if inplace else made

    def channels(batched: int) -> Any:
        """Dropout of whole channels; `batched` is the rank of an input with a batch, 0 where every input has one."""

        def feature_dropout(
            x: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
        ) -> torch.Tensor:
            if not training or p == 0.0:
                return x
            leading = 2 if not batched or x.dim() == batched else 1
            made = x * mask(x, p, tuple(x.shape[:leading]) + (1,) * (x.dim() - leading))
            return x.copy_(made) if inplace else made

        return feature_dropout

    F.dropout, torch.dropout = dropout, lambda input, p, train: dropout(input, p, train)
    F.dropout1d, F.dropout2d, F.dropout3d = channels(3), channels(0), channels(5)


def _recurrent_dropout(feed: Feed) -> None:
    def wrap(name: str) -> Any:
        original = getattr(torch._VF, name)

        def run(*args: Any) -> Any:
            packed = isinstance(args[1], torch.Tensor) and isinstance(args[3], (list, tuple))
            head = 2 if packed else 1
            hidden, weights, bias, layers, drop, train, bidirectional = args[head : head + 7]
            if drop == 0.0 or not train or layers == 1:
                return original(*args)
            return _layerwise(original, args, head, name == "lstm")

        return run

    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        setattr(torch._VF, name, wrap(name))


def _layerwise(original: Any, args: tuple[Any, ...], head: int, is_lstm: bool) -> Any:
    """Run the layers one by one with a fed dropout between them."""
    data, extra, tail = args[0], args[1:head], args[head + 7 :]
    hidden, weights, bias, layers, drop, train, bidirectional = args[head : head + 7]
    directions = 2 if bidirectional else 1
    per_layer = len(weights) // layers
    ends: list[Any] = []
    for layer in range(layers):
        rows = slice(layer * directions, (layer + 1) * directions)
        state = tuple(h[rows] for h in hidden) if is_lstm else hidden[rows]
        flat = list(weights[layer * per_layer : (layer + 1) * per_layer])
        data, *last = original(data, *extra, state, flat, bias, 1, 0.0, train, bidirectional, *tail)
        ends.append(last)
        if layer + 1 < layers:
            data = F.dropout(data, drop, True)
    return (data, *(torch.cat(parts) for parts in zip(*ends, strict=True)))


def _attention_dropout(feed: Feed) -> None:
    original = F.scaled_dot_product_attention

    def attention(  # type: ignore[no-untyped-def]
        query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
    ):
        if dropout_p == 0.0:
            return original(query, key, value, attn_mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa)
        rows, columns = query.size(-2), key.size(-2)
        weights = query @ key.transpose(-2, -1) * (scale if scale is not None else query.size(-1) ** -0.5)
        if is_causal:
            attn_mask = torch.ones(rows, columns, dtype=torch.bool).tril()
        if attn_mask is not None:
            weights = (
                weights.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else weights + attn_mask
            )
        return F.dropout(weights.softmax(-1), dropout_p, True) @ value

    F.scaled_dot_product_attention = attention
