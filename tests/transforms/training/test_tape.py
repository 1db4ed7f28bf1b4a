"""What stays on the gradient tape."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_values_kept_on_an_object() -> None:
    check(
        """
        class Agent:
            def __init__(self, policy: nn.Linear):
                self.policy = policy
                self.saved = []
                self.optimizer = torch.optim.Adam(policy.parameters())

            def act(self, state):
                self.saved.append(self.policy(state).mean())

            def learn(self):
                loss = torch.stack(self.saved).sum()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        """,
        """
        tape.start()


        class Agent:
            def __init__(self, policy: mint.nn.Linear):
                self.policy = policy
                self.saved = []
                self.optimizer = optim.Adam(policy.parameters())

            def act(self, state):
                self.saved.append(self.policy(state).mean())

            def learn(self):
                loss = mint.stack(self.saved).sum()
                self.optimizer.zero_grad()
                tape.backward(loss)
                self.optimizer.step()
        """,
        tape=1,
    )


def test_loss_from_outside() -> None:
    check(
        """
        def update(optimizer: torch.optim.SGD, loss):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        """
        tape.start()


        def update(optimizer: optim.SGD, loss):
            optimizer.zero_grad()
            tape.backward(loss)
            optimizer.step()
        """,
        tape=1,
    )


def test_graph_over_iterations() -> None:
    check(
        """
        def train(net: nn.Linear, optimizer: torch.optim.SGD, batches):
            total = 0
            for i, x in enumerate(batches):
                total = total + net(x).mean()
                if i % 3 == 2:
                    optimizer.zero_grad()
                    total.backward(retain_graph=True)
                    optimizer.step()
                    total = 0
        """,
        """
        tape.start()


        def train(net: mint.nn.Linear, optimizer: optim.SGD, batches):
            total = 0
            for i, x in enumerate(batches):
                total = total + net(x).mean()
                if i % 3 == 2:
                    optimizer.zero_grad()
                    tape.backward(total, retain_graph=True)
                    optimizer.step()
                    total = 0
        """,
        tape=1,
    )


def test_inside_an_expression() -> None:
    check(
        """
        def train(net: nn.Linear, optimizer: torch.optim.SGD, parts):
            losses = [net(x).mean() for x in parts]
            optimizer.zero_grad()
            [loss.backward() for loss in losses]
            optimizer.step()
        """,
        """
        tape.start()


        def train(net: mint.nn.Linear, optimizer: optim.SGD, parts):
            losses = [net(x).mean() for x in parts]
            optimizer.zero_grad()
            [tape.backward(loss) for loss in losses]
            optimizer.step()
        """,
        tape=1,
    )
