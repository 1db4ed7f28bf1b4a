"""Writes to dictionaries of options are no tensor writes, wherever the dictionary goes."""

import pytest

from torch2ms.convert import convert_source

CODE = """
import torch
from torch import nn


def prepare(options, key):
    options["flag"] = True
    options[key] = -options[key]


def train(net, x, options, optimizer):
    mine = options
    prepare(options, "t")
    y = net(x)
    loss = (y * options["t"]).sum() + READ
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("read", ["0", "mine['t']"])
def test_a_function_that_writes_options_converts(read):
    result = convert_source(CODE.replace("READ", read))
    assert not [d for d in result.diagnostics if d.code == "T2M301"]
    assert 'prepare(options, "t")' in result.text and "options[key] = -options[key]" in result.text


COUNTERS = """
import collections
import torch
from collections import Counter


def count(words):
    seen, total = collections.defaultdict(int), Counter()
    left = collections.defaultdict(float)
    for word in words:
        seen[word] += 1
        total[" ".join(words)] -= 1
        left[word] *= 2
    return seen, total, left, torch.zeros(3)
"""


def test_nothing_is_said_of_counters():
    assert not convert_source(COUNTERS).diagnostics
