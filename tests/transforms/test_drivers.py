"""Libraries that drive PyTorch's training are refused by name, with the way out."""

from __future__ import annotations

import pytest

from torch2ms.convert import convert_source
from torch2ms.diagnostics import Severity

MAKING = {
    "Lightning": ("import pytorch_lightning as pl", "pl.Trainer(max_epochs=1)"),
    "Lightning 2": ("import lightning as L", "L.Trainer()"),
    "Fabric": ("from lightning.fabric import Fabric", "Fabric()"),
    "Accelerate": ("from accelerate import Accelerator", "Accelerator(mixed_precision='no')"),
    "transformers": ("from transformers import Trainer, TrainingArguments", "Trainer(model, TrainingArguments('out'))"),
    "Seq2SeqTrainer": ("import transformers", "transformers.Seq2SeqTrainer(model)"),
}


def _refused(source: str) -> list[tuple[str, int]]:
    result = convert_source(source, path="a.py")
    compile(result.text, "a.py", "exec")
    return [(d.code, d.span.line) for d in result.diagnostics if d.severity is Severity.ERROR]


@pytest.mark.parametrize("name", sorted(MAKING))
def test_making_a_trainer_is_refused(name: str) -> None:
    imported, made = MAKING[name]
    source = f"import torch\n{imported}\nmodel = torch.nn.Linear(2, 2)\ntrainer = {made}\n"
    assert _refused(source) == [("T2M201", 4)]
    result = convert_source(source, path="a.py")
    assert 'trainer = unsupported("' in result.text
    assert result.diagnostics[0].help and ("loop" in result.diagnostics[0].help or "leave" in result.diagnostics[0].help)


@pytest.mark.parametrize("base", ["pl.LightningModule", "pl.LightningDataModule"])
def test_a_class_of_lightning_is_named(base: str) -> None:
    source = f"import torch\nimport pytorch_lightning as pl\nclass Net({base}):\n    pass\n"
    assert _refused(source) == [("T2M201", 3)]


def test_other_names_of_the_libraries_and_other_trainers_are_not() -> None:
    source = "import torch\nfrom transformers import AutoTokenizer\nfrom mine import Trainer\nt = AutoTokenizer()\nu = Trainer()\n"
    assert _refused(source) == []
