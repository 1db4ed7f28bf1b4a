"""Modules used as values, names looked up by text, versions."""
from __future__ import annotations

import ast

from torch2ms.edits import Provenance, Replace
from torch2ms.rules.rows import outcome
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite

# PyTorch's modules and what stands for each of them as an object
MODULES: dict[str, str | None] = {
    "torch": "mindspore", "torch.nn": "nn", "torch.nn.functional": "mint.nn.functional", "torch.nn.init": "nn.init",
    "torch.nn.utils": "nn.utils", "torch.nn.utils.rnn": "nn.utils.rnn", "torch.optim": "optim", "torch.optim.lr_scheduler": "optim.lr_scheduler",
    "torch.utils.data": "data", "torch.distributed": "distributed", "torch.distributions": "distributions", "torch.cuda": "device",
    "torch.linalg": "mint.linalg", "torch.special": "mint.special", "torch.fft": "mint.fft", "torch.amp": "amp", "torch.cuda.amp": "amp",
    "torch.random": "random", "torch.serialization": "serialization", "torch.accelerator": "device", "torch.npu": "device",
    "torch.multiprocessing": "multiprocessing", "torchvision": "vision", "torchvision.transforms": "vision.transforms",
    "torchvision.datasets": "vision.datasets", "torchvision.utils": "vision.utils", "torchvision.transforms.functional": "vision.transforms.functional",
    "torchvision.transforms.v2": "vision.transforms", "torchvision.ops": "vision.ops",
    "torch.jit": None, "torch.fx": None, "torch.onnx": None, "torch.hub": None, "torch.autograd": None, "torch.backends": None,
    "torch.backends.cudnn": None, "torch.utils": None, "torch.nn.parallel": None, "torch.compiler": None, "torch.library": None,
    "torch._dynamo": None, "torch.export": None, "torch.version": None, "torch.nn.modules": None, "torch.func": None, "torch.sparse": None,
    "torch.testing": None, "torch.profiler": None, "torch.types": None, "torchvision.models": "vision.models", "torchvision.prototype": None,
    "torch.nn.utils.parametrize": None, "torch.nn.utils.parametrizations": None, "torch.nn.utils.prune": None, "torch.nn.attention": None,
}


@rewrite(*MODULES)
def module(site: Site) -> Outcome:
    """`getattr(F, name)`, `hasattr(torch, "compile")` and modules handed around."""
    stands_for = MODULES[site.name]
    match site.parent():
        case ast.Call(func=ast.Name(id="getattr" | "hasattr" as asked), args=[owner, looked_up, *rest]) as call if owner is site.node:
            name = constant_text(site, looked_up)
            if name is not None:
                return _constant_name(site, call, asked, name, rest)
            if not stands_for:
                raise Refusal("T2M105", f"a name of {site.name} is looked up at run time", "name the functions instead")
            said = site.said("T2M105", f"a name of {site.name} is looked up at run time; the module that stands for it may lack it",
                             "write the names out where they are known")
            if site.name == "torch" and _is_called(site, call, asked):
                stands_for = "mint"
            return Outcome((Replace(site.node, f"${stands_for}"),), (said,), site.provenance)
    if stands_for is None or site.name == "torch":
        raise Refusal("T2M105", f"the module {site.name} is used as an object", "name the functions instead")
    return outcome(site, Replace(site.node, f"${stands_for}"))


def _is_called(site: Site, call: ast.Call, asked: str) -> bool:
    """Whether the name looked up in torch is that of a function; otherwise it is taken for a data type."""
    above = site.facts.parent(call)
    return asked == "hasattr" or isinstance(above, ast.Call) and above.func is call


def _constant_name(site: Site, call: ast.Call, asked: str, name: str, rest: list[ast.expr]) -> Outcome:
    from torch2ms.rules import apply, find

    full = f"{site.name}.{name}"
    node = ast.copy_location(ast.Attribute(site.node, name, ast.Load()), call)
    found = apply(Site(full, node, site.span, site.provenance, None, site.facts)) if find(full) is not None else None
    converted = found is not None and found.provenance is not Provenance.REFUSED
    if asked == "hasattr":
        return outcome(site, Replace(call, str(converted)))
    if found is not None and converted and len(found.edits) == 1 and isinstance(found.edits[0], Replace):
        edit = found.edits[0]
        return Outcome((Replace(call, edit.template, edit.parts),), found.diagnostics, found.provenance)
    if rest:
        return outcome(site, Replace(call, "$0", (rest[0],)))
    raise Refusal("T2M104", f"{full} has no counterpart", "name another function")


@rewrite("torch.__version__", "torchvision.__version__", "torchaudio.__version__")
def version(site: Site) -> Outcome:
    """The version that runs is MindSpore's; a comparison with PyTorch's numbers is said."""
    edit = Replace(site.node, "$mindspore.__version__")
    match site.parent():
        case ast.FormattedValue() | ast.Call(func=ast.Name(id="print")):
            return outcome(site, edit)
    said = site.said("T2M105", "this asks for PyTorch's version and now gets MindSpore's", "decide the gate and leave the other arm out")
    return Outcome((edit,), (said,), site.provenance)


def is_module(name: str) -> bool:
    """Whether a canonical name is a Python module of PyTorch."""
    return name in MODULES




def constant_text(site: Site, node: ast.expr) -> str | None:
    """The text of a literal, of a variable that only ever holds one literal, or of an entry of such a dictionary."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name():
            held = _only_value(site, node)
            return held.value if isinstance(held, ast.Constant) and isinstance(held.value, str) else None
        case ast.Subscript(value=ast.Name() as owner, slice=ast.Constant(value=key)):
            held = _only_value(site, owner)
            if isinstance(held, ast.Dict) and not _is_changed(site, owner):
                found = [v for k, v in zip(held.keys, held.values) if isinstance(k, ast.Constant) and k.value == key]
                if len(found) == 1 and isinstance(found[0], ast.Constant) and isinstance(found[0].value, str):
                    return found[0].value
    return None


def _only_value(site: Site, name: ast.Name) -> ast.expr | None:
    binder = site.facts.names.binder(name)
    nodes = list(binder.bindings.get(name.id, ())) if binder is not None else []
    if len(nodes) != 1:
        return None
    above = site.facts.parent(nodes[0])
    return above.value if isinstance(above, ast.Assign) and above.targets == nodes else None


def _is_changed(site: Site, name: ast.Name) -> bool:
    """Whether something else than reading an entry is done with a dictionary."""
    for other in ast.walk(site.facts.tree):
        if isinstance(other, ast.Name) and other.id == name.id and isinstance(other.ctx, ast.Load):
            above = site.facts.parent(other)
            if not isinstance(above, ast.Subscript) or not isinstance(above.ctx, ast.Load):
                return True
    return False
