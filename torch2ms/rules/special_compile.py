"""Compilation, scripting, inference mode: decorators and wrappers that leave the code as it is."""
from __future__ import annotations

import ast

from torch2ms.edits import DropDecorator, Replace, Splice
from torch2ms.rules.rows import outcome
from torch2ms.rules.site import Outcome, Refusal, Site, is_decorator
from torch2ms.rules.special import rewrite


@rewrite("torch.compile", "torch.compiler.disable", "torch._dynamo.disable", "torch._dynamo.optimize", "torch.compiler.allow_in_graph", "torch._dynamo.allow_in_graph",
         "torch.jit.script", "torch.jit.ignore", "torch.jit.unused", "torch.jit.export", "torch.jit.interface", "torch.jit.script_method",
         "torch.jit.script_if_tracing", "torch.jit.trace", "torch.jit.freeze", "torch.jit.optimize_for_inference", "torch.fx.wrap")
def wrapper(site: Site) -> Outcome:
    """A decorator goes; a call hands its first argument on."""
    if is_decorator(site):
        return outcome(site, DropDecorator(site.node))
    call = site.call
    if call is not None and (call.args or any(k.arg in ("model", "func", "obj") for k in call.keywords)):
        first = call.args[0] if call.args else call.keywords[0].value
        statement = site.parent()
        if isinstance(statement, ast.Expr):
            return outcome(site, Splice(statement, ()))
        return outcome(site, Replace(call, "$0", (first,)))
    if call is not None:
        return outcome(site, Replace(call, "(lambda fn: fn)"))
    return outcome(site, Replace(site.node, "(lambda fn: fn)"))


@rewrite("torch.inference_mode")
def inference_mode(site: Site) -> Outcome:
    """Inference mode is `no_grad`."""
    call = site.call
    mode = None if call is None else call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "mode"), None)
    if mode is None or isinstance(mode, ast.Constant) and mode.value is True:
        return outcome(site, Replace(site.node, "$no_grad()" if call is not None else "$no_grad"))
    return outcome(site, Replace(site.node, "$set_grad_enabled(not $0)", (mode,)))


@rewrite("torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly")
def anomaly(site: Site) -> Outcome:
    """A debugging aid: it changes no value."""
    statement = site.parent()
    if site.call is None:
        raise Refusal("T2M101", f"{site.name} has no counterpart", "leave it out")
    if isinstance(statement, ast.Expr):
        return outcome(site, Splice(statement, ()))
    return outcome(site, Replace(site.call, "$contextlib.nullcontext()"))


@rewrite("torch.profiler.record_function", "torch.autograd.profiler.record_function", "torch.cuda.nvtx.range", "torch.nn.attention.sdpa_kernel",
         "torch.backends.cuda.sdp_kernel", "torch.backends.cudnn.flags", "torch.serialization.safe_globals", "torch.jit.optimized_execution",
         "torch.jit.fuser", "torch.autograd.set_multithreading_enabled", "torch.nn.utils.parametrize.cached")
def idle_context(site: Site) -> Outcome:
    """Labels for the profiler and choices among kernels: the context changes no value."""
    if site.call is None or is_decorator(site):
        raise Refusal("T2M101", f"{site.name} has no counterpart", "leave it out")
    return outcome(site, Replace(site.call, "$contextlib.nullcontext()"))


@rewrite("torch._assert", "torch.Assert", "torch._assert_async")
def assertion(site: Site) -> Outcome:
    """An assertion that tracing keeps."""
    call = site.call
    statement = site.parent()
    if call is None or len(call.args) != 2 or not isinstance(statement, ast.Expr):
        raise Refusal("T2M101", f"{site.name} has no counterpart", "write an assert statement")
    from torch2ms.edits import New

    return outcome(site, Splice(statement, (New("assert $0, $1", (call.args[0], call.args[1])),)))


@rewrite("torch.jit.annotate")
def annotate(site: Site) -> Outcome:
    """The value, without the type that it was given for the compiler."""
    if site.call is None or len(site.call.args) != 2:
        raise Refusal("T2M101", "torch.jit.annotate has no counterpart", "leave it out")
    return outcome(site, Replace(site.call, "$0", (site.call.args[1],)))


@rewrite("torch.amp.custom_fwd", "torch.amp.custom_bwd", "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd")
def custom_autocast(site: Site) -> Outcome:
    """Without `cast_inputs` these keep the mode of the forward in the backward, which a Cell's bprop does by itself."""
    casts = site.call is not None and any(k.arg == "cast_inputs" for k in site.call.keywords)
    if casts or not is_decorator(site):
        raise Refusal("T2M101", f"{site.name} has no counterpart", "cast in construct and bprop yourself")
    return outcome(site, DropDecorator(site.node))
