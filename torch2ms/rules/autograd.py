"""Gradients, gradient modes and function transforms."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.no_grad", "no_grad"),
    Api("torch.enable_grad", "enable_grad"),
    Api("torch.set_grad_enabled(mode)", "set_grad_enabled(mode)"),
    Api("torch.is_grad_enabled()", "is_grad_enabled()"),
    Api("torch.is_inference_mode_enabled()", "not is_grad_enabled()"),
    Api("torch.is_inference(input)", "False"),
    Api("torch.autograd.grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None, is_grads_batched=False, materialize_grads=False)", "tape.grad(outputs, inputs, grad_outputs, retain_graph=retain_graph, create_graph=create_graph, allow_unused=allow_unused)"),
    Api("torch.autograd.NestedIOFunction", None, "the Function could not be brought into a Cell with bprop"),
    Api("torch.autograd.function.InplaceFunction", None, "the Function could not be brought into a Cell with bprop"),
    Api("torch.autograd.function.FunctionCtx", "typing.Any"),
    Api("torch.autograd.function.once_differentiable", "once_differentiable"),
    Api("torch.autograd.gradcheck", None, "compare value_and_grad with finite differences, or keep this test on PyTorch"),
    Api("torch.autograd.gradgradcheck", None, "compare value_and_grad with finite differences, or keep this test on PyTorch"),
    Api("torch.autograd.functional.jacobian", None, "use mindspore.jacrev, mindspore.jacfwd or mindspore.vjp"),
    Api("torch.autograd.functional.hessian", None, "use mindspore.jacrev, mindspore.jacfwd or mindspore.vjp"),
    Api("torch.autograd.functional.hvp", None, "use mindspore.jacrev, mindspore.jacfwd or mindspore.vjp"),
    Api("torch.autograd.functional.vhp", None, "use mindspore.jacrev, mindspore.jacfwd or mindspore.vjp"),
    Api("torch.autograd.functional.jvp", None, "use mindspore.jacrev, mindspore.jacfwd or mindspore.vjp"),
    Api("torch.autograd.functional.vjp", None, "use mindspore.jacrev, mindspore.jacfwd or mindspore.vjp"),
    Api("torch.autograd.profiler.profile", None, "use mindspore.profiler"),
    Api("torch.autograd.profiler.*", None, "use mindspore.profiler"),
    Api("torch.autograd.graph.*", None, "graph hooks have no counterpart"),
    Api("torch.autograd.*", None, "look at value_and_grad, grad and vjp"),
    Api("torch.func.*", None, "use mindspore.grad, mindspore.vmap, mindspore.jacrev; modules are called as they are"),
    Api("torch.vmap(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None)", "mindspore.vmap((fn := func), (in_axes := in_dims), (out_axes := out_dims))"),
    Api("functorch.*", None, "use mindspore.grad, mindspore.vmap and mindspore.jacrev"),
    Api("torch.set_anomaly_enabled", None, "MindSpore checks no gradients for NaN"),
    Api("torch.is_anomaly_enabled()", "False"),
    Api("torch.is_anomaly_check_nan_enabled()", "False"),
)
