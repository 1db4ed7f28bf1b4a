import subprocess
import sys

import numpy as np
import pytest

from torch2ms.verify.trace import Trace

SCRIPT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, 2, dropout=0.5)
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(nn.functional.dropout(self.rnn(x)[0], 0.3, self.training))

def main():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(10):
        optimizer.zero_grad()
        loss = net(torch.randn(5, 2, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()

SEED_LINE
main()
"""


def run(tmp_path, name, seed_line, *options):
    script = tmp_path / f"{name}.py"
    script.write_text(SCRIPT.replace("SEED_LINE", seed_line))
    out = tmp_path / f"{name}.npz"
    command = [sys.executable, "-m", "torch2ms.verify.trace_torch", "--out", str(out), "--steps", "3", *options]
    subprocess.run([*command, str(script)], check=True, timeout=300)
    return Trace.load(out)


@pytest.mark.slow
def test_the_feed_makes_a_run_independent_of_the_script_s_seed(tmp_path):
    a = run(tmp_path, "a", "torch.manual_seed(1)")
    b = run(tmp_path, "b", "torch.manual_seed(2)")
    assert (a.steps, a.end) == (3, "stopped after steps")
    assert a.losses == b.losses and len(a.losses) == 3
    assert all(np.array_equal(a.final[key], b.final[key]) for key in a.final)
    assert a.flags[0]["Net#0/rnn training"] is True
    assert set(a.initial) == {f"0/{i}" for i in range(10)}
