"""`torch.autograd.grad` with respect to an input."""

from __future__ import annotations

from tests.transforms.training.stepped import check


def test_penalty() -> None:
    check(
        """
        def penalty(critic: nn.Linear, real, fake, alpha):
            mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
            scores = critic(mixed)
            slopes = torch.autograd.grad(outputs=scores, inputs=mixed, grad_outputs=torch.ones_like(scores),
                                         create_graph=True, retain_graph=True)[0]
            return slopes.pow(2).mean()
        """,
        """
        def penalty(critic: mint.nn.Linear, real, fake, alpha):
            mixed = alpha * real + (1 - alpha) * fake
            slopes = grad(critic)(mixed)
            return slopes.pow(2).mean()
        """,
        nested=1,
    )


def test_the_output_is_used_too() -> None:
    check(
        """
        def r1(critic: nn.Linear, real):
            real.requires_grad_()
            pred = critic(real)
            slope, = torch.autograd.grad(outputs=pred.sum(), inputs=real, create_graph=True)
            return pred, slope
        """,
        """
        def r1(critic: mint.nn.Linear, real):
            pred, pull = vjp(critic, real)
            slope = pull(mint.ones_like(pred))
            return pred, slope
        """,
        nested=1,
    )


def test_another_gradient() -> None:
    check(
        """
        def slopes(critic: nn.Linear, points, ones):
            points = torch.autograd.Variable(points, requires_grad=True)
            values = critic(points)
            return torch.autograd.grad(values, points, ones, create_graph=True)[0]
        """,
        """
        def slopes(critic: mint.nn.Linear, points, ones):
            values, pull = vjp(critic, points)
            return pull(ones)
        """,
        nested=1,
    )


def test_the_second_argument() -> None:
    check(
        """
        def slopes(critic: nn.Bilinear, labels, points):
            points.requires_grad = True
            values = critic(labels, points)
            return torch.autograd.grad(values, [points], torch.ones_like(values))[0]
        """,
        """
        def slopes(critic: nn.Bilinear, labels, points):
            return grad(critic, 1)(labels, points)
        """,
        nested=1,
    )
