"""`torch.optim`."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.optim.ASGD(params, lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, maximize=False, differentiable=False, capturable=False)", "optim.ASGD(params, lr, lambd, alpha, t0, weight_decay, maximize=maximize)"),
    Api("torch.optim.Adadelta(params, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, maximize=False, differentiable=False)", "optim.Adadelta(params, lr, rho, eps, weight_decay, maximize=maximize)"),
    Api("torch.optim.Adafactor(params, lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, weight_decay=0.0, *, foreach=None, maximize=False)", "optim.Adafactor(params, lr, beta2_decay, eps, d, weight_decay, maximize=maximize)"),
    Api("torch.optim.Adagrad(params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None)", "optim.Adagrad(params, lr, lr_decay, weight_decay, initial_accumulator_value, eps, maximize=maximize)"),
    Api("torch.optim.Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, foreach=None, maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False)", "optim.Adam(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=decoupled_weight_decay)"),
    Api("torch.optim.AdamW(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, foreach=None, capturable=False, differentiable=False, fused=None)", "optim.AdamW(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)"),
    Api("torch.optim.Adamax(params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, foreach=None, *, maximize=False, differentiable=False, capturable=False)", "optim.Adamax(params, lr, betas, eps, weight_decay, maximize=maximize)"),
    Api("torch.optim.LBFGS(params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, line_search_fn=None)", "optim.LBFGS(params, lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size, line_search_fn)"),
    Api("torch.optim.NAdam(params, lr=0.002, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, momentum_decay=0.004, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False)", "optim.NAdam(params, lr, betas, eps, weight_decay, momentum_decay, decoupled_weight_decay, maximize=maximize)"),
    Api("torch.optim.RAdam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False)", "optim.RAdam(params, lr, betas, eps, weight_decay, decoupled_weight_decay, maximize=maximize)"),
    Api("torch.optim.RMSprop(params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, foreach=None, maximize=False, differentiable=False)", "optim.RMSprop(params, lr, alpha, eps, weight_decay, momentum, centered, maximize=maximize)"),
    Api("torch.optim.Rprop(params, lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, capturable=False, foreach=None, maximize=False, differentiable=False)", "optim.Rprop(params, lr, etas, step_sizes, maximize=maximize)"),
    Api("torch.optim.SGD(params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, differentiable=False, fused=None)", "optim.SGD(params, lr, momentum, dampening, weight_decay, nesterov, maximize=maximize)"),
    Api("torch.optim.SparseAdam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, maximize=False)", "optim.SparseAdam(params, lr, betas, eps, maximize)"),
    Api("torch.optim.Muon", None, "use optim.AdamW, or write Muon on optim.Optimizer"),
    Api("torch.optim.Optimizer", "optim.Optimizer"),
    Api("torch.optim.swap_in_optimizer_params_and_state", None, "an internal function"),
    Api("torch.optim.optimizer.required", None, "a private marker; give the argument no default"),

    Api("torch.optim.Optimizer.step", "self.step"),
    Api("torch.optim.Optimizer.zero_grad", "self.zero_grad"),
    Api("torch.optim.Optimizer.state_dict", "self.state_dict"),
    Api("torch.optim.Optimizer.load_state_dict", "self.load_state_dict"),
    Api("torch.optim.Optimizer.add_param_group", "self.add_param_group"),
    Api("torch.optim.Optimizer.param_groups", "self.param_groups"),
    Api("torch.optim.Optimizer.state", "self.state"),
    Api("torch.optim.Optimizer.defaults", "self.defaults"),
    Api("torch.optim.Optimizer.register_step_pre_hook", None, "optimizer hooks have no counterpart; call the function beside step()"),
    Api("torch.optim.Optimizer.register_step_post_hook", None, "optimizer hooks have no counterpart; call the function beside step()"),
    Api("torch.optim.Optimizer.register_state_dict_pre_hook", None, "optimizer hooks have no counterpart; call the function beside step()"),
    Api("torch.optim.Optimizer.register_state_dict_post_hook", None, "optimizer hooks have no counterpart; call the function beside step()"),
    Api("torch.optim.Optimizer.register_load_state_dict_pre_hook", None, "optimizer hooks have no counterpart; call the function beside step()"),
    Api("torch.optim.Optimizer.register_load_state_dict_post_hook", None, "optimizer hooks have no counterpart; call the function beside step()"),
    Api("torch.optim.optimizer.ParamsT", "typing.Any"),
    Api("torch.optim.optimizer.*", None, "a private helper of torch.optim"),
)
