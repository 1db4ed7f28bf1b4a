"""`torch.nn.init`."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.nn.init.calculate_gain(nonlinearity, param=None)", "nn.init.calculate_gain(nonlinearity, param)"),
    Api("torch.nn.init.constant_(tensor, val)", "nn.init.constant_(tensor, val)"),
    Api("torch.nn.init.dirac_(tensor, groups=1)", "nn.init.dirac_(tensor, groups)"),
    Api("torch.nn.init.eye_(tensor)", "nn.init.eye_(tensor)"),
    Api("torch.nn.init.kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)", "nn.init.kaiming_normal_(tensor, a, mode, nonlinearity, generator)"),
    Api("torch.nn.init.kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)", "nn.init.kaiming_uniform_(tensor, a, mode, nonlinearity, generator)"),
    Api("torch.nn.init.normal_(tensor, mean=0.0, std=1.0, generator=None)", "nn.init.normal_(tensor, mean, std, generator)"),
    Api("torch.nn.init.ones_(tensor)", "nn.init.ones_(tensor)"),
    Api("torch.nn.init.orthogonal_(tensor, gain=1, generator=None)", "nn.init.orthogonal_(tensor, gain, generator)"),
    Api("torch.nn.init.sparse_(tensor, sparsity, std=0.01, generator=None)", "nn.init.sparse_(tensor, sparsity, std, generator)"),
    Api("torch.nn.init.trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None)", "nn.init.trunc_normal_(tensor, mean, std, a, b, generator)"),
    Api("torch.nn.init.uniform_(tensor, a=0.0, b=1.0, generator=None)", "nn.init.uniform_(tensor, a, b, generator)"),
    Api("torch.nn.init.xavier_normal_(tensor, gain=1.0, generator=None)", "nn.init.xavier_normal_(tensor, gain, generator)"),
    Api("torch.nn.init.xavier_uniform_(tensor, gain=1.0, generator=None)", "nn.init.xavier_uniform_(tensor, gain, generator)"),
    Api("torch.nn.init.zeros_(tensor)", "nn.init.zeros_(tensor)"),
    Api("torch.nn.init.constant(tensor, val)", "nn.init.constant_(tensor, val)"),
    Api("torch.nn.init.dirac(tensor, groups=1)", "nn.init.dirac_(tensor, groups)"),
    Api("torch.nn.init.eye(tensor)", "nn.init.eye_(tensor)"),
    Api("torch.nn.init.kaiming_normal(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)", "nn.init.kaiming_normal_(tensor, a, mode, nonlinearity, generator)"),
    Api("torch.nn.init.kaiming_uniform(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)", "nn.init.kaiming_uniform_(tensor, a, mode, nonlinearity, generator)"),
    Api("torch.nn.init.normal(tensor, mean=0.0, std=1.0, generator=None)", "nn.init.normal_(tensor, mean, std, generator)"),
    Api("torch.nn.init.orthogonal(tensor, gain=1, generator=None)", "nn.init.orthogonal_(tensor, gain, generator)"),
    Api("torch.nn.init.sparse(tensor, sparsity, std=0.01, generator=None)", "nn.init.sparse_(tensor, sparsity, std, generator)"),
    Api("torch.nn.init.uniform(tensor, a=0.0, b=1.0, generator=None)", "nn.init.uniform_(tensor, a, b, generator)"),
    Api("torch.nn.init.xavier_normal(tensor, gain=1.0, generator=None)", "nn.init.xavier_normal_(tensor, gain, generator)"),
    Api("torch.nn.init.xavier_uniform(tensor, gain=1.0, generator=None)", "nn.init.xavier_uniform_(tensor, gain, generator)"),
)
