"""Modules that are made around a trained one while it trains do not change the names of its weights."""

from torch import nn

from torch2ms.verify.record import Framework, Recorder
from torch2ms.verify.trace import Trace


class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner


def recorder_of(*modules, late=()):
    framework = Framework(lambda m: m.children(), lambda m: {}, lambda m: {})
    recorder = Recorder(Trace(), 3, framework)
    for module in modules:
        recorder.created(module)
    recorder.optimizing = True
    for module in late:
        recorder.created(module)
    return recorder


def test_what_wraps_before_training_is_the_root():
    inner = nn.Linear(2, 2)
    outer = Wrapper(inner)
    assert recorder_of(inner, outer).roots() == {"Wrapper#0": outer}


def test_what_wraps_during_training_is_no_root():
    inner, other = nn.Linear(2, 2), nn.Linear(2, 2)
    first = Wrapper(inner)
    second = Wrapper(first)
    assert recorder_of(inner, late=(first, second)).roots() == {"Linear#0": inner}
    second.more = other
    assert recorder_of(inner, late=(first, second, other)).roots() == {"Linear#0": inner}


def test_a_model_made_after_an_optimizer_is_a_root():
    inner = nn.Linear(2, 2)
    outer = Wrapper(inner)
    assert recorder_of(nn.Linear(1, 1), late=(inner, outer)).roots().get("Wrapper#0") is outer


def test_a_child_that_nobody_saw_being_made_makes_no_wrapper():
    outer = Wrapper(nn.ReLU())
    assert recorder_of(nn.Linear(1, 1), late=(outer,)).roots().get("Wrapper#0") is outer
