"""How bprop gets at each value that forward saved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.edits import Edit, Replace
from torch2ms.transforms.autograd_function.origins import Origins, Step
from torch2ms.transforms.autograd_function.saved import Declined, Saved, Used, names
from torch2ms.transforms.autograd_function.shape import Shape


class Values:
    """The statements and replacements that stand for what backward reads from the context; `out` names the output."""

    def __init__(self, shape: Shape, saved: Saved, used: Used, origins: Origins, out: str) -> None:
        self._shape, self._saved, self._used = shape, saved, used
        self._origins, self._out = origins, out
        self._own = set(shape.gradients)
        self._bound = _stored(s for s in shape.backward.body if s not in used.statements)
        self._first: list[Step] = []  # what must stand at the start of bprop
        self._edits: list[Edit] = []
        self._attributes()
        self._subscripts()
        self._whole()
        _check_free_names(shape, {s.name for s in self._first})

    def replacements(self) -> Iterator[Edit]:
        """Edits of the places in backward that read ctx."""
        return iter(self._edits)

    def before(self) -> list[Step]:
        """What must stand at the start of bprop."""
        return _unique(self._first)

    def unpacking(self, stmt: ast.stmt) -> list[Step]:
        """What stands for `a, b = ctx.saved_tensors`."""
        steps: list[Step] = []
        for local, i in self._used.unpacked.items():
            steps += self._unpacked(local, i)
        if self._used.rest is not None:
            steps += self._rest(self._used.rest, len(self._used.unpacked))
        steps = _unique(steps)
        body = self._shape.backward.body
        earlier = _stored(body[: body.index(stmt)])
        if earlier & {*self._shape.names, *(s.name for s in steps)}:
            raise Declined("backward binds names of forward before it reads saved_tensors")
        _check_free_names(self._shape, {s.name for s in steps})
        return steps

    # -- single values ----------------------------------------------------------------------------------------------------

    def _unpacked(self, local: str, i: int) -> list[Step]:
        starred = self._starred(i)
        if starred is not None:
            return [*self._steps_of(starred[0]), Step(local, f"{starred[0].id}[{starred[1]}]")]
        value = self._tensor(i)
        item = self._origins.item(value, self._out)
        if item is not None:
            return [] if item == local else [Step(local, item)]
        steps = self._steps_of(value)
        if isinstance(value, ast.Name):
            renamed = [] if value.id == local else [Step(local, value.id)]
            return [*steps, *renamed]
        return [*steps, Step(local, "$0", (value,))]

    def _rest(self, local: str, start: int) -> list[Step]:
        tensors = self._saved.tensors
        if start > len(tensors):
            raise Declined("backward unpacks more tensors than forward saved")
        starred = self._starred(start)
        if starred is not None and not starred[1]:
            return [*self._steps_of(starred[0]), Step(local, f"list({starred[0].id})")]
        values = [self._named(i) for i in range(start, len(tensors))]
        steps = [step for value in values for step in self._steps_of(value)]
        return [*steps, Step(local, f"[{', '.join(value.id for value in values)}]")]

    def _starred(self, i: int) -> tuple[ast.Name, int] | None:
        """The starred name that holds the i-th saved tensor, and its place in it."""
        last = self._saved.tensors[-1] if self._saved.tensors else None
        if isinstance(last, ast.Starred) and i >= len(self._saved.tensors) - 1:
            assert isinstance(last.value, ast.Name)
            return last.value, i - len(self._saved.tensors) + 1
        return None

    def _tensor(self, i: int) -> ast.expr:
        if not -len(self._saved.tensors) <= i < len(self._saved.tensors):
            raise Declined("backward unpacks more tensors than forward saved")
        value = self._saved.tensors[i]
        if isinstance(value, ast.Starred) or i < 0 and isinstance(self._saved.tensors[-1], ast.Starred):
            raise Declined("saved_tensors is indexed from the end where a starred list was saved")
        return value

    def _named(self, i: int) -> ast.Name:
        value = self._tensor(i)
        if not isinstance(value, ast.Name):
            raise Declined("saved_tensors is indexed or used as a whole where an expression was saved")
        return value

    def _steps_of(self, value: ast.expr) -> list[Step]:
        if isinstance(value, ast.Constant):
            return []
        if isinstance(value, ast.Name):
            steps = self._origins.steps(value.id, self._out)
        else:
            steps = self._origins.needed(value, self._out)
        for step in steps:
            if step.name in self._own:
                raise Declined(f"{step.name} names a gradient in backward and a value in forward")
        return steps

    # -- the places that read ctx -----------------------------------------------------------------------------------------

    def _put(self, node: ast.expr, text: str, read: list[str], parts: tuple[ast.expr, ...] = ()) -> None:
        for name in read:
            if name in self._bound:
                raise Declined(f"backward binds {name} itself, which is also a value of forward")
        self._edits.append(Replace(node, text, parts))

    def _attributes(self) -> None:
        texts: dict[str, str] = {}
        for node, attribute in self._used.attributes.items():
            if attribute not in texts:
                texts[attribute] = self._attribute(attribute)
            text = texts[attribute]
            self._put(node, text, [] if text.startswith("self.") else [text.partition("[")[0]])

    def _attribute(self, attribute: str) -> str:
        value = self._saved.attributes.get(attribute)
        if value is None:
            if self._shape.static:
                raise Declined(f"backward reads ctx.{attribute}, which forward does not set")
            return f"self.{attribute}"
        item = self._origins.item(value, self._out)
        if item is not None:
            return item
        self._first += self._steps_of(value)
        if isinstance(value, (ast.Name, ast.Constant)):
            return ast.unparse(value)
        local = attribute if attribute not in self._taken() else f"{attribute}_"
        if local in self._taken():
            raise Declined(f"no free name for ctx.{attribute}")
        self._first.append(Step(local, "$0", (value,)))
        return local

    def _subscripts(self) -> None:
        for node, i in self._used.subscripts.items():
            starred = self._starred(i) if i >= 0 else None
            name = starred[0] if starred else self._named(i)
            self._first += self._steps_of(name)
            self._put(node, f"{name.id}[{starred[1]}]" if starred else name.id, [name.id])

    def _whole(self) -> None:
        if not self._used.whole:
            return
        tensors = self._saved.tensors
        if len(tensors) == 1 and isinstance(tensors[0], ast.Starred):
            (found,) = [n for n in [tensors[0].value] if isinstance(n, ast.Name)]
            text, values = found.id, [found]
        else:
            values = [self._named(i) for i in range(len(tensors))]
            text = f"({', '.join(v.id for v in values)}{',' if len(values) == 1 else ''})"
        for value in values:
            self._first += self._steps_of(value)
        for node in self._used.whole:
            self._put(node, text, [v.id for v in values])

    def _taken(self) -> set[str]:
        bodies = (self._shape.saver, self._shape.forward, self._shape.backward)
        found = {n.id for f in bodies for n in ast.walk(f) if isinstance(n, ast.Name)}
        return found | set(self._shape.names) | self._own


def _stored(stmts: Iterator[ast.stmt] | list[ast.stmt]) -> set[str]:
    return {
        n.id
        for stmt in stmts
        for n in ast.walk(stmt)
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del))
    }


def _check_free_names(shape: Shape, added: set[str]) -> None:
    """A name of an outer scope that backward reads must not be a parameter or a variable of bprop."""
    bound = _stored(shape.backward.body) | set(shape.gradients)
    for name in {*shape.names, *added} - bound:
        if any(True for _ in names(shape.backward.body, name)):
            raise Declined(f"{name} is a value of forward, and in backward a name of an outer scope")


def _unique(steps: list[Step]) -> list[Step]:
    return list(dict.fromkeys(steps))
