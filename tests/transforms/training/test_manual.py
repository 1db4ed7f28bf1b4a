"""Updates written by hand from `.grad`."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_by_name() -> None:
    check(
        """
        def fit(x, y, lr):
            w = torch.zeros(3, 1, requires_grad=True)
            b = torch.zeros(1, requires_grad=True)
            for _ in range(10):
                loss = ((x @ w + b - y) ** 2).mean()
                loss.backward()
                with torch.no_grad():
                    w -= lr * w.grad
                    b -= lr * b.grad
                    w.grad.zero_()
                    b.grad.zero_()
        """,
        """
        def fit(x, y, lr):
            w = Parameter(mint.zeros((3, 1)), name="w")
            b = Parameter(mint.zeros(1), name="b")

            def forward_fn():
                loss = ((x @ w + b - y) ** 2).mean()
                return loss

            grad_fn = value_and_grad(forward_fn, None, (w, b))
            for _ in range(10):
                loss, (w_grad, b_grad) = grad_fn()
                ops.assign(w, w - lr * w_grad)
                ops.assign(b, b - lr * b_grad)
        """,
        lifted=1,
    )


def test_over_a_tuple() -> None:
    check(
        """
        def fit(x, y, lr):
            w = torch.zeros(3, 1, requires_grad=True)
            b = torch.zeros(1, requires_grad=True)
            for _ in range(10):
                loss = ((x @ w + b - y) ** 2).mean()
                loss.backward()
                for p in (w, b):
                    p.data -= lr * p.grad.data
                    p.grad = None
        """,
        """
        def fit(x, y, lr):
            w = Parameter(mint.zeros((3, 1)), name="w")
            b = Parameter(mint.zeros(1), name="b")

            def forward_fn():
                loss = ((x @ w + b - y) ** 2).mean()
                return loss

            grad_fn = value_and_grad(forward_fn, None, (w, b))
            for _ in range(10):
                loss, grads = grad_fn()
                for p, p_grad in zip((w, b), grads):
                    ops.assign(p, p - lr * p_grad)
        """,
        lifted=1,
    )


def test_over_the_parameters_of_a_module() -> None:
    check(
        """
        def fit(net: nn.Linear, x, y, lr):
            for _ in range(10):
                net.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                for p in net.parameters():
                    p.data.add_(p.grad, alpha=-lr)
        """,
        """
        def fit(net: mint.nn.Linear, x, y, lr):
            weights = tuple(net.parameters())

            def forward_fn():
                loss = mint.nn.functional.mse_loss(net(x), y)
                return loss

            grad_fn = value_and_grad(forward_fn, None, weights)
            for _ in range(10):
                loss, grads = grad_fn()
                for p, p_grad in zip(weights, grads):
                    ops.assign(p, p + -lr * p_grad)
        """,
        lifted=1,
    )


def test_beside_an_optimizer() -> None:
    check(
        """
        def fit(net: nn.Linear, x, y, lr, plain):
            optimizer = torch.optim.SGD(net.parameters(), lr=lr)
            for _ in range(10):
                net.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                if plain:
                    for p in net.parameters():
                        p.data.sub_(lr * p.grad)
                else:
                    optimizer.step()
        """,
        """
        def fit(net: mint.nn.Linear, x, y, lr, plain):
            optimizer = optim.SGD(net.parameters(), lr=lr)
            weights = tuple(net.parameters())
            for _ in range(10):
                def forward_fn():
                    loss = mint.nn.functional.mse_loss(net(x), y)
                    return loss

                loss, grads = value_and_grad(forward_fn, None, weights)()
                if plain:
                    for p, p_grad in zip(weights, grads):
                        ops.assign(p, p - lr * p_grad)
                else:
                    optimizer(grads, weights)
        """,
        closure=1,
    )
