"""Closures that an optimizer runs."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_defined_once() -> None:
    check(
        """
        def fit(net: nn.Linear, x, y):
            optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5)

            def closure():
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                return loss

            for _ in range(5):
                optimizer.step(closure)
        """,
        """
        def fit(net: mint.nn.Linear, x, y):
            optimizer = optim.LBFGS(net.parameters(), lr=0.5)

            def closure():
                loss = mint.nn.functional.mse_loss(net(x), y)
                return loss

            grad_fn = value_and_grad(closure, None, optimizer.parameters)

            for _ in range(5):
                optimizer.step(grad_fn)
        """,
        closure=1,
    )


def test_returns_a_number() -> None:
    check(
        """
        def fit(net: nn.Linear, x, y):
            optimizer = torch.optim.LBFGS(net.parameters())
            for _ in range(5):
                def closure():
                    optimizer.zero_grad()
                    loss = nn.functional.mse_loss(net(x), y)
                    print(loss.item())
                    loss.backward()
                    return loss.item()
                optimizer.step(closure=closure)
        """,
        """
        def fit(net: mint.nn.Linear, x, y):
            optimizer = optim.LBFGS(net.parameters())
            for _ in range(5):
                def closure():
                    loss = mint.nn.functional.mse_loss(net(x), y)
                    print(loss.item())
                    return loss

                grad_fn = value_and_grad(closure, None, optimizer.parameters)
                optimizer.step(closure=grad_fn)
        """,
        closure=1,
    )


def test_at_module_level() -> None:
    check(
        """
        net = nn.Linear(2, 1)
        x = torch.ones(3, 2)
        optimizer = torch.optim.LBFGS(net.parameters())


        def closure():
            optimizer.zero_grad()
            loss = net(x).pow(2).sum()
            loss.backward()
            return loss


        last = optimizer.step(closure).item()
        """,
        """
        net = mint.nn.Linear(2, 1)
        x = mint.ones((3, 2))
        optimizer = optim.LBFGS(net.parameters())


        def closure():
            loss = net(x).pow(2).sum()
            return loss


        grad_fn = value_and_grad(closure, None, optimizer.parameters)


        last = optimizer.step(grad_fn).item()
        """,
        closure=1,
    )
