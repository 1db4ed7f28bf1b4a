"""What stands around a step and belongs to no gradient: logs, evaluation, averages, freezing, early ends."""

from __future__ import annotations

from tests.transforms.training.loops.common import Maker


class Around(Maker):
    """Makes such statements."""

    def extra(self) -> list[str]:
        """Something around the step that belongs to no gradient."""
        c = self.counter
        return self.random.choice(
            (
                ["log.append(loss.item())"],
                ["log.append(out.detach().mean().item())"],
                ["total = total + loss.item()"],
                ["total += loss.detach()"],
                ["total += float(loss)"],
                ["history.append(loss.detach().clone())"],
                ["hits += (out.detach() > 0).sum().item()"],
                ["with torch.no_grad():", "    log.append(NET(X).mean().item())"],
                ["NET.eval()", "with torch.no_grad():", "    log.append(NET(X).sum().item())", "NET.train()"],
                [
                    "with torch.no_grad():",
                    "    for e, p in zip(ema.parameters(), NET.parameters()):",
                    "        e.mul_(0.9).add_(p, alpha=0.1)",
                ],
                ["for e, p in zip(ema.parameters(), NET.parameters()):", "    e.data = 0.9 * e.data + 0.1 * p.data"],
                [
                    "for p in NET.parameters():",
                    "    if p.grad is not None:",
                    "        log.append(p.grad.abs().sum().item())",
                ],
                ["if NET.head.weight.grad is not None:", "    log.append(NET.head.weight.grad.norm().item())"],
                [f"if {c} == 1:", "    for p in NET.body.parameters():", "        p.requires_grad_(False)"],
                ["for p in NET.body.parameters():", f"    p.requires_grad = {c} != 1"],
                [f"if {c} == 1:", "    for group in OPT.param_groups:", "        group['lr'] *= 0.5"],
                ["scheduler.step()"],
                ["if loss.item() < 0.4:", "    continue"],
                ["if loss.item() > 3.0:", "    break"],
                ["if not torch.isfinite(loss):", "    raise ValueError('loss')"],
                ["if loss.item() < best:", "    best = loss.item()", "    kept = copy.deepcopy(NET.state_dict())"],
                ["del out"],
                ["print(loss.item(), end='')"],
                ["weight = NET.head.weight.detach().sum().item()", "log.append(weight)"],
                ["lr = OPT.param_groups[0]['lr']", "log.append(lr)"],
            )
        )
