"""What only looks like a training step stays as it is."""

from __future__ import annotations

import textwrap

import pytest

from tests.transforms.training.stepped import body, convert

STAYS = {
    "backward_of_the_user": """
        class Layer:
            def backward(self, x, gradient):
                return gradient * x

            def run(self, x):
                return self.backward(x, x)
        """,
    "backward_of_an_unknown_layer_with_two_arguments": """
        def chain(layers, x, gradient):
            for layer in layers:
                gradient = layer.backward(x, gradient)
            return gradient
        """,
    "step_of_an_environment": """
        def play(env, actions):
            total = 0.0
            for action in actions:
                state, reward, done = env.step(action)
                total += reward
            return total
        """,
    "grad_of_a_record": """
        class Record:
            def __init__(self):
                self.grad = "first"

        def show(record: Record):
            print(record.grad)
        """,
    "step_without_gradients": """
        def count(stepper, n):
            for _ in range(n):
                stepper.step()
        """,
}


@pytest.mark.parametrize("name", STAYS)
def test_untouched(name: str) -> None:
    result = convert(STAYS[name])
    assert body(result) == textwrap.dedent(STAYS[name]).strip("\n")
    assert not result.stats.loops
    assert not [d for d in result.diagnostics if d.code.startswith("T2M2")]


def test_a_method_called_backward_beside_a_tensor_s() -> None:
    result = convert("""
        class Model:
            def __init__(self, net: nn.Linear):
                self.net = net
                self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

            def backward(self, x):
                self.loss = self.net(x).mean()
                self.loss.backward()

            def optimize(self, x):
                self.optimizer.zero_grad()
                self.backward(x)
                self.optimizer.step()
        """)
    assert "self.backward(x)" in result.text
    assert "self.loss = backward_into(weights" in result.text
    assert result.stats.loops == {"closure": 1}
