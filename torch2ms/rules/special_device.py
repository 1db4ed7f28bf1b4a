"""Devices: torch.device, questions about CUDA, switches of the back ends."""
from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.edits import Item, New, Replace, Splice
from torch2ms.rules.api import Api
from torch2ms.rules.indices import lost_index
from torch2ms.rules.rows import by_row, outcome
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite

_SWITCHES = (
    "cudnn.benchmark cudnn.enabled cudnn.allow_tf32 cudnn.benchmark_limit cudnn.fp32_precision cudnn.deterministic opt_einsum.enabled "
    "opt_einsum.strategy cuda.matmul.allow_tf32 cuda.matmul.allow_fp16_reduced_precision_reduction mkldnn.enabled fp32_precision "
    "cuda.matmul.allow_bf16_reduced_precision_reduction cuda.matmul.fp32_precision nnpack.enabled xnnpack.enabled miopen.immediate"
).split()


@rewrite(*(f"torch.backends.{name}" for name in _SWITCHES))
def switch(site: Site) -> Outcome:
    """Switches of PyTorch's back ends go; determinism has a counterpart."""
    if isinstance(getattr(site.node, "ctx", None), ast.Load):
        return outcome(site, Replace(site.node, "False"))
    statement = site.facts.statement(site.node)
    if not isinstance(statement, ast.Assign) or not all(_is_switch(site, t) for t in statement.targets):
        raise Refusal("T2M102", f"{site.name} is set together with other names", "set it in a statement of its own, or leave it out")
    names = {site.facts.names.of(t) for t in statement.targets}
    items: tuple[Item, ...] = ()
    if "torch.backends.cudnn.deterministic" in names:
        items = (New(f"{_deterministic(site)}($0)", (statement.value,)),)
    return outcome(site, Splice(statement, items))


def _deterministic(site: Site) -> str:
    """MindSpore's own switch cannot be set twice, which scripts do for each run and by two names."""
    return "$mindspore.set_deterministic" if site.facts.options.target == "pure" else "$device.set_deterministic"


@rewrite("torch.use_deterministic_algorithms", "torch.set_deterministic")
def deterministic(site: Site) -> Outcome:
    """The switch of algorithms, without what only chooses between an error and a warning."""
    name = _deterministic(site).removeprefix("$")
    row = f"{site.name}(mode, *, warn_only=False)" if site.name.endswith("algorithms") else f"{site.name}(d)"
    return by_row(site, Api(row, f"{name}((deterministic := {'mode' if 'mode' in row else 'd'}))"))


def _is_switch(site: Site, target: ast.expr) -> bool:
    return (site.facts.names.of(target) or "").removeprefix("torch.backends.") in _SWITCHES


@rewrite("torch.backends.cuda.enable_flash_sdp", "torch.backends.cuda.enable_mem_efficient_sdp", "torch.backends.cuda.enable_math_sdp",
         "torch.backends.cuda.enable_cudnn_sdp", "torch.backends.cuda.preferred_linalg_library", "torch.set_default_device",
         "torch.set_num_threads", "torch.set_num_interop_threads", "torch.set_float32_matmul_precision", "torch.set_warn_always",
         "torch.init_num_threads", "torch.clear_autocast_cache", "torch.serialization.add_safe_globals", "torch.multiprocessing.set_sharing_strategy",
         "torch.cuda.init", "torch.cuda.ipc_collect", "torch._dynamo.reset", "torch.compiler.reset", "torch._C._jit_set_profiling_executor",
         "torch._C._jit_set_profiling_mode", "torch._C._jit_override_can_fuse_on_gpu", "torch._C._jit_override_can_fuse_on_cpu",
         "torch._C._jit_set_texpr_fuser_enabled", "torch._C._jit_set_nvfuser_enabled", "torch._C._jit_set_nvfuser_guard_mode",
         "torch._C._jit_can_fuse_on_cpu", "torch._C._jit_can_fuse_on_gpu")
def setting(site: Site) -> Outcome:
    """Settings of PyTorch's own machinery: a statement goes, a value is None."""
    statement = site.parent()
    if site.call is not None and isinstance(statement, ast.Expr):
        return outcome(site, Splice(statement, ()))
    return outcome(site, Replace(site.node, "None"))


@rewrite("torch.cuda.is_available")
def is_available(site: Site) -> Outcome:
    """The choice of a device name by it is the default device."""
    match site.parent():
        case ast.IfExp(test=test, body=body, orelse=orelse) as choice if test is site.node and _plain(body) and _plain(orelse):
            return outcome(site, Replace(choice, "$default_device()"))
    return by_row(site, Api("torch.cuda.is_available()", "device.is_available()"))


def _plain(node: ast.expr) -> bool:
    """Whether the expression names the CPU or the first accelerator."""
    match node:
        case ast.Constant(value=str(text)):
            return text in ("cpu", "cuda", "cuda:0", "npu", "npu:0", "mps", "xpu", "gpu")
        case ast.IfExp(body=body, orelse=orelse):
            return _plain(body) and _plain(orelse)
    return False


@rewrite("torch.device")
def device(site: Site) -> Outcome:
    """`torch.device(...)` is the device of the process; an explicit index is kept and said."""
    call = site.call
    if call is None:
        return outcome(site, Replace(site.node, "str"))
    if len(call.args) == 1 and not call.keywords:
        wanted = call.args[0]
        if isinstance(wanted, ast.Constant) and wanted.value == "meta":
            raise Refusal("T2M101", "the meta device has no counterpart", "build the module on the default device")
        if isinstance(wanted, ast.Constant) and wanted.value == "cpu":
            return outcome(site, Replace(call, '$default_device("cpu")'))
        if _plain(wanted) or isinstance(wanted, ast.IfExp) and _is_question(site, wanted):
            return outcome(site, Replace(call, "$default_device()"))
    row = Api("torch.device(type=None, index=None)", "default_device((_ := type), index)")
    found = by_row(site, row)
    if any(isinstance(a, (ast.JoinedStr, ast.BinOp)) or isinstance(a, ast.Constant) and ":" in str(a.value) for a in call.args) or len(call.args) > 1:
        said = site.said("T2M501", "this names a device by its index; a MindSpore process has one device",
                         "start one process per device, or call mindspore.set_device once")
        return Outcome(found.edits, (said,), found.provenance)
    return found


def _is_question(site: Site, choice: ast.IfExp) -> bool:
    return _plain(choice.body) and _plain(choice.orelse)


@rewrite("torch.cuda.device")
def device_context(site: Site) -> Outcome:
    """The context that makes a device current: a MindSpore process has one."""
    if site.call is None:
        raise Refusal("T2M102", "torch.cuda.device is used as a value", "a MindSpore process has one device")
    found = outcome(site, Replace(site.call, "$contextlib.nullcontext()"))
    said = lost_index(site.facts, site.call)
    return replace(found, diagnostics=(said,)) if said is not None else found
