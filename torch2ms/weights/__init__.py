"""Weights between PyTorch, safetensors and MindSpore files, tensor by tensor, without either library."""
