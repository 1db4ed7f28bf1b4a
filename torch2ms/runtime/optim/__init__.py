"""Optimizers with PyTorch's update rules, `param_groups`, and layout of `state_dict`.

    optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    grad_fn = value_and_grad(forward_fn, None, optimizer.parameters)
    loss, grads = grad_fn(x, y)
    optimizer(grads)

https://docs.pytorch.org/docs/stable/optim.html
"""

from . import lr_scheduler, swa_utils
from .adafactor import Adafactor
from .adagrad import Adadelta, Adagrad
from .adam import Adam, AdamW
from .adam_variants import Adamax, NAdam, RAdam
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .rprop import ASGD, Rprop
from .sgd import SGD
from .sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]
