"""float64 as the default type: what changes in the functions, the methods of Tensor and the layers.

Loaded when a program sets it. Three things: tensors and parameters without a type get the default's, integers become it
where PyTorch makes floats of them, and Python's floats keep their digits beside tensors of float64 (MindSpore rounds them
to float32).
"""

from __future__ import annotations

import functools

from . import _functions, _layers, _methods


@functools.cache
def install() -> None:
    """Change what depends on the default, once; each call then asks for the default of that time."""
    _functions.install()
    _methods.install()
    _layers.install()
