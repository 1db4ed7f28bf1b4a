"""What converted programs import: PyTorch semantics on MindSpore."""
