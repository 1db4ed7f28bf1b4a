"""Infers kinds across functions, classes and files: runs units until no fact changes any more."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torch2ms.analysis.annotations import annotation_kind, instance_kind
from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.calls import call_unit
from torch2ms.analysis.cells import Cells, Key, Unit
from torch2ms.analysis.evaluate import Evaluator
from torch2ms.analysis.execute import Executor
from torch2ms.analysis.lattice import (
    BOTTOM,
    NONE,
    NUMBER,
    OTHER,
    TENSOR,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join,
    join_all,
    uncertain,
)
from torch2ms.analysis.names import Names
from torch2ms.analysis.project import ProjectFacts
from torch2ms.analysis.torch_objects import OPTIMIZER_STATE
from torch2ms.analysis.units import module_units

_MOST_RUNS = 8
_DEEPEST = 12
_ROOTS = ("__init__", "forward", "__getitem__", "__call__", "main")


class Engine:
    """One inference over one or more modules; `found` holds the kind of every expression when `keep` is set."""

    def __init__(self, project: ProjectFacts, files: Iterable[Names], keep: bool) -> None:
        self.project = project
        self.cells = Cells()
        self.found: dict[ast.AST, KindInfo] = {}
        self.units: dict[str, list[Unit]] = {}
        self.callers: dict[Unit, dict[Unit, None]] = {}
        self.method_names = frozenset(m for c in project.classes.values() for m in c.methods)
        self._keep = keep
        self._modules: dict[str, Unit] = {}
        self._by_node: dict[ast.AST, Unit] = {}
        self._depth = 0
        self._instances: dict[str, KindInfo] = {}
        self._definers: dict[tuple[str, str], list[str]] = {}
        for names in files:
            for unit in module_units(names):
                self._by_node[unit.node] = unit
                if isinstance(unit.node, ast.Module):
                    self._modules[names.module] = unit
                else:
                    self.units.setdefault(unit.qualified, []).append(unit)
            self._seed(names.module)

    def run(self) -> None:
        """Runs everything to the fixpoint."""
        for unit in self._modules.values():
            self.analyse(unit)
        self._drain()
        while True:
            waiting = [u for u in self._by_node.values() if not u.runs]
            for unit in sorted(waiting, key=_order):
                if not unit.runs:
                    self.analyse(unit)
                    self._drain()
            if not waiting and not self.cells.close(self._fallback):
                return
            self._drain()

    def analyse(self, unit: Unit) -> None:
        """Runs one unit with the facts as they stand."""
        self.cells.dirty.pop(unit, None)
        if unit.running or unit.runs > _MOST_RUNS:
            return
        unit.running = True
        if unit.owner is not None and not unit.runs:
            for name in self.definers(unit.owner, "__init__")[:1]:
                for initializer in self.named(name):
                    if not initializer.runs and initializer is not unit:
                        self.analyse(initializer)
        unit.runs += 1
        self._depth += 1
        executor = Executor(self, unit, self.found if self._keep else {})
        executor.run()
        self._depth -= 1
        unit.running = False
        if not isinstance(unit.node, ast.Module):
            result = executor.result()
            self.cells.write(("return", unit.qualified), unit, unit.runs, uncertain(result) if unit.wrapped else result)

    def kinds_inside(self, unit: Unit) -> dict[ast.AST, KindInfo]:
        """The kinds of the expressions of one unit, after the fixpoint."""
        found: dict[ast.AST, KindInfo] = {}
        Executor(self, unit, found).run()
        return found

    def result(self, unit: Unit, reader: Unit) -> KindInfo:
        """What calls of the unit give, which is run now if it never was."""
        if not unit.runs and self._depth < _DEEPEST:
            self.analyse(unit)
        return self.cells.read(("return", unit.qualified), reader)

    def call_method(
        self,
        ev: Evaluator,
        cls: str,
        method: str,
        args: list[KindInfo],
        keywords: dict[str, KindInfo] | None = None,
        call: Arguments | None = None,
    ) -> KindInfo | None:
        """What a method of an object of a class of the project gives; None where the project does not define it."""
        node, starred = (call.node, call.starred) if call is not None else (None, False)
        arguments = Arguments(node, args, keywords or {}, starred)
        found = [self.call_exactly(ev, name, cls, arguments) for name in self.definers(cls, method)]
        return join_all(found) if found else None

    def call_unit(self, ev: Evaluator, unit: Unit, arguments: Arguments) -> KindInfo:
        """Calls a function of the project."""
        return call_unit(ev, unit, arguments)

    def first_units(self, cls: str, method: str) -> list[Unit]:
        """The units of a method as objects of exactly this class have it."""
        return [unit for name in self.definers(cls, method)[:1] for unit in self.named(name)]

    def call_exactly(self, ev: Evaluator, name: str, cls: str, arguments: Arguments) -> KindInfo:
        """What one method, by its qualified name, gives on an object of a class."""
        units = self.named(name)
        if not units:
            facts = self.project.functions.get(name)
            return facts.returns if facts is not None and facts.returns is not None else UNKNOWN
        found = []
        for unit in units:
            bound = [] if unit.binding == "static" else [self.instance(cls)]
            given = Arguments(arguments.node, [*bound, *arguments.args], arguments.keywords, arguments.starred)
            found.append(call_unit(ev, unit, given))
        return join_all(found)

    def parameter(self, unit: Unit, arg: ast.arg) -> KindInfo:
        """The kind of a parameter: its annotation, else what call sites pass, else what its use shows."""
        name = arg.arg
        default = unit.defaults.get(name)
        if arg.annotation is not None:
            annotated = annotation_kind(arg.annotation, unit.names, self.project)
            if annotated.kind is not Kind.UNKNOWN:
                annotated = self._refined(unit, name, annotated)
                return join(annotated, NONE) if default is NONE else annotated
        passed = self.cells.read(("parameter", unit.qualified, name), unit)
        called = self.cells.read(("called", unit.qualified), unit) is not BOTTOM
        if passed is BOTTOM and default is not None:
            passed = default if default is NONE or called else uncertain(default)
        elif default is not None:
            passed = join(passed, default)
        shown = unit.evidence.get(name)
        if passed.kind is Kind.UNKNOWN or passed is NONE:
            if shown is not None:
                return join(shown, passed) if passed is NONE else shown
            return self._unknown_parameter(unit, name, passed)
        return passed

    def _refined(self, unit: Unit, name: str, annotated: KindInfo) -> KindInfo:
        """What call sites pass, where it says more than the annotation; UNKNOWN where it contradicts it."""
        passed = self.cells.read(("parameter", unit.qualified, name), unit)
        if not passed.known:
            return annotated
        return passed if passed.kind is annotated.kind else join(annotated, passed)

    def _unknown_parameter(self, unit: Unit, name: str, info: KindInfo) -> KindInfo:
        if info is BOTTOM and self._is_called(unit):
            return BOTTOM
        owner, method = unit.owner or "", unit.qualified.rpartition(".")[2]
        if owner and method == "__getitem__" and self.project.role(owner) in ("dataset", "sampler"):
            return NUMBER
        if owner and self.project.is_function(owner) and method == "backward":
            return KindInfo(Kind.TENSOR, optional=True)
        if type(info) is Origin:
            return info
        likely = bool(owner) and method == "forward" and self.project.is_module(owner)
        return Origin.of(unit, name, likely)

    def _is_called(self, unit: Unit) -> bool:
        """Whether some call site was seen."""
        cell = self.cells.get(("called", unit.qualified))
        return cell is not None and cell.value is not BOTTOM

    def prove(self, origin: Origin, info: KindInfo, always: bool) -> None:
        """Notes that a use of a parameter shows what it is; `always` where the use is on every path."""
        unit = origin.function
        assert isinstance(unit, Unit)
        old = unit.evidence.get(origin.parameter)
        new = info if always else uncertain(info)
        if old is None or new.certain and not old.certain:
            unit.evidence[origin.parameter] = new
            self.cells.dirty[unit] = None

    def unit_of(self, node: ast.AST) -> Unit:
        """The unit of a def or lambda."""
        return self._by_node[node]

    def named(self, qualified: str) -> list[Unit]:
        """The units of a qualified function name; several where branches define it differently."""
        return self.units.get(qualified, [])

    def instance(self, cls: str) -> KindInfo:
        """An object of a class of the project or of PyTorch."""
        info = self._instances.get(cls)
        if info is None:
            kind = instance_kind(cls, self.project)
            info = self._instances[cls] = TENSOR if kind is Kind.TENSOR else KindInfo(kind, cls=cls)
        return info

    def definers(self, cls: str, method: str) -> list[str]:
        """The qualified functions that a method call on an object of that class, or of one below it, can run."""
        key = (cls, method)
        found = self._definers.get(key)
        if found is None:
            classes = self.project.classes
            owners = [base for base in self.project.bases(cls) if base in classes and method in classes[base].methods][
                :1
            ]
            if method != "__init__" and cls in classes:
                owners += [name for name in self.project.subclasses(cls) if method in classes[name].methods]
            found = self._definers[key] = [f"{owner}.{method}" for owner in owners]
        return found

    def attributes(self, cls: str) -> set[str]:
        """The attributes that the class, its bases and its subclasses assign or define."""
        owners = [self.project.classes.get(name) for name in (*self.project.bases(cls), *self.project.subclasses(cls))]
        return {a for facts in owners if facts is not None for a in (*facts.assigned, *facts.methods)}

    def expects(self, owner: str, attr: str) -> bool:
        """Whether a method of the class, run by this inference, assigns the attribute."""
        facts = self.project.classes.get(owner)
        return facts is not None and attr in facts.assigned and facts.module in self._modules

    def has_module(self, module: str) -> bool:
        """Whether this inference runs the module."""
        return module in self._modules

    def _fallback(self, key: Key) -> KindInfo:
        if key[0] == "attribute":
            return UNKNOWN if self.expects(str(key[1]), str(key[2])) or key[1] == OPTIMIZER_STATE.cls else BOTTOM
        if key[0] == "parameter":
            return BOTTOM if not self._is_called_name(str(key[1])) else UNKNOWN
        if key[0] == "called":
            return BOTTOM
        return NONE if key[0] == "return" else UNKNOWN

    def _is_called_name(self, qualified: str) -> bool:
        return any(self._is_called(unit) for unit in self.named(qualified))

    def _drain(self) -> None:
        while self.cells.dirty:
            self.analyse(next(iter(self.cells.dirty)))

    def _seed(self, module: str) -> None:
        """Takes over what an inference over the whole project found for this module."""
        facts = self.project.modules.get(module)
        if facts is None or not facts.inferred:
            return
        for name, info in facts.variables.items():
            self.cells.seed(("variable", module, name), info)
        for qualified in self.units:
            function = self.project.functions.get(qualified)
            if function is not None:
                if function.called:
                    self.cells.seed(("called", qualified), OTHER)
                for name, info in function.kinds.items():
                    self.cells.seed(("parameter", qualified, name), info)
        for name, cls in self.project.classes.items():
            if cls.module == module:
                for attr, info in cls.attributes.items():
                    self.cells.seed(("attribute", name, attr), info)


def _order(unit: Unit) -> tuple[int, bool]:
    last = unit.qualified.rpartition(".")[2]
    return (_ROOTS.index(last) if last in _ROOTS else len(_ROOTS), last.startswith("_"))
