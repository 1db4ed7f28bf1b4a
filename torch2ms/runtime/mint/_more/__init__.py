"""What PyTorch has and mint lacks, composed of mint's functions on every device."""
