"""The layers, one topic per file."""
