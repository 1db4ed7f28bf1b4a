"""Where mint on CPU does not follow PyTorch, by check and OpInfo name (with its variant), and why.

A test fails where an entry no longer applies. "raises" entries must raise, never return another number.
"""

from __future__ import annotations

NOT_BUILT = "raises: mint does not have it on Ascend either"
EMPTY_GRADIENT = "raises: the result of an empty product is a constant, it has no gradient at all"
INTEGER_SCALED = "PyTorch truncates the float factor to the integer type, MindSpore promotes the result"

FORWARD: dict[str, str] = {
    "nn.functional.grid_sample": f"mode='bicubic' {NOT_BUILT}",
    "nn.functional.triplet_margin_with_distance_loss": "the samples pass a torch function as distance",
    "nn.functional.scaled_dot_product_attention": "samples with dropout",
    "nn.functional.rrelu": "random",
}
GRADIENT: dict[str, str] = {
    "cdist": EMPTY_GRADIENT,
    "mm": EMPTY_GRADIENT,
    "tile": EMPTY_GRADIENT,
    "nn.functional.bilinear": EMPTY_GRADIENT,
    "nn.functional.pdist": EMPTY_GRADIENT,
}
SECOND: dict[str, str] = {
    "norm nuc": "raises: MindSpore's second derivative of singular values is wrong",
    "linalg.matrix_norm": "ord='nuc' raises: MindSpore's second derivative of singular values is wrong",
    "linalg.norm subgradients_at_zero": "nan in PyTorch, 0 here",
    "nn.functional.grid_sample": "raises: the gradient of MindSpore's kernel has none itself",
}
INT64: dict[str, str] = {
    "addmv": INTEGER_SCALED,
    "addbmm": INTEGER_SCALED,
    "baddbmm": INTEGER_SCALED,
    "nn.functional.avg_pool1d": "an integer average is a float here, truncated in PyTorch",
    "nn.functional.avg_pool2d": "an integer average is a float here, truncated in PyTorch",
    "nn.functional.avg_pool3d": "an integer average is a float here, truncated in PyTorch",
    "nn.functional.conv_transpose1d": "raises: no kernel for integers",
    "nn.functional.conv_transpose2d": "raises: no kernel for integers",
    "nn.functional.local_response_norm": "raises or promotes: integers are divided",
    "kthvalue": "PyTorch leaves open which of equal elements it names",
    "topk": "PyTorch leaves open which of equal elements it names",
}
BOOL: dict[str, str] = {
    "add": "raises: alpha=False of booleans",
    "nn.functional.unfold": "raises: no kernel for booleans",
    "sort": "PyTorch leaves open the order of equal elements",
    "argsort": "PyTorch leaves open the order of equal elements",
}
JIT: dict[str, str] = {}
