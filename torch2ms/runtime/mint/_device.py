"""mint's functions for the device at hand: MindSpore's own on Ascend, the CPU kernels in their place on CPU."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from mindspore import mint as _mint

from .._device_target import IS_CPU

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


def public(module: Any) -> dict[str, Any]:
    """Return what `module` offers: its public attributes that are no modules."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "absolute_import"
    }


globals().update(public(_mint))

if IS_CPU:
    from ._cpu.arithmetic import *  # noqa: F403
    from ._cpu.creation import *  # noqa: F403
    from ._cpu.einsum import *  # noqa: F403
    from ._cpu.indexing import *  # noqa: F403
    from ._cpu.linalg import inverse, norm, triangular_solve  # noqa: F401
    from ._cpu.products import *  # noqa: F403
    from ._cpu.reduction import *  # noqa: F403
    from ._cpu.sampling import *  # noqa: F403
    from ._cpu.shape import *  # noqa: F403
    from ._cpu.sorting import *  # noqa: F403
    from ._cpu.transcendental import *  # noqa: F403
