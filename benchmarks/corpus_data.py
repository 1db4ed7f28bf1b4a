"""The small data files that training scripts of the corpus read: random words, waves, a graph, images."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def write(root: Path) -> None:
    """Write what the scripts of a checkout read and the checkout does not hold."""
    rng = np.random.RandomState(0)
    language = root / "word_language_model"
    if language.is_dir():
        folder = language / "synth"
        folder.mkdir(exist_ok=True)
        words = [f"w{i}" for i in range(9)]
        for name in ("train", "valid", "test"):
            lines = [" ".join(rng.choice(words, 12)) for _ in range(60)]
            (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    sine = root / "time_sequence_prediction"
    if sine.is_dir():
        _write_sine(sine / "traindata.pt")
    if (root / "pygcn").is_dir():
        _write_graph(root / "data" / "cora", rng)
    if (root / "unet").is_dir():
        _write_images(root / "data", rng)


def _write_sine(path: Path) -> None:
    import torch

    waves = np.stack([np.sin((np.arange(60) + shift) / 4.0) for shift in range(10)]).astype("float64")
    with path.open("wb") as out:
        torch.save(waves, out)


def _write_graph(folder: Path, rng: np.random.RandomState) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    nodes, features = 1600, 40
    rows = [
        " ".join([str(i), *map(str, rng.randint(0, 2, features)), f"class{rng.randint(0, 7)}"]) for i in range(nodes)
    ]
    (folder / "cora.content").write_text("\n".join(rows) + "\n")
    edges = {(int(a), int(b)) for a, b in rng.randint(0, nodes, (4000, 2)) if a != b}
    (folder / "cora.cites").write_text("\n".join(f"{a}\t{b}" for a, b in sorted(edges)) + "\n")


def _write_images(folder: Path, rng: np.random.RandomState) -> None:
    from PIL import Image

    for name in ("imgs", "masks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for i in range(20):
        Image.fromarray(rng.randint(0, 256, (64, 64, 3)).astype("uint8")).save(folder / "imgs" / f"s{i}.png")
        mask = (rng.rand(64, 64) > 0.5).astype("uint8")
        Image.fromarray(mask).save(folder / "masks" / f"s{i}.png")
