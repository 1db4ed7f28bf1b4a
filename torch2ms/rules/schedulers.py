"""`torch.optim.lr_scheduler` and `torch.optim.swa_utils`."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.optim.lr_scheduler.ChainedScheduler(schedulers, optimizer=None)", "optim.lr_scheduler.ChainedScheduler(schedulers, optimizer)"),
    Api("torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.3333333333333333, total_iters=5, last_epoch=-1, verbose=False)", "optim.lr_scheduler.ConstantLR(optimizer, factor, total_iters, last_epoch)"),
    Api("torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max, eta_min=0.0, last_epoch=-1, verbose=False)", "optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max, eta_min, last_epoch)"),
    Api("torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1, verbose=False)", "optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0, T_mult, eta_min, last_epoch)"),
    Api("torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode='triangular', gamma=1.0, scale_fn=None, scale_mode='cycle', cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1, verbose=False)", "optim.lr_scheduler.CyclicLR(optimizer, base_lr, max_lr, step_size_up, step_size_down, mode, gamma, scale_fn, scale_mode, cycle_momentum, base_momentum, max_momentum, last_epoch)"),
    Api("torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma, last_epoch=-1, verbose=False)", "optim.lr_scheduler.ExponentialLR(optimizer, gamma, last_epoch)"),
    Api("torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda, last_epoch=-1, verbose=False)", "optim.lr_scheduler.LambdaLR(optimizer, lr_lambda, last_epoch)"),
    Api("torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.3333333333333333, end_factor=1.0, total_iters=5, last_epoch=-1, verbose=False)", "optim.lr_scheduler.LinearLR(optimizer, start_factor, end_factor, total_iters, last_epoch)"),
    Api("torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma=0.1, last_epoch=-1, verbose=False)", "optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma, last_epoch)"),
    Api("torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lr_lambda, last_epoch=-1, verbose=False)", "optim.lr_scheduler.MultiplicativeLR(optimizer, lr_lambda, last_epoch)"),
    Api("torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, anneal_strategy='cos', cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, three_phase=False, last_epoch=-1, verbose=False)", "optim.lr_scheduler.OneCycleLR(optimizer, max_lr, total_steps, epochs, steps_per_epoch, pct_start, anneal_strategy, cycle_momentum, base_momentum, max_momentum, div_factor, final_div_factor, three_phase, last_epoch)"),
    Api("torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=5, power=1.0, last_epoch=-1, verbose=False)", "optim.lr_scheduler.PolynomialLR(optimizer, total_iters, power, last_epoch)"),
    Api("torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode='min', factor=0.1, patience=10, threshold=0.0001, threshold_mode='rel', cooldown=0, min_lr=0, eps=1e-08, verbose=False)", "optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode, factor, patience, threshold, threshold_mode, cooldown, min_lr, eps)"),
    Api("torch.optim.lr_scheduler.SequentialLR(optimizer, schedulers, milestones, last_epoch=-1)", "optim.lr_scheduler.SequentialLR(optimizer, schedulers, milestones, last_epoch)"),
    Api("torch.optim.lr_scheduler.StepLR(optimizer, step_size, gamma=0.1, last_epoch=-1, verbose=False)", "optim.lr_scheduler.StepLR(optimizer, step_size, gamma, last_epoch)"),
    Api("torch.optim.lr_scheduler.LRScheduler", "optim.lr_scheduler.LRScheduler"),

    Api("torch.optim.lr_scheduler.LRScheduler.step", "self.step"),
    Api("torch.optim.lr_scheduler.LRScheduler.get_lr", "self.get_lr"),
    Api("torch.optim.lr_scheduler.LRScheduler.get_last_lr", "self.get_last_lr"),
    Api("torch.optim.lr_scheduler.LRScheduler.state_dict", "self.state_dict"),
    Api("torch.optim.lr_scheduler.LRScheduler.load_state_dict", "self.load_state_dict"),
    Api("torch.optim.lr_scheduler.LRScheduler.last_epoch", "self.last_epoch"),
    Api("torch.optim.lr_scheduler.LRScheduler.base_lrs", "self.base_lrs"),
    Api("torch.optim.lr_scheduler.LRScheduler.optimizer", "self.optimizer"),
    Api("torch.optim.lr_scheduler.LRScheduler._step_count", "self._step_count"),

    Api("torch.optim.swa_utils.AveragedModel(model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False)", "optim.swa_utils.AveragedModel(model, avg_fn=avg_fn, multi_avg_fn=multi_avg_fn, use_buffers=use_buffers)"),
    Api("torch.optim.swa_utils.SWALR(optimizer, swa_lr, anneal_epochs=10, anneal_strategy='cos', last_epoch=-1)", "optim.swa_utils.SWALR(optimizer, swa_lr, anneal_epochs, anneal_strategy, last_epoch)"),
    Api("torch.optim.swa_utils.update_bn(loader, model, device=None)", "optim.swa_utils.update_bn(loader, model)"),
    Api("torch.optim.swa_utils.get_ema_avg_fn(decay=0.999)", "optim.swa_utils.get_ema_avg_fn(decay)"),
    Api("torch.optim.swa_utils.get_ema_multi_avg_fn(decay=0.999)", "optim.swa_utils.get_ema_multi_avg_fn(decay)"),
    Api("torch.optim.swa_utils.get_swa_avg_fn()", "optim.swa_utils.get_swa_avg_fn()"),
    Api("torch.optim.swa_utils.get_swa_multi_avg_fn()", "optim.swa_utils.get_swa_multi_avg_fn()"),
)
