"""Stands in the emitted code where a PyTorch API has no counterpart, and raises when it is reached."""

from __future__ import annotations

from typing import NoReturn


def unsupported(api: str, source: str = "", advice: str = "", *_args: object, **_kwargs: object) -> NoReturn:
    """Raise NotImplementedError for a PyTorch API that was not converted.

    `api` is its full name, `source` the original line, `advice` what to do instead. Further arguments are accepted
    so that the arguments of the original call can stay where they were.
    """
    lines = [f"{api} was not converted to MindSpore."]
    if source:
        lines.append(f"  original: {source.strip()}")
    if advice:
        lines.append(f"  instead:  {advice}")
    raise NotImplementedError("\n".join(lines))
