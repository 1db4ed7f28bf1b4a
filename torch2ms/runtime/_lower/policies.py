"""What becomes of the types of each function, by the lists of PyTorch's CPU autocast.

https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference
"""

from __future__ import annotations

# computed in the type of an open region
LOWER = frozenset(
    "addbmm addmm affine_grid baddbmm bmm conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d "
    "conv_transpose3d cov corrcoef inner linear lstm_direction matmul matrix_power mm multi_dot prelu scaled_dot_product_attention "
    "tensordot vecdot __matmul__ __rmatmul__".split()
)
# computed in float32 inside of a region, and the result stays in it
FULL = frozenset(
    "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy binary_cross_entropy_with_logits cdist "
    "cholesky cholesky_ex cholesky_inverse cond cosine_embedding_loss cross_entropy ctc_loss eigh eigvalsh fft fft2 fftn "
    "geqrf grid_sample grid_sampler hfft hinge_embedding_loss householder_product huber_loss ifft ifft2 ifftn ihfft inv "
    "inv_ex inverse irfft irfft2 irfftn kl_div l1_loss lstsq lu_factor lu_factor_ex lu_solve margin_ranking_loss "
    "matrix_rank max_pool3d max_unpool2d max_unpool3d mse_loss multi_margin_loss multilabel_margin_loss nanquantile "
    "nll_loss ormqr pinverse poisson_nll_loss polar prod qr quantile rfft rfft2 rfftn smooth_l1_loss soft_margin_loss "
    "solve solve_ex stft svd svdvals tensorinv tensorsolve trace triangular_solve triplet_margin_loss view_as_complex".split()
)
# these keep the type of their input, whatever that of their parameters or targets
OF_FIRST = frozenset(
    "cosine_embedding_loss group_norm hinge_embedding_loss layer_norm native_group_norm native_layer_norm rms_norm "
    "soft_margin_loss".split()
)
# those write to their statistics, too
WITH_STATISTICS = frozenset(("batch_norm", "instance_norm"))
# right as they are with numbers of 16 bits: they move memory, or only ask
NATIVE = frozenset(
    "broadcast_tensors chunk flatten_ext hsplit vsplit permute reshape split squeeze swapaxes tensor_split transpose t "
    "unflatten unsqueeze ravel item isreal is_tensor empty empty_like zeros_like ones_like full_like "
    "rand_like randn_like randint_like zeros ones full rand randn randint randperm arange eye linspace logspace normal "
    "promote_types result_type constexpr jit_forbidden_register jit_view_unsupported finfo iinfo tril_indices triu_indices "
    "one_hot bincount clone flatten channel_shuffle pixel_shuffle pixel_unshuffle cartesian_prod combinations "
    "bartlett_window blackman_window hamming_window hann_window kaiser_window".split()
)
