"""Gradients in `.grad` slots, where helpers or callers use them."""

from __future__ import annotations

import textwrap

from tests import side_by_side
from tests.transforms.training.stepped import check, convert


def test_a_helper_updates() -> None:
    check(
        """
        def sgd(params, lr):
            with torch.no_grad():
                for param in params:
                    param -= lr * param.grad
                    param.grad.zero_()


        def fit(x, y):
            w = torch.zeros(3, 1, requires_grad=True)
            for _ in range(10):
                loss = ((x @ w - y) ** 2).sum()
                loss.backward()
                sgd([w], 0.1)
        """,
        """
        def sgd(params, lr):
            for param in params:
                ops.assign(param, param - lr * param.grad)
                param.grad = mint.zeros_like(param.grad)


        def fit(x, y):
            w = Parameter(mint.zeros((3, 1)), name="w")
            weights = (w,)
            for _ in range(10):
                def forward_fn():
                    loss = ((x @ w - y) ** 2).sum()
                    return loss

                loss = backward_into(weights, *value_and_grad(forward_fn, None, weights)())
                sgd([w], 0.1)
        """,
        closure=1,
    )


def test_the_step_is_in_the_caller() -> None:
    check(
        """
        def forward_backward(net: nn.Linear, x):
            loss = net(x).mean()
            loss.backward()
            return loss.item()
        """,
        """
        def forward_backward(net: mint.nn.Linear, x):
            weights = tuple(net.parameters())

            def forward_fn():
                loss = net(x).mean()
                return loss

            loss = backward_into(weights, *value_and_grad(forward_fn, None, weights)())
            return loss.item()
        """,
        closure=1,
    )


def test_a_helper_clips() -> None:
    check(
        """
        def clip(model: nn.Linear, limit):
            for p in model.parameters():
                p.grad.data.clamp_(-limit, limit)


        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches):
            for x in batches:
                optimizer.zero_grad()
                loss = model(x).mean()
                loss.backward()
                clip(model, 0.1)
                optimizer.step()
        """,
        """
        def clip(model: mint.nn.Linear, limit):
            for p in model.parameters():
                p.grad = mint.clamp(p.grad, -limit, limit)


        def train(model: mint.nn.Linear, optimizer: optim.SGD, batches):
            weights = tuple(model.parameters())
            for x in batches:
                optimizer.zero_grad()

                def forward_fn():
                    loss = model(x).mean()
                    return loss

                loss = backward_into(weights, *value_and_grad(forward_fn, None, weights)())
                clip(model, 0.1)
                optimizer.step()
        """,
        closure=1,
    )


def test_gradients_are_read_that_no_optimizer_here_uses() -> None:
    """PyTorch fills the `.grad` of every parameter that the loss reaches."""
    source = """
        import torch
        from torch import nn

        net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
        with torch.no_grad():
            for i, p in enumerate(net.parameters()):
                p.fill_(0.1 * (i + 1))
        optimizer = torch.optim.SGD(net[2].parameters(), lr=0.1)
        for i in range(3):
            optimizer.zero_grad()
            loss = (net(torch.ones(3, 2) * i) ** 2).mean()
            loss.backward()
            optimizer.step()
        RESULT = [p.grad for p in net.parameters()]
        """
    assert dict(side_by_side.check(textwrap.dedent(source)).stats.loops) == {"closure": 1}


def test_gradients_of_the_other_player_are_read() -> None:
    """The loss of the generator also fills the `.grad` of the discriminator, through values made before."""
    result = convert(
        """
        def fit(g: nn.Linear, d: nn.Linear, z):
            og = torch.optim.SGD(g.parameters(), lr=0.1)
            od = torch.optim.SGD(d.parameters(), lr=0.1)
            for _ in range(3):
                fake = g(z)
                d_loss = d(fake.detach()).mean()
                od.zero_grad()
                d_loss.backward()
                od.step()
                g_loss = -d(fake).mean()
                og.zero_grad()
                g_loss.backward()
                og.step()
            return [p.grad for p in d.parameters()]
        """
    )
    assert dict(result.stats.loops) == {"closure": 1, "tape": 1}


def test_grad_scaler() -> None:
    check(
        """
        def train(model: nn.Linear, optimizer: torch.optim.SGD, batches):
            scaler = torch.amp.GradScaler("cpu")
            for x in batches:
                optimizer.zero_grad()
                loss = model(x).mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
        """,
        """
        def train(model: mint.nn.Linear, optimizer: optim.SGD, batches):
            scaler = amp.GradScaler()
            for x in batches:
                optimizer.zero_grad()

                def forward_fn():
                    loss = model(x).mean()
                    return scaler.scale(loss), loss

                _, loss = backward_into(optimizer.parameters, *value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)())
                scaler.step(optimizer)
                scaler.update()
        """,
        closure=1,
    )


def test_more_is_clipped_than_zero_grad_clears() -> None:
    check(
        """
        def fit(net: nn.Module, aux: nn.Module, data):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x in data:
                opt.zero_grad()
                loss = aux(net(x)).mean()
                loss.backward()
                nn.utils.clip_grad_norm_([*net.parameters(), *aux.parameters()], 0.4)
                opt.step()
        """,
        """
        def fit(net: nn.Cell, aux: nn.Cell, data):
            opt = optim.SGD(nn.parameters(net), lr=0.1)
            weights = tuple([*nn.parameters(net), *nn.parameters(aux)])
            for x in data:
                opt.zero_grad()

                def forward_fn():
                    loss = aux(net(x)).mean()
                    return loss

                loss = backward_into(weights, *value_and_grad(forward_fn, None, weights)())
                nn.utils.clip_grad_norm_([*nn.parameters(net), *nn.parameters(aux)], 0.4)
                opt.step()
        """,
        closure=1,
    )


def test_clipping_with_parameters_that_are_unfrozen() -> None:
    result = convert(
        """
        def fit(net: nn.Sequential, data):
            opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
            for i, x in enumerate(data):
                opt.zero_grad()
                net(x).mean().backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.4)
                opt.step()
                if i == 3:
                    for p in net.parameters():
                        p.requires_grad = True
        """
    )
    assert "backward_into(weights" in result.text
    assert "opt.zero_grad()" in result.text
