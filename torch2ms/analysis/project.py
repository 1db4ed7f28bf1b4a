"""What one file needs to know of the others: modules, classes, functions. Plain data, can be pickled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from torch2ms.analysis.canonical import canonical, is_torch, star_names
from torch2ms.analysis.habits import Habits
from torch2ms.analysis.lattice import KindInfo

# base class -> the word that ClassFacts.role gives its subclasses
ROLES = {
    "torch.nn.Module": "module",
    "torch.jit.ScriptModule": "module",
    "torch.optim.Optimizer": "optimizer",
    "torch.utils.data.Dataset": "dataset",
    "torch.utils.data.IterableDataset": "dataset",
    "torch.utils.data.DataLoader": "loader",
    "torch.utils.data.Sampler": "sampler",
    "torch.autograd.Function": "function",
    "torch.optim.lr_scheduler.LRScheduler": "scheduler",
    "torch.optim.lr_scheduler.ReduceLROnPlateau": "scheduler",
    "torch.Tensor": "tensor",
    "torch.nn.Parameter": "tensor",
}


@dataclass(slots=True)
class ModuleFacts:
    """One file of the project as a namespace."""

    name: str
    path: str = ""
    is_package: bool = False
    exports: dict[str, str] = field(default_factory=dict)  # names that stand for something defined elsewhere
    defines: frozenset[str] = frozenset()  # every name bound at the top level
    stars: tuple[str, ...] = ()  # modules it star-imports
    all_names: frozenset[str] | None = None  # __all__, where it is a literal
    variables: dict[str, KindInfo] = field(default_factory=dict)  # kinds of its global variables
    left_alone: frozenset[str] = frozenset()  # definitions that a comment keeps from conversion and that use PyTorch
    inferred: bool = False  # whether `variables` and the kinds of its classes and functions are filled in


@dataclass(frozen=True, slots=True)
class CallEffects:
    """Names of parameters, `self` among them; what is reached through an argument counts as the argument.

    writes: whose storage may be written in place.  flagged: those of them that only calls with an `inplace` write, whose
    value the run tells.  shares: with which the result may share storage.
    keeps: what stays reachable from somewhere else after the call.  outside: the result may share with something else that is
    not an argument.
    """

    writes: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()
    keeps: frozenset[str] = frozenset()
    outside: bool = False
    flagged: frozenset[str] = frozenset()

    @classmethod
    def anything(cls, parameters: Iterable[str]) -> CallEffects:
        """What nothing is known of."""
        every = frozenset(parameters)
        return cls(every, every, every, True)


@dataclass(slots=True)
class FunctionFacts:
    """One function or method: the kinds that call sites pass and that returns give (a generator: of what it yields)."""

    name: str
    parameters: tuple[str, ...] = ()
    kinds: dict[str, KindInfo] = field(default_factory=dict)
    returns: KindInfo | None = None
    binding: str = ""  # "self", "class" or "static" for a method
    called: bool = False  # whether the project has a call of it
    constructing: bool = False  # whether it runs only while objects are made
    effects: CallEffects | None = None  # on the storages of its arguments, where they were found out
    gradients: bool = False  # whether its text uses, drops or clips gradients
    backward: bool = False  # whether its text makes gradients


@dataclass(slots=True)
class ClassFacts:
    """One class: its bases (canonical names), what it defines, and the kinds of its attributes."""

    name: str
    module: str = ""
    bases: tuple[str, ...] = ()
    methods: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    fields: tuple[str, ...] = ()  # annotated names of a data class or NamedTuple, in order
    assigned: frozenset[str] = frozenset()  # attributes that its methods or its body assign
    attributes: dict[str, KindInfo] = field(default_factory=dict)


@dataclass(slots=True)
class ProjectFacts:
    """The cross-file facts of a project; a lone file is a project of one module."""

    modules: dict[str, ModuleFacts] = field(default_factory=dict)
    classes: dict[str, ClassFacts] = field(default_factory=dict)
    functions: dict[str, FunctionFacts] = field(default_factory=dict)
    habits: Habits = field(default_factory=Habits)
    # derived from `modules` when first asked for
    _uses_torch: bool | None = None
    _folders: frozenset[str] | None = None
    _subclasses: dict[str, list[str]] | None = None
    _resolved: dict[str, str] = field(default_factory=dict, repr=False)
    _bases: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def settle(self) -> None:
        """Drops what was remembered of names, after modules or classes were added."""
        self._resolved.clear()
        self._bases.clear()
        self._subclasses = self._folders = None

    @property
    def uses_torch(self) -> bool:
        """Whether any module of the project imports from PyTorch at its top level."""
        if self._uses_torch is None:
            targets = (name for module in self.modules.values() for name in (*module.exports.values(), *module.stars))
            self._uses_torch = any(is_torch(canonical(name)) for name in targets)
        return self._uses_torch

    def absolute(self, module: str, importer: str) -> str:
        """The project module that `import module` in `importer` reaches; `module` itself where the project has none.

        A script sees its own folder first, a package's files see the roots above the package. No file called torch.py beside
        the importer is meant by `import torch`: with it PyTorch could not be imported at all.
        """
        if not module or not self.modules:
            return module
        parts = importer.split(".")[:-1]
        folders = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
        scripts = [f for f in folders if not (f in self.modules and self.modules[f].is_package)]
        packages = [f for f in folders if f not in scripts]
        for folder in ("",) if is_torch(module) else (*scripts, "", *packages):
            candidate = f"{folder}.{module}" if folder else module
            if candidate in self.modules or self._has_folder(candidate):
                return candidate
        return module

    def resolve(self, name: str) -> str:
        """Follows re-exports inside the project: `pkg.utils.nn.Linear` -> `torch.nn.Linear`."""
        found = self._resolved.get(name)
        if found is None:
            found = name
            for _ in range(20):
                followed = self._follow(found)
                if followed is None:
                    break
                found = canonical(followed)
            self._resolved[name] = found
        return found

    def exports_star(self, module: str, name: str) -> bool:
        """Whether `from module import *` brings `name`, for a module of the project."""
        return self._exports_star(module, name, ())

    def bases(self, name: str) -> tuple[str, ...]:
        """The class and its bases, nearest first, through the classes of the project."""
        found = self._bases.get(name)
        if found is None:
            seen: list[str] = []
            todo = [name]
            while todo:
                current = self.resolve(todo.pop(0))
                if current not in seen:
                    seen.append(current)
                    facts = self.classes.get(current)
                    todo = [*(facts.bases if facts is not None else ()), *todo]
            found = self._bases[name] = tuple(seen)
        return found

    def subclasses(self, name: str) -> list[str]:
        """The classes of the project below a class."""
        if self._subclasses is None:
            self._subclasses = {}
            for cls in self.classes:
                for base in self.bases(cls):
                    if base != cls:
                        self._subclasses.setdefault(base, []).append(cls)
        return self._subclasses.get(name, [])

    def role(self, name: str) -> str | None:
        """`module`, `optimizer`, `scheduler`, `dataset`, `loader`, `sampler`, `function`, `tensor` or None."""
        for base in self.bases(name):
            role = ROLES.get(base) or torch_role(base)
            if role is not None:
                return role
        return None

    def method(self, cls: str, method: str) -> FunctionFacts | None:
        """The function that `method` of an instance of `cls` runs, where the project defines it."""
        for base in self.bases(cls):
            facts = self.classes.get(base)
            if facts is not None and method in facts.methods:
                return self.functions.get(f"{base}.{method}")
        return None

    def attribute(self, cls: str, attribute: str) -> KindInfo | None:
        """The kind of an attribute of instances of `cls`."""
        for base in self.bases(cls):
            facts = self.classes.get(base)
            if facts is not None and attribute in facts.attributes:
                return facts.attributes[attribute]
        return None

    def is_module(self, name: str) -> bool:
        """Whether the class is a torch.nn.Module, through whatever bases."""
        return self.role(name) == "module"

    def is_optimizer(self, name: str) -> bool:
        """Whether the class is a torch.optim.Optimizer."""
        return self.role(name) == "optimizer"

    def is_dataset(self, name: str) -> bool:
        """Whether the class is a torch.utils.data.Dataset."""
        return self.role(name) == "dataset"

    def is_function(self, name: str) -> bool:
        """Whether the class is a torch.autograd.Function."""
        return self.role(name) == "function"

    def is_scheduler(self, name: str) -> bool:
        """Whether the class is a learning rate scheduler."""
        return self.role(name) == "scheduler"

    def _has_folder(self, name: str) -> bool:
        if self._folders is None:
            self._folders = frozenset(
                module[:end] for module in self.modules for end, char in enumerate(module) if char == "."
            )
        return name in self._folders

    def _follow(self, name: str) -> str | None:
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = self.modules.get(".".join(parts[:length]))
            if module is None:
                continue
            attribute, rest = parts[length], parts[length + 1 :]
            target = module.exports.get(attribute)
            if target is None and attribute not in module.defines:
                target = self._from_stars(module, attribute, ())
            if target is None:
                return None
            target = ".".join([self.absolute(target, module.name), *rest])
            return target if target != name else None
        return None

    def _from_stars(self, module: ModuleFacts, name: str, seen: tuple[str, ...]) -> str | None:
        for star in reversed(module.stars):
            source = self.absolute(star, module.name)
            known = star_names(source)
            if (
                known is not None
                and name in known
                or known is None
                and self._exports_star(source, name, (*seen, module.name))
            ):
                return f"{source}.{name}"
        return None

    def _exports_star(self, module: str, name: str, seen: tuple[str, ...]) -> bool:
        facts = self.modules.get(module)
        if facts is None or module in seen:
            return False
        if facts.all_names is not None:
            return name in facts.all_names
        if name.startswith("_"):
            return False
        return name in facts.defines or self._from_stars(facts, name, seen) is not None


def torch_role(name: str) -> str | None:
    """The role of a class of PyTorch by its canonical name."""
    head, _, last = name.rpartition(".")
    if head == "torch.nn" and last[:1].isupper():
        return None if last in ("Parameter", "Buffer", "UninitializedParameter") else "module"
    if head.startswith("einops.layers."):
        return "module"
    if head == "torch.optim.lr_scheduler":
        return "scheduler"
    if head in ("torch.optim", "torch.distributed.optim") and last[:1].isupper():
        return "optimizer"
    if head == "torchvision.datasets" or head == "torch.utils.data" and (last.endswith("Dataset") or last == "Subset"):
        return "dataset"
    return None
