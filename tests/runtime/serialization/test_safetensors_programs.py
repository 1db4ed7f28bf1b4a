"""Programs that keep their weights in safetensors files."""

import pytest

from tests.side_by_side import check

pytest.importorskip("safetensors")


def test_files_and_bytes() -> None:
    check("""
import os, tempfile
import numpy as np
import torch
import safetensors.torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
path = os.path.join(tempfile.mkdtemp(), "a.safetensors")
save_file({"a": torch.arange(4.0).view(2, 2), "b": torch.tensor([1, 2])}, path, metadata={"k": "v"})
loaded = load_file(path, device="cpu")
RESULT = [loaded["a"], loaded["b"], safetensors.torch.load(safetensors.torch.save({"c": torch.ones(2)}))]
with safe_open(path, framework="pt", device="cpu") as file:
    part = file.get_slice("a")
    RESULT += [sorted(file.keys()), file.get_tensor("a"), file.metadata(), part[:, :1], part.get_shape()]
with safe_open(path, "np") as file:
    RESULT.append(isinstance(file.get_tensor("a"), np.ndarray))
""")


def test_a_file_that_names_nothing_else_of_pytorch() -> None:
    check("""
import os, tempfile
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
path = os.path.join(tempfile.mkdtemp(), "a.safetensors")
save_file({"a": np.ones(2, dtype=np.float32)}, path)
with safe_open(path, framework="pt") as file:
    RESULT = [file.get_tensor("a") * 2]
""")
