"""Writes torch2ms/analysis/torch_names.py from the installed torch: `python scripts/generate_torch_names.py`."""

from __future__ import annotations

import importlib
import sys
import types
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "torch2ms" / "analysis" / "torch_names.py"

# the modules of PyTorch's manual; where one object is reachable from several of them, the first that lists it wins
PUBLIC = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrizations
torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.stateless torch.nn.utils.fusion torch.nn.parallel
torch.nn.attention torch.nn.attention.flex_attention torch.nn.attention.bias torch.optim torch.optim.lr_scheduler
torch.optim.swa_utils torch.utils.data torch.utils.data.distributed torch.utils.checkpoint torch.utils.tensorboard
torch.utils.model_zoo torch.utils.cpp_extension torch.utils.dlpack torch.utils.benchmark torch.utils.bottleneck
torch.autograd torch.autograd.functional torch.autograd.profiler torch.autograd.graph torch.autograd.forward_ad
torch.autograd.gradcheck torch.amp torch.cuda.amp torch.cuda torch.cuda.nvtx torch.cpu torch.cpu.amp torch.mps torch.xpu torch.backends
torch.backends.cudnn torch.backends.cuda torch.backends.mps torch.backends.mkl torch.backends.mkldnn torch.backends.openmp
torch.distributed torch.distributed.optim torch.distributed.fsdp torch.distributed.rpc torch.distributed.elastic
torch.distributed.checkpoint torch.distributed.tensor torch.distributed.tensor.parallel torch.distributed.device_mesh
torch.distributed.algorithms torch.distributed.nn torch.distributions torch.distributions.kl torch.distributions.constraints
torch.distributions.transforms torch.fft torch.linalg torch.special torch.sparse torch.signal torch.signal.windows torch.nested
torch.masked torch.jit torch.onnx torch.hub torch.multiprocessing torch.testing torch.func torch.fx torch.profiler torch.package
torch.quantization torch.ao.quantization torch.ao.nn.quantized torch.overrides torch.futures torch.library torch.compiler
torch.export torch.version torch.types torch.random torch.serialization torch.storage torch.functional torch.utils
torch.monitor torch.accelerator
""".split()
# documented paths that name the same thing as another documented path
FOLDED = {"torch.random", "torch.functional", "torch.serialization", "torch.storage", "torch.autograd.grad_mode"}
STARS = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.parameter torch.nn.modules torch.nn.parallel
torch.optim torch.optim.lr_scheduler torch.autograd torch.autograd.variable torch.autograd.function torch.utils.data torch.utils.checkpoint
torch.cuda torch.cuda.amp torch.amp torch.distributions torch.distributed torch.fft torch.linalg torch.functional torch.utils torch.random
""".split()
# subtrees that nobody imports from
SKIPPED = [
    ["distributed"],
    ["fx"],
    ["onnx"],
    ["export"],
    ["package"],
    ["testing"],
    ["monitor"],
    ["ao"],
    ["backends"],
    ["compiler"],
    ["masked"],
    ["jit"],
]


def load(name: str) -> types.ModuleType | None:
    """The module of that name, None where this machine lacks something it needs."""
    try:
        return importlib.import_module(name)
    except (ImportError, AttributeError, RuntimeError):
        return None


def named(value: object) -> bool:
    """Whether the identity of an object says which API it is."""
    return callable(value) and not isinstance(value, types.ModuleType) and type(value).__module__ != "typing"


def listed(module: types.ModuleType, name: str, value: object) -> bool:
    """Whether a public module offers the name itself and does not merely import it."""
    if name.startswith("_"):
        return False
    home = getattr(value, "__module__", None) or ""
    public = getattr(module, "__all__", None)
    if module.__name__ == "torch":
        return home.startswith("torch") or home == "builtins" or not home
    if public is not None:
        return name in public
    return (
        home.startswith(module.__name__)
        or module.__name__ == "torch.nn.functional"
        and isinstance(value, types.BuiltinFunctionType)
    )


def public_names() -> dict[int, str]:
    """id of an API object -> its name in the manual."""
    names: dict[int, str] = {}
    for path in PUBLIC:
        module = load(path)
        if module is None or path in FOLDED:
            continue
        for name, value in sorted(vars(module).items()):
            if named(value) and listed(module, name, value):
                names.setdefault(id(value), f"{path}.{name}")
    return names


def private_names(names: dict[int, str]) -> dict[str, dict[str, str]]:
    """module -> public prefix -> the names that a module has under that prefix, separated by blanks."""
    table: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(sys.modules):
        module = sys.modules[path]
        if not path.startswith("torch.") or module is None:
            continue
        if "._" in path or path.split(".")[1:2] in SKIPPED:
            continue
        public = path in PUBLIC and path not in FOLDED
        for name, value in sorted(vars(module).items()):
            if name.startswith("__"):
                continue
            if isinstance(value, types.ModuleType):
                target = value.__name__
                if public and target != f"{path}.{name}" and name in ("torch", "math", "warnings"):
                    table[path][target.rpartition(".")[0]].append(name)
                continue
            target = names.get(id(value), "")
            prefix, _, last = target.rpartition(".")
            if not target or last != name or prefix == path or public and listed(module, name, value):
                continue
            table[path][prefix].append(name)
    return {
        path: {prefix: " ".join(found) for prefix, found in sorted(rows.items())}
        for path, rows in sorted(table.items())
    }


def star_names() -> dict[str, str]:
    """module -> what `from module import *` brings, separated by blanks."""
    stars = {}
    for path in STARS:
        module = load(path)
        if module is not None:
            public = getattr(module, "__all__", None)
            found = (
                public
                if public is not None
                else [n for n in vars(module) if not n.startswith("_") and n != "annotations"]
            )
            stars[path] = " ".join(sorted(set(found)))
    return stars


def tensor_methods() -> str:
    """The public callable attributes of torch.Tensor."""
    tensor = sys.modules["torch"].Tensor
    return " ".join(sorted(n for n in dir(tensor) if not n.startswith("_") and callable(getattr(tensor, n, None))))


def render() -> str:
    """The text of the data module."""
    for path in (*PUBLIC, *STARS):
        load(path)
    lines = [
        '"""Names of PyTorch 2.13; written by scripts/generate_torch_names.py, do not edit."""',
        "# ruff: noqa: E501",
        "",
    ]
    lines += [
        "# module -> public prefix -> names that the module holds but that the manual lists under the prefix",
        "PRIVATE: dict[str, dict[str, str]] = {",
    ]
    for path, rows in private_names(public_names()).items():
        lines.append(f"    {path!r}: {{".replace("'", '"'))
        lines += [f'        "{prefix}": "{found}",' for prefix, found in rows.items()]
        lines.append("    },")
    lines += ["}", "", "# module -> what a star import of it brings", "STAR: dict[str, str] = {"]
    lines += [f'    "{path}": "{found}",' for path, found in star_names().items()]
    lines += [
        "}",
        "",
        "# public methods of torch.Tensor, separated by blanks",
        f'TENSOR_METHODS = "{tensor_methods()}"',
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
