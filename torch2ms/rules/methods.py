"""What a method or attribute name tells about an object of unknown kind."""
from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from torch2ms.rules.special_inplace import METHODS as IN_PLACE

# the classes whose methods the tables know, with the kind that an object of the class has
OWNERS: dict[str, str] = {
    "torch.Tensor": "TENSOR",
    "torch.nn.Module": "MODULE",
    "torch.optim.Optimizer": "OPTIMIZER",
    "torch.optim.lr_scheduler.LRScheduler": "SCHEDULER",
    "torch.utils.data.DataLoader": "LOADER",
    "torch.utils.data.Dataset": "DATASET",
    "torch.amp.GradScaler": "SCALER",
    "torch.device": "DEVICE",
    "torch.dtype": "DTYPE",
    "torch.Generator": "GENERATOR",
    "torch.Size": "SIZE",
    "torch.UntypedStorage": "STORAGE",
}

# no builtin, NumPy, pandas, pathlib, PIL or similar object has a method of this name
ONE_NAME = frozenset(
    # Tensor
    "backward requires_grad_ detach unsqueeze nelement expand_as view_as type_as masked_fill masked_select index_select "
    "new_zeros new_ones new_full new_empty new_tensor index_add index_copy index_fill scatter_add scatter_reduce repeat_interleave "
    "narrow unbind addmm addmv addbmm baddbmm addcmul addcdiv bmm element_size is_floating_point clamp_min clamp_max contiguous "
    "kthvalue logsumexp rsqrt erfinv tril triu unflatten movedim permute matrix_power reshape_as "
    "chunk nonzero_static argwhere masked_scatter index_put take_along_dim bernoulli "
    "storage_offset data_ptr untyped_storage register_post_accumulate_grad_hook retain_grad sum_to_size cummax cummin amax amin "
    # Module
    "zero_grad load_state_dict named_parameters named_modules named_children named_buffers register_buffer register_parameter "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook register_backward_hook add_module get_submodule "
    "get_parameter get_buffer flatten_parameters state_dict to_empty parameters cuda cpu "
    # Optimizer, scheduler, scaler
    "add_param_group get_last_lr unscale_ "
    # attributes
    "is_cuda is_leaf is_sparse is_quantized is_mps is_meta".split()
) | frozenset(IN_PLACE)

# the runtime has `tensor.<name>(obj, ...)`, which asks the object
GUARDED = frozenset(
    "size max min std var any argmin argsort sort topk median nonzero norm cumsum repeat tile flip roll unique take diagonal trace "
    "dot round clone detach type to new float double half int long short bool byte numpy amax amin gather scatter unfold "
    "sigmoid select equal softmax log_softmax tanh relu div add squeeze unsqueeze view reshape permute transpose expand "
    "numel all sum mean prod argmax sort split chunk eq where tolist item count_nonzero is_contiguous".split()
)


class MethodInfo(NamedTuple):
    """The kinds of torch objects that have a method or attribute of a name.

    `one_name`: no builtin, NumPy, pandas, pathlib or similar object has it, so the name alone says that the object is torch's.
    `guarded`: the runtime has `tensor.<name>(obj, ...)`, which asks the object.
    """

    name: str
    owners: tuple[str, ...]
    one_name: bool
    guarded: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds of the owners (`Kind[name]`)."""
        return tuple(OWNERS[owner] for owner in self.owners)


def method_info(method: str, index: Collection[str]) -> MethodInfo:
    """What the tables say about a method or attribute name."""
    owners = tuple(owner for owner in OWNERS if f"{owner}.{method}" in index)
    return MethodInfo(method, owners, bool(owners) and method in ONE_NAME, method in GUARDED)
