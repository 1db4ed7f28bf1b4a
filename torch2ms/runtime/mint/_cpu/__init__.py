"""Kernels for CPU, composed from operations that exist there: mint's signatures, PyTorch's values and gradients."""
