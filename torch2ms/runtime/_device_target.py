"""The device target, read once when the runtime is imported."""

from __future__ import annotations

import mindspore

TARGET: str = mindspore.get_context("device_target")
IS_CPU: bool = TARGET == "CPU"


def check() -> None:
    """Raise RuntimeError when the device target was changed after the runtime had been imported."""
    now = mindspore.get_context("device_target")
    if now != TARGET:
        raise RuntimeError(
            f"the device target was {TARGET} when the runtime was imported and is {now} now; "
            "call mindspore.set_device before the first import of the runtime"
        )
