"""Forward and backward in different methods."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_forward_and_backward_in_methods() -> None:
    check(
        """
        class Trainer:
            def __init__(self, net: nn.Linear):
                self.net = net
                self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

            def forward(self, x):
                self.output = self.net(x)

            def backward(self, y):
                self.loss = nn.functional.mse_loss(self.output, y)
                self.loss.backward()

            def update(self, x, y):
                self.forward(x)
                self.optimizer.zero_grad()
                self.backward(y)
                self.optimizer.step()
        """,
        """
        class Trainer:
            def __init__(self, net: mint.nn.Linear):
                self.net = net
                self.optimizer = optim.SGD(self.net.parameters(), lr=0.1)

            def forward(self, x):
                self.output = self.net(x)

            def backward(self, y, forward_fn):
                weights = tuple(self.net.parameters())

                def forward_fn_():
                    forward_fn()
                    self.loss = mint.nn.functional.mse_loss(self.output, y)
                    return self.loss

                self.loss = backward_into(weights, *value_and_grad(forward_fn_, None, weights)())

            def update(self, x, y):
                self.optimizer.zero_grad()

                def forward_fn():
                    self.forward(x)

                self.backward(y, forward_fn)
                self.optimizer.step()
        """,
        closure=1,
    )


def test_step_in_the_method_too() -> None:
    check(
        """
        class Trainer:
            def __init__(self, net: nn.Linear):
                self.net = net
                self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

            def compute(self, x, y):
                self.loss = nn.functional.mse_loss(self.net(x), y)

            def learn(self):
                self.optimizer.zero_grad()
                self.loss.backward()
                self.optimizer.step()

            def update(self, x, y):
                self.compute(x, y)
                self.learn()
        """,
        """
        class Trainer:
            def __init__(self, net: mint.nn.Linear):
                self.net = net
                self.optimizer = optim.SGD(self.net.parameters(), lr=0.1)

            def compute(self, x, y):
                self.loss = mint.nn.functional.mse_loss(self.net(x), y)

            def learn(self, forward_fn):
                self.loss, grads = value_and_grad(forward_fn, None, self.optimizer.parameters)()
                self.optimizer(grads)

            def update(self, x, y):
                def forward_fn():
                    self.compute(x, y)
                    return self.loss

                self.learn(forward_fn)
        """,
        closure=1,
    )


def test_called_by_another_object() -> None:
    check(
        """
        class Trainer:
            def __init__(self, net: nn.Linear):
                self.net = net
                self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

            def compute(self, x, y):
                self.loss = nn.functional.mse_loss(self.net(x), y)

            def learn(self):
                self.optimizer.zero_grad()
                self.loss.backward()
                self.optimizer.step()


        def run(trainer: Trainer, x, y):
            trainer.compute(x, y)
            trainer.learn()
        """,
        """
        tape.start()


        class Trainer:
            def __init__(self, net: mint.nn.Linear):
                self.net = net
                self.optimizer = optim.SGD(self.net.parameters(), lr=0.1)

            def compute(self, x, y):
                self.loss = mint.nn.functional.mse_loss(self.net(x), y)

            def learn(self):
                self.optimizer.zero_grad()
                tape.backward(self.loss)
                self.optimizer.step()


        def run(trainer: Trainer, x, y):
            trainer.compute(x, y)
            trainer.learn()
        """,
        tape=1,
    )
