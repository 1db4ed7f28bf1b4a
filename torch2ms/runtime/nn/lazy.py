"""Layers that learn the size of their input from the first call.

https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore import Tensor

from ..mint import nn as _layers
from .cell import Cell

__all__ = [f"Lazy{kind}{n}d" for kind in ("BatchNorm", "Conv", "ConvTranspose", "InstanceNorm") for n in (1, 2, 3)] + [
    "LazyLinear"
]


class _Lazy(Cell):
    """Stands for a layer until its first call, and is that layer from then on.

    PyTorch's lazy parameters exist before that call; here they do not, so listing them raises.
    """

    _layer: Callable[..., Any]
    _channel_axis: int
    # what PyTorch's lazy layer sets by default and the layer does not
    _defaults: dict[str, Any] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        object.__setattr__(self, "_arguments", (args, kwargs))

    def _size(self, input: Tensor) -> int:
        return int(input.shape[self._channel_axis])

    def construct(self, input: Tensor) -> Any:
        args, kwargs = self._arguments
        own = dict(zip(("eps", "momentum", "affine", "track_running_stats"), args)) if self._defaults else {}
        kwargs = {**self._defaults, **own, **kwargs}
        self._become(type(self)._layer(self._size(input), *(() if own else args), **kwargs))
        return self.construct(input)

    def _become(self, layer: Cell) -> None:
        layer.set_train(self.training)
        hooks = {k: v for k, v in self.__dict__.items() if "_hook" in k and v is not None}
        self.__dict__.pop("_arguments")
        self.__dict__.update(layer.__dict__)
        self.__dict__.update(hooks)
        self.__class__ = type(layer)

    def check_listing(self) -> None:
        """Refuse to be listed: an optimizer or a checkpoint would lack the parameters without a word."""
        raise RuntimeError(f"{type(self).__name__} has no parameters before its first call: run the model once")

    def _save_to_state_dict(self, *args: Any, **kwargs: Any) -> None:
        self.check_listing()

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self.check_listing()

    @property
    def has_uninitialized_params(self) -> Callable[[], bool]:
        """A function that returns whether the layer has not been called yet."""
        return lambda: True


def _make(name: str, layer: Any, channel_axis: int) -> type:
    body = {
        "_layer": layer,
        "_channel_axis": channel_axis,
        "__doc__": f"`{name}` of the size that its first input has.",
    }
    return type(f"Lazy{name}", (_Lazy,), {**body, "__module__": __name__})


LazyLinear = _make("Linear", _layers.Linear, -1)
for _n in (1, 2, 3):
    for _kind, _axis in (("Conv", -1 - _n), ("ConvTranspose", -1 - _n), ("BatchNorm", 1), ("InstanceNorm", -1 - _n)):
        _lazy = globals()[f"Lazy{_kind}{_n}d"] = _make(f"{_kind}{_n}d", getattr(_layers, f"{_kind}{_n}d"), _axis)
        if _kind == "InstanceNorm":
            _lazy._defaults = {"affine": True, "track_running_stats": True}  # type: ignore[attr-defined]
