"""Runs a PyTorch script and its conversion side by side and compares them."""
