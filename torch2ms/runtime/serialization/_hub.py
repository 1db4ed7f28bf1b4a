"""State dicts from the network, kept where PyTorch keeps them. https://pytorch.org/docs/stable/hub.html"""

from __future__ import annotations

import hashlib
import os
import re
import urllib.parse
import urllib.request
from typing import Any

from . import _reader
from ._atomic import writing
from ._tensors import TENSORS

# PyTorch writes the start of the file's hash into its name
_HASH = re.compile(r"-([a-f0-9]*)\.")
_PIECE = 1 << 20


def hub_folder() -> str:
    """Return where downloaded checkpoints lie: in TORCH_HOME, or in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    home = os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))
    return os.path.join(os.path.expanduser(home), "hub", "checkpoints")


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """Return the content of a checkpoint at a URL, fetched once."""
    folder = model_dir or hub_folder()
    path = os.path.join(folder, file_name or os.path.basename(urllib.parse.urlparse(url).path))
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        expected = _HASH.search(os.path.basename(path)) if check_hash else None
        _download(url, path, expected.group(1) if expected else "")
    return _reader.load(path, TENSORS)


def _download(url: str, path: str, expected: str) -> None:
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(url) as answer, writing(path) as file:
            while piece := answer.read(_PIECE):
                digest.update(piece)
                file.write(piece)
            if not digest.hexdigest().startswith(expected):
                raise RuntimeError(f'invalid hash value (expected "{expected}", got "{digest.hexdigest()}")')
    except OSError as error:
        raise RuntimeError(f"{url} could not be fetched ({error}): put the file into {os.path.dirname(path)}") from error
