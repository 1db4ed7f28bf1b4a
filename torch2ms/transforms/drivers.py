"""Libraries that run the training loop themselves, on PyTorch: Lightning, Accelerate, the Trainer of transformers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Provenance, Replace, unsupported
from torch2ms.source import Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_LIGHTNING = ("pytorch_lightning", "lightning", "lightning_fabric")
_ROOTS = (*_LIGHTNING, "accelerate", "transformers")
_ADVICE = {
    "Lightning": "write the loop over the batches as a function, with zero_grad, backward and step, and convert again",
    "Accelerate": "leave Accelerate out: loss.backward() in the place of accelerator.backward(loss), no prepare(); "
    "torch2ms.runtime.amp and torch2ms.runtime.distributed hold what it did",
    "the Trainer of transformers": "write the loop over a DataLoader, with zero_grad, backward and step, and convert again",
}


class Drivers:
    """What makes a trainer raises where it stands and says the way out; a class that is built on one is named."""

    name = "drivers"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One finding for each trainer that is made and for each class that is derived from the library's."""
        if not any(root in facts.source.text for root in _ROOTS):
            return
        for node in facts.names.parents:
            if facts.skipped(node):
                continue
            if isinstance(node, ast.Call) and (driver := _driver(facts, node.func)) is not None:
                source = facts.source.segment(node) or ast.unparse(node)
                api = facts.names.of(node.func) or driver
                edit = Replace(node, unsupported(api, source, _ADVICE[driver]))
                said = _said(node, driver)
                yield Claim(self.name, (node,), (edit,), (said,), provenance=Provenance.REFUSED)
            elif isinstance(node, ast.ClassDef):
                yield from (_said(base, driver) for base in node.bases if (driver := _driver(facts, base)) is not None)


def _said(node: ast.expr, driver: str) -> Diagnostic:
    return Diagnostic("T2M201", Span.of(node), f"{driver} drives PyTorch and cannot drive MindSpore", _ADVICE[driver])


def _driver(facts: Facts, node: ast.expr) -> str | None:
    """The library whose trainer, or whose base of modules, a name is."""
    root, _, rest = (facts.names.of(node) or "").partition(".")
    last = rest.rpartition(".")[2]
    if root in _LIGHTNING and last in ("Trainer", "LightningModule", "Fabric", "LightningDataModule"):
        return "Lightning"
    if root == "accelerate" and last == "Accelerator":
        return "Accelerate"
    if root == "transformers" and last in ("Trainer", "Seq2SeqTrainer"):
        return "the Trainer of transformers"
    return None


TRANSFORM = Drivers()
