"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore import Parameter, Tensor, ops

from .. import _backend
from .._lower.assignment import assign
from . import _check, _state
from ._line_search import Point, strong_wolfe
from .optimizer import Gradients, Optimizer


class LBFGS(Optimizer):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.LBFGS.html

    `step(closure)` takes a function of value_and_grad, which returns the loss and the gradients, or one that returns
    the loss and has filled the `.grad` slots.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        _check.learning_rate(lr)
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def __call__(self, grads: Gradients, weights: Any = None) -> None:
        raise TypeError("LBFGS evaluates the loss several times a step: call step(closure)")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Minimize for `max_iter` iterations; return the loss before them."""
        if closure is None:
            raise TypeError("LBFGS.step needs a closure that evaluates the loss and its gradients")
        with _backend.grad_mode(False):
            return self._minimize(closure)

    def _minimize(self, closure: Callable[[], Any]) -> Any:
        group, memory = self.param_groups[0], _Memory(self.state[self.param_groups[0]["params"][0]])
        first_loss, gradient = self._measure(closure)
        loss = float(first_loss)
        evaluations = 1
        memory["func_evals"] = memory.get("func_evals", 0) + 1
        if _largest(gradient) <= group["tolerance_grad"]:
            return first_loss
        for iteration in range(1, group["max_iter"] + 1):
            memory["n_iter"] = memory.get("n_iter", 0) + 1
            direction, size = memory.direction(gradient, group)
            memory.update_previous(gradient, loss, size)
            slope = _dot(gradient, direction)
            if slope > -group["tolerance_change"]:
                break
            before, last = loss, iteration == group["max_iter"]
            point, size, spent = self._move(
                closure, Point(0.0, loss, gradient, slope), direction, size, last, evaluations
            )
            loss, gradient = point.loss, point.gradient
            memory["t"] = size
            evaluations += spent
            memory["func_evals"] += spent
            if last or evaluations >= group["max_eval"] or self._converged(point, before, direction, size, spent):
                break
        return first_loss

    def _move(
        self, closure: Any, start: Point, direction: Tensor, size: float, last: bool, evaluations: int
    ) -> tuple[Point, float, int]:
        """Go along the direction; return where that leads, how far it went and the evaluations spent."""
        group = self.param_groups[0]
        origin = [p.copy() for p in group["params"]]
        if group["line_search_fn"] is None:
            self._place(origin, direction, size)
            if last:
                return start, size, 0
            loss, gradient = self._measure(closure)
            return Point(size, float(loss), gradient, 0.0), size, 1
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")

        def evaluate(t: float) -> Point:
            self._place(origin, direction, t)
            loss, gradient = self._measure(closure)
            return Point(t, float(loss), gradient, _dot(gradient, direction))

        limit = group["max_eval"] - evaluations
        point, spent = strong_wolfe(evaluate, start, size, _largest(direction), limit)
        self._place(origin, direction, point.t)
        return point, point.t, spent

    def _converged(self, point: Point, before: float, direction: Tensor, size: float, spent: int) -> bool:
        group = self.param_groups[0]
        if spent and _largest(point.gradient) <= group["tolerance_grad"]:
            return True
        moved = _largest(direction * Tensor(size, direction.dtype))
        return moved <= group["tolerance_change"] or abs(point.loss - before) < group["tolerance_change"]

    def _measure(self, closure: Callable[[], Any]) -> tuple[Any, Tensor]:
        """Return the loss and all gradients as one vector; a missing gradient counts as zeros."""
        loss, grads = self.evaluate(closure)
        params = self.param_groups[0]["params"]
        found = [_backend.get_grad(p) for p in params] if grads is None else list(grads)
        if len(found) != len(params):
            raise ValueError(f"the closure returned {len(found)} gradients for {len(params)} parameters")
        parts = [ops.zeros_like(p) if g is None else g for p, g in zip(params, found)]
        return loss, ops.cat([g.reshape(-1) for g in parts])

    def _place(self, origin: list[Tensor], direction: Tensor, size: float) -> None:
        """Put the parameters at `origin + size * direction`."""
        step = direction * Tensor(size, direction.dtype)
        offset = 0
        for p, start in zip(self.param_groups[0]["params"], origin):
            assign(p, start + step[offset : offset + p.size].reshape(p.shape))
            offset += p.size


class _Memory:
    """What L-BFGS remembers of its path, in the state of the first parameter under PyTorch's names."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state

    def __getitem__(self, name: str) -> Any:
        return self._state[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._state[name] = value

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is remembered under a name."""
        return self._state.get(name, default)

    def direction(self, gradient: Tensor, group: dict[str, Any]) -> tuple[Tensor, float]:
        """Return the direction of descent and the first size to try."""
        lr = _state.number(group["lr"])
        if self["n_iter"] == 1:
            self._state.update(d=-gradient, old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return self["d"], min(1.0, 1.0 / float(gradient.abs().sum())) * lr
        self._remember(gradient, group["history_size"])
        self["d"] = self._two_loops(-gradient)
        return self["d"], lr

    def _remember(self, gradient: Tensor, history_size: int) -> None:
        change = gradient - self["prev_flat_grad"]
        step = self["d"] * Tensor(float(self["t"]), gradient.dtype)
        curvature = _dot(change, step)
        if curvature <= 1e-10:
            return
        for name, value in (("old_dirs", change), ("old_stps", step), ("ro", 1.0 / curvature)):
            if len(self[name]) == history_size:
                self[name].pop(0)
            self[name].append(value)
        self["H_diag"] = curvature / _dot(change, change)

    def _two_loops(self, q: Tensor) -> Tensor:
        """Multiply `q` with the approximation of the inverse Hessian."""
        path = list(zip(self["old_dirs"], self["old_stps"], map(float, self["ro"])))
        shares = []
        for change, step, inverse in reversed(path):
            shares.append(_dot(step, q) * inverse)
            q = q - change * Tensor(shares[-1], q.dtype)
        r = q * Tensor(float(self["H_diag"]), q.dtype)
        for (change, step, inverse), share in zip(path, reversed(shares)):
            r = r + step * Tensor(share - _dot(change, r) * inverse, r.dtype)
        return r

    def update_previous(self, gradient: Tensor, loss: float, size: float) -> None:
        """Remember where this iteration began."""
        self._state.update(prev_flat_grad=gradient, prev_loss=loss, t=size)


def _dot(a: Tensor, b: Tensor) -> float:
    return float((a * b).sum())


def _largest(value: Tensor | Parameter) -> float:
    return float(value.abs().max())
