"""Under which local name each thing of MindSpore and of the runtime is written, and which imports that takes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable
from functools import partial

from torch2ms.analysis.names import Names
from torch2ms.edits import ROOTS
from torch2ms.emit.anchors import Anchor, Anchors, alias_of
from torch2ms.emit.placeholders import spelled
from torch2ms.emit.reach import Reach

_BUILTINS = frozenset(dir(builtins))
_RUNTIME = "torch2ms.runtime"
# a module alias of the user's goes on standing for the module that took over
MODULES: dict[str, str] = {
    "torch.nn": "nn",
    "torch.nn.functional": "mint.nn.functional",
    "torch.nn.init": "nn.init",
    "torch.nn.utils": "nn.utils",
    "torch.nn.utils.rnn": "nn.utils.rnn",
    "torch.optim": "optim",
    "torch.optim.lr_scheduler": "optim.lr_scheduler",
    "torch.utils.data": "data",
    "torch.distributions": "distributions",
    "torch.distributed": "distributed",
    "torch.amp": "amp",
    "torch.cuda.amp": "amp",
    "torchvision": "vision",
    "torchvision.transforms": "vision.transforms",
    "torchvision.datasets": "vision.datasets",
    "torchvision.models": "vision.models",
    "torchvision.utils": "vision.utils",
    "torchvision.ops": "vision.ops",
    "torchvision.transforms.functional": "vision.transforms.functional",
    "einops": "einops",
    "einops.layers.torch": "einops",
    "torch.linalg": "mint.linalg",
    "torch.special": "mint.special",
    "torch.fft": "mint.fft",
}
# what MindSpore itself offers where the runtime is not wanted; of mindspore.nn only these, the rest stays the runtime's
_PURE: dict[str, str] = {name: f"mindspore.{name}" for name in ("mint", "nn", "value_and_grad", "grad", "vjp")}
_PURE_NN = frozenset({"Cell", "SequentialCell", "CellList", "CellDict"})


class Naming:
    """Chooses names; `imports[anchor]` collects (module, name, local), with name None for `import module`."""

    def __init__(self, names: Names, anchors: Anchors, found: Reach, runtime_package: str, pure: bool) -> None:
        self._names = names
        self._anchors = anchors
        self._pure = pure
        self._paths = {root: _vendored(path, runtime_package) for root, path in ROOTS.items()}
        if pure:
            self._paths |= {**_PURE, "runtime-nn": self._paths["nn"]}
        self._free_standing = {name.id for name in found.names if names.binder(name) is None}
        self.imports: dict[Anchor, set[tuple[str, str | None, str]]] = {}
        self._chosen: set[tuple[Anchor, str, str]] = set()
        self._taken: dict[tuple[Anchor, str], str] = {}
        self._aliases = self._module_aliases()
        self._roots: dict[tuple[Anchor, str], str] = {}
        self._choose(found)

    def spelled(self, template: str, node: ast.AST) -> str:
        """A template as source: its references as the file at `node` writes them."""
        name: Callable[[str], str] = partial(self.text, node=node)
        return spelled(template, name)

    def text(self, reference: str, node: ast.AST) -> str:
        """What stands for `mint.nn.functional.relu` at a place: `F.relu`, `relu`, `mint.nn.functional.relu`."""
        reference = self._rooted(reference)
        own = self._own(reference, node)
        if own is not None:
            return own
        first, dot, rest = reference.partition(".")
        anchor = self._anchors.of(node)
        if (anchor, first) not in self._roots:
            self._roots[anchor, first] = self._root(anchor, first, [node])
        local = self._roots[anchor, first]
        self._need(anchor, first, local)
        return local + dot + rest

    def _choose(self, found: Reach) -> None:
        """Names of the user's come first, then one name for each root: `data`, or `data_` where some use sees another `data`."""
        places: dict[tuple[Anchor, str], list[ast.AST]] = {}
        for reference, node in found.uses:
            reference = self._rooted(reference)
            if self._own(reference, node) is None:
                places.setdefault((self._anchors.of(node), reference.partition(".")[0]), []).append(node)
        for (anchor, first), nodes in places.items():
            self._roots[anchor, first] = self._root(anchor, first, nodes)
            self._need(anchor, first, self._roots[anchor, first])

    def _rooted(self, reference: str) -> str:
        """The reference with the root that has it: not all of `nn` is MindSpore's own."""
        words = reference.split(".")
        if self._pure and words[0] == "nn" and len(words) > 1 and words[1] not in _PURE_NN:
            return f"runtime-{reference}"
        return reference

    def _root(self, anchor: Anchor, first: str, nodes: Iterable[ast.AST]) -> str:
        local = self._paths[first].rpartition(".")[2]
        while not all(self._usable(anchor, first, local, node) for node in nodes):
            local += "_"
        return local

    def _own(self, reference: str, node: ast.AST) -> str | None:
        """The reference through a name that the user imported: the API itself, or a module above it."""
        anchor = self._anchors.of(node)
        for prefix, local in self._candidates(reference, node):
            if self._usable(anchor, prefix, local, node):
                self._need(anchor, prefix, local)
                return local + reference[len(prefix) :]
        return None

    def _candidates(self, reference: str, node: ast.AST) -> Iterable[tuple[str, str]]:
        """Prefixes of the reference with the names that the user has for them, best first."""
        direct, is_same_name = self._direct(reference, node)
        if direct is not None and is_same_name:
            yield reference, direct
        words = reference.split(".")
        for length in range(len(words) - 1, 0, -1):
            prefix = ".".join(words[:length])
            for local in self._aliases.get(prefix, ()):
                yield prefix, local
        if direct is not None:
            yield reference, direct

    def _direct(self, reference: str, node: ast.AST) -> tuple[str | None, bool]:
        """The name that the user imported the API itself under, where this node is written with it; whether that is its name still."""
        name = node.func if isinstance(node, ast.Call) else node
        if not isinstance(name, ast.Name) or not isinstance(name.ctx, ast.Load):
            return None, False
        *modules, leaf = reference.split(".")
        meant = self._names.of(name)
        if meant is None or meant.startswith("builtins.") or not all(word.islower() for word in modules):
            return None, False
        binding = self._anchors.binding(name)
        if binding is None:
            return (leaf, leaf == name.id) if self._names.binder(name) is None else (None, False)
        if binding.target in MODULES or "." not in binding.target:
            return None, False
        alias = alias_of(binding)
        return alias.asname or leaf, alias.name == leaf

    def _module_aliases(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for binding in self._anchors.bindings:
            prefix = MODULES.get(binding.target)
            if prefix is not None and binding.local not in found.setdefault(prefix, []):
                found[prefix].append(binding.local)
        return found

    def _usable(self, anchor: Anchor, prefix: str, local: str, node: ast.AST) -> bool:
        """Whether `local` means nothing else where it is imported and where it is used."""
        if self._taken.get((anchor, local), prefix) != prefix:
            return False
        if local in _BUILTINS and local in self._free_standing:
            return False
        scope = self._names.scope(node)
        table = self._names.table
        home = (table.scope_of.get(anchor.block) if anchor.block is not None else None) or table.module
        for binder in (scope.binder(local), home if local in home.bindings else None):
            if binder is not None and not all(self._anchors.vanishing(n) for n in binder.bindings[local]):
                return False
        return True

    def _need(self, anchor: Anchor, prefix: str, local: str) -> None:
        if (anchor, prefix, local) in self._chosen:
            return
        self._taken[anchor, local] = prefix
        first, _, rest = prefix.partition(".")
        path = f"{self._paths[first]}.{rest}" if rest else self._paths[first]
        module, _, leaf = path.rpartition(".")
        self._chosen.add((anchor, prefix, local))
        self.imports.setdefault(anchor, set()).add((module, leaf, local) if module else (path, None, local))


def _vendored(path: str, package: str) -> str:
    """The path with the runtime under the name that it has in the output."""
    return package + path[len(_RUNTIME) :] if path.startswith(_RUNTIME + ".") else path
