"""How much of a project converts and what is left to do, counted from a run."""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from torch2ms.diagnostics import Severity
from torch2ms.edits import Provenance
from torch2ms.project.discover import EntryKind
from torch2ms.project.gather import Sources
from torch2ms.project.outcome import FileOutcome, RunOutcome

# packages that take or give PyTorch objects; code that hands tensors to them does not run on MindSpore alone
NEEDS_TORCH = frozenset(
    "accelerate apex bitsandbytes captum deepspeed detectron2 dgl diffusers fairscale fairseq fastai flash_attn "
    "functorch gpytorch horovod ignite kornia lightning mmcv mmdet mmengine monai peft pyro pytorch3d "
    "pytorch_lightning pytorch_metric_learning segmentation_models_pytorch sentence_transformers thop timm "
    "torch_geometric torch_scatter torch_sparse torchaudio torchmetrics torchsummary torchtext torchvision "
    "transformers triton ultralytics xformers".split()
)
# the APIs whose conversion is compared with PyTorch in value, dtype, shape and gradient; written by docs/generate_api_support.py
COMPARED = Path(__file__).with_name("compared.txt")
# these have a counterpart in the runtime
_CONVERTED = frozenset({"torchvision", "torchaudio", "torch", "torch2ms", "mindspore"})
_KERNELS = (".cu", ".cuh", ".cpp", ".cc")


@dataclass(slots=True)
class Refusal:
    """One kind of finding that needs attention: where it strikes, and the advice."""

    code: str
    message: str
    help: str
    places: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Coverage:
    """The counts of a project."""

    sites: Counter[str]
    converted_apis: Counter[str]
    refused_apis: Counter[str]
    loops: Counter[str]
    refusals: list[Refusal]
    packages: Counter[str]
    kernels: list[str]
    compared: frozenset[str]  # converted APIs of the project whose values are compared with PyTorch's

    @property
    def total(self) -> int:
        """All uses of PyTorch."""
        return self.sites.total()

    @property
    def converted(self) -> int:
        """Uses that convert, through helpers or without."""
        return self.total - self.sites[Provenance.REFUSED.value]

    @property
    def compared_uses(self) -> int:
        """Converted uses of APIs whose values are compared with PyTorch's."""
        return sum(self.converted_apis[name] for name in self.compared)

    def share(self, number: int) -> float:
        """A number of uses as a share of all, 1.0 where there are none."""
        return number / self.total if self.total else 1.0


def coverage(run: RunOutcome, sources: Sources) -> Coverage:
    """The coverage of a run."""
    apis = run.totals("apis")
    return Coverage(
        run.totals("sites"),
        apis,
        run.totals("refused"),
        run.totals("loops"),
        _refusals(run),
        _packages(run, sources),
        [entry.rel for entry in sources.tree.entries if entry.path.suffix in _KERNELS],
        frozenset(COMPARED.read_text(encoding="utf-8").split()) & apis.keys(),
    )


def file_sites(file: FileOutcome) -> tuple[int, int, int]:
    """Uses of a file that convert, that go through helpers, that are refused."""
    sites = Counter(file.result.stats.sites)
    guarded, refused = sites[Provenance.GUARDED.value], sites[Provenance.REFUSED.value]
    return sites.total() - guarded - refused, guarded, refused


def _refusals(run: RunOutcome) -> list[Refusal]:
    found: dict[tuple[str, str], Refusal] = {}
    for file, diagnostic in run.findings():
        if diagnostic.severity is not Severity.ERROR:
            continue
        key = diagnostic.code, diagnostic.message
        refusal = found.setdefault(key, Refusal(diagnostic.code, diagnostic.message, diagnostic.help))
        refusal.places.append(run.place(file, diagnostic.span))
    return sorted(found.values(), key=lambda refusal: (-len(refusal.places), refusal.code, refusal.message))


def _packages(run: RunOutcome, sources: Sources) -> Counter[str]:
    """Packages that are neither Python's, the project's nor converted, by the number of files that import them."""
    own = {PurePosixPath(entry.rel).parts[0].removesuffix(".py") for entry in sources.tree.entries}
    own |= {PurePosixPath(entry.rel).stem for entry in sources.tree.of(EntryKind.PYTHON)}
    own |= {part for entry in sources.tree.of(EntryKind.PYTHON) for part in PurePosixPath(entry.rel).parts[:-1]}
    users: dict[str, set[str]] = defaultdict(set)
    for file in run.files:
        for package in _imported(file.result.source.text):
            if package not in own and package not in _CONVERTED and package not in sys.stdlib_module_names:
                users[package].add(file.rel)
    return Counter({package: len(files) for package, files in users.items()})


def _imported(text: str) -> set[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.partition(".")[0])
    return names
