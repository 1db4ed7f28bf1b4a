"""Where mint on CPU does not follow PyTorch, by check and OpInfo name (with its variant), and why.

A test fails where an entry no longer applies. "raises" entries must raise, never return another number.
"""

from __future__ import annotations

NOT_BUILT = "raises: mint does not have it on Ascend either"
INTEGER_SCALED = "PyTorch truncates the float factor to the integer type, MindSpore promotes the result"

FORWARD: dict[str, str] = {
    "nn.functional.grid_sample": f"mode='bicubic' {NOT_BUILT}",
    "nn.functional.triplet_margin_with_distance_loss": "the samples pass a torch function as distance",
    "nn.functional.scaled_dot_product_attention": "samples with dropout",
    "nn.functional.rrelu": "random",
    **{f"polygamma polygamma_n_{n}": "n > 1 of negative numbers raises" for n in range(5)},
    "special.polygamma special_polygamma_n_0": "n > 1 of negative numbers raises",
    "cov": "samples with weights raise",
    "linalg.pinv hermitian": "raises",
    "gradient": "samples with a spacing per dimension raise",
    "svd": "vectors are determined up to their sign; checked by hand",
    "linalg.svd": "vectors are determined up to their sign; checked by hand",
    "linalg.eigh": "vectors are determined up to their sign; checked by hand",
    "linalg.lstsq": "residuals and ranks depend on PyTorch's driver; checked by hand",
    "linalg.lstsq grad_oriented": "residuals and ranks depend on PyTorch's driver; checked by hand",
}
COMPLEX = "raises: MindSpore has no gradients of complex products"
NO_GRADIENT = "raises: the host computes it, without a gradient"
GRADIENT: dict[str, str] = {
    "complex": COMPLEX,
    "special.ndtri": NO_GRADIENT,
    "special.erfcx": NO_GRADIENT,
}
REFUSED_SECOND = "raises: the second derivative of MindSpore's kernel is wrong"
SECOND: dict[str, str] = {
    "special.ndtri": NO_GRADIENT,
    "special.erfcx": NO_GRADIENT,
    "special.log_ndtr": "raises: the host computes its gradient",
    "matrix_exp": "PyTorch in float32 is 3 % off its own float64, which this follows",
    "linalg.matrix_exp": "PyTorch in float32 is 3 % off its own float64, which this follows",
    **dict.fromkeys(
        (
            "det",
            "linalg.det",
            "logcumsumexp",
            "logdet",
            "linalg.slogdet",
            "linalg.svdvals",
            "linalg.cond",
            "linalg.eigvalsh",
            "linalg.pinv",
            "pinverse",
        ),
        REFUSED_SECOND,
    ),
    "norm nuc": "raises: MindSpore's second derivative of singular values is wrong",
    "linalg.matrix_norm": "ord='nuc' raises: MindSpore's second derivative of singular values is wrong",
    "linalg.norm subgradients_at_zero": "nan in PyTorch, 0 here",
    **{f"{name} prod": "raises: the product's gradient has none itself" for name in ("scatter_reduce", "index_reduce")},
    "nn.functional.grid_sample": "raises: the gradient of MindSpore's kernel has none itself",
}
TIES = "PyTorch leaves open which of equal elements it names"
INT64: dict[str, str] = {
    "mode": TIES,
    "unravel_index": "the sample's flat index overflows int64",
    "scatter_reduce mean": "raises: means of integers",
    "index_reduce mean": "raises: means of integers",
    "addmv": INTEGER_SCALED,
    "addbmm": INTEGER_SCALED,
    "baddbmm": INTEGER_SCALED,
    "nn.functional.avg_pool1d": "an integer average is a float here, truncated in PyTorch",
    "nn.functional.avg_pool2d": "an integer average is a float here, truncated in PyTorch",
    "nn.functional.avg_pool3d": "an integer average is a float here, truncated in PyTorch",
    "nn.functional.conv_transpose1d": "raises: no kernel for integers",
    "nn.functional.conv_transpose2d": "raises: no kernel for integers",
    "nn.functional.conv_transpose3d": "raises: no kernel for integers",
    "nn.functional.local_response_norm": "raises or promotes: integers are divided",
    "kthvalue": "PyTorch leaves open which of equal elements it names",
    "topk": "PyTorch leaves open which of equal elements it names",
}
BOOL: dict[str, str] = {
    "mode": TIES,
    "sum_to_size": "PyTorch makes int64 of booleans although nothing is summed",
    "add": "raises: alpha=False of booleans",
    "nn.functional.unfold": "raises: no kernel for booleans",
    "addr": "raises: no kernel for booleans",
    "sort": "PyTorch leaves open the order of equal elements",
    "argsort": "PyTorch leaves open the order of equal elements",
}
JIT: dict[str, str] = {}
