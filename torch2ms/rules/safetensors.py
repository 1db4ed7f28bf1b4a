"""safetensors: files of named tensors, read and written by the runtime."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("safetensors.torch.load_file(filename, device='cpu')", "serialization.safetensors.load_file(filename)"),
    Api("safetensors.torch.load(data)", "serialization.safetensors.load(data)"),
    Api("safetensors.torch.save_file(tensors, filename, metadata=None)", "serialization.safetensors.save_file(tensors, filename, metadata)"),
    Api("safetensors.torch.save(tensors, metadata=None)", "serialization.safetensors.save(tensors, metadata)"),
    Api("safetensors.torch.safe_open(filename, framework, device='cpu')", "serialization.safetensors.safe_open(filename, framework)"),
    Api("safetensors.safe_open(filename, framework, device='cpu')", "serialization.safetensors.safe_open(filename, framework)"),
    Api("safetensors.torch.save_model", None, "save model.state_dict() with save_file"),
    Api("safetensors.torch.load_model", None, "load the file with load_file and give it to model.load_state_dict"),
)
