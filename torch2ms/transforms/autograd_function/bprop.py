"""The edits that turn one autograd.Function into a Cell with bprop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.edits import Def, DropDecorator, Edit, Item, Keep, New, Rename, Replace, Splice
from torch2ms.transforms.autograd_function.needs import NeedsInputGrad
from torch2ms.transforms.autograd_function.origins import Origins, Step
from torch2ms.transforms.autograd_function.saved import Declined, Saved, Used, read_saved, read_used
from torch2ms.transforms.autograd_function.shape import Shape


@dataclass(slots=True)
class _Names:
    """The names that bprop gives to the output and to the incoming gradients."""

    out: str
    dout: str


def bprop_edits(shape: Shape, facts: Facts) -> list[Edit]:
    """The edits of forward and backward; raises Declined with the reason where the Cell form is not sound."""
    saved = read_saved(shape.forward, shape.ctx)
    used = read_used(shape.backward, shape.backward_ctx)
    outputs = shape.outputs()
    names = _Names(_fresh("out", shape), _fresh("dout", shape))
    origins = Origins(shape.forward, shape.inputs, outputs, facts)
    _check_constants(shape, saved, outputs)
    needs = NeedsInputGrad(shape, used)
    edits: list[Edit] = [*_construct(shape, saved), *needs.edits]
    values = _Values(shape, saved, used, origins, names)
    edits += values.replacements()
    edits.append(Splice(shape.backward, (_bprop(shape, used, needs, values, names, len(outputs)),)))
    return edits


def _construct(shape: Shape, saved: Saved) -> Iterator[Edit]:
    for stmt in saved.statements:
        yield Splice(stmt, ())
    yield Rename(shape.forward, "construct")
    for decorator in shape.forward.decorator_list:
        yield DropDecorator(decorator)
    first = shape.forward.args.args[0]
    if first.arg != "self":
        yield Rename(first, "self")


class _Values:
    """How bprop gets at each saved value."""

    def __init__(self, shape: Shape, saved: Saved, used: Used, origins: Origins, names: _Names) -> None:
        self._shape, self._saved, self._used = shape, saved, used
        self._origins, self._names = origins, names
        self._own = set(shape.gradients)
        self._attribute_steps: list[Step] = []
        self._attribute_texts: dict[str, tuple[str, tuple[ast.expr, ...]]] = {}
        for attribute in dict.fromkeys(used.attributes.values()):
            self._attribute_texts[attribute] = self._attribute(attribute)

    def replacements(self) -> Iterator[Edit]:
        """Edits of the places in backward that read ctx."""
        for node, attribute in self._used.attributes.items():
            yield Replace(node, *self._attribute_texts[attribute])
        for subscript, i in self._used.subscripts.items():
            yield Replace(subscript, self._saved_name(i))

    def before(self) -> list[Step]:
        """What must stand at the start of bprop."""
        steps = list(self._attribute_steps)
        for i in self._used.subscripts.values():
            steps += self._steps_of(self._tensor(i))
        return _unique(steps)

    def unpacking(self, stmt: ast.stmt) -> list[Step]:
        """What stands for `a, b = ctx.saved_tensors`."""
        steps: list[Step] = []
        for local, i in self._used.unpacked.items():
            value = self._tensor(i)
            mine = self._steps_of(value)
            if isinstance(value, ast.Name):
                steps += mine
                if value.id != local:
                    steps.append(Step(local, value.id))
            else:
                steps += [*mine, Step(local, "$0", (value,))]
        return _unique(steps)

    def _tensor(self, i: int) -> ast.expr:
        if not -len(self._saved.tensors) <= i < len(self._saved.tensors):
            raise Declined("backward unpacks more tensors than forward saved")
        return self._saved.tensors[i]

    def _saved_name(self, i: int) -> str:
        value = self._tensor(i)
        if not isinstance(value, ast.Name):
            raise Declined("saved_tensors is indexed where an expression was saved")
        return value.id

    def _steps_of(self, value: ast.expr) -> list[Step]:
        if isinstance(value, ast.Name):
            return self._clear(self._origins.steps(value.id, self._names.out))
        if isinstance(value, ast.Constant):
            return []
        return self._clear(self._origins.needed(value, self._names.out))

    def _clear(self, steps: list[Step]) -> list[Step]:
        for step in steps:
            if step.name in self._own:
                raise Declined(f"{step.name} names a gradient in backward and a value in forward")
        return steps

    def _attribute(self, attribute: str) -> tuple[str, tuple[ast.expr, ...]]:
        value = self._saved.attributes.get(attribute)
        if value is None:
            if self._shape.static:
                raise Declined(f"backward reads ctx.{attribute}, which forward does not set")
            return f"self.{attribute}", ()
        steps = self._steps_of(value)
        self._attribute_steps += steps
        if isinstance(value, (ast.Name, ast.Constant)):
            return ast.unparse(value), ()
        local = attribute if attribute not in self._taken() else f"{attribute}_"
        if local in self._taken():
            raise Declined(f"no free name for ctx.{attribute}")
        self._attribute_steps.append(Step(local, "$0", (value,)))
        return local, ()

    def _taken(self) -> set[str]:
        bodies = (self._shape.forward, self._shape.backward)
        return (
            {n.id for f in bodies for n in ast.walk(f) if isinstance(n, ast.Name)} | set(self._shape.inputs) | self._own
        )


def _unique(steps: list[Step]) -> list[Step]:
    return list(dict.fromkeys(steps))


def _bprop(shape: Shape, used: Used, needs: NeedsInputGrad, values: _Values, names: _Names, outputs: int) -> Def:
    gradients = shape.gradients
    if outputs > 1 and len(gradients) != outputs or outputs == 1 and len(gradients) != 1:
        raise Declined("backward takes another number of gradients than forward has outputs")
    several = outputs > 1
    incoming = [names.dout] if several else gradients
    header = f"bprop({', '.join(['self', *shape.inputs, names.out, *incoming])})"
    body: list[Item] = []
    docstring = ast.get_docstring(shape.backward) is not None
    stmts = shape.backward.body
    if docstring:
        body.append(Keep(stmts[0]))
    if several:
        body.append(New(f"{', '.join(gradients)} = {names.dout}"))
    body += map(_new, values.before())
    for stmt in stmts[1 if docstring else 0 :]:
        if stmt in used.statements:
            body += map(_new, values.unpacking(stmt))
        else:
            body += needs.items(stmt)
    return Def(header, tuple(body))


def _new(step: Step) -> New:
    return New(f"{step.name} = {step.template}", step.parts)


def _fresh(name: str, shape: Shape) -> str:
    taken = {*shape.inputs, *shape.gradients}
    taken |= {n.id for n in ast.walk(shape.backward) if isinstance(n, ast.Name)}
    while name in taken:
        name += "_"
    return name


def _check_constants(shape: Shape, saved: Saved, outputs: list[ast.expr]) -> None:
    """A non-differentiable output must not have its gradient used: PyTorch hands zeros there."""
    marked = {ast.unparse(value) for value in saved.constants}
    for output, gradient in zip(outputs, shape.gradients, strict=False):
        if ast.unparse(output) in marked:
            read = any(isinstance(n, ast.Name) and n.id == gradient for s in shape.backward.body for n in ast.walk(s))
            if read:
                raise Declined("backward reads the gradient of an output that is marked as non-differentiable")
