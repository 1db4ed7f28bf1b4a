"""The edits that turn one autograd.Function into a Cell with bprop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.edits import Def, DropDecorator, Edit, Item, Keep, New, Rename, Splice
from torch2ms.transforms.autograd_function.needs import NeedsInputGrad
from torch2ms.transforms.autograd_function.origins import Origins, Step
from torch2ms.transforms.autograd_function.saved import Declined, Saved, Used, names, read_saved, read_used
from torch2ms.transforms.autograd_function.setup import SetupOrigins
from torch2ms.transforms.autograd_function.shape import Shape
from torch2ms.transforms.autograd_function.values import Values


def bprop_edits(shape: Shape, facts: Facts) -> list[Edit]:
    """The edits of forward and backward; raises Declined with the reason where the Cell form is not sound."""
    both = set(shape.names) & set(shape.gradients)
    if both:
        raise Declined(f"{min(both)} names an argument of forward and a gradient in backward")
    saved = read_saved(shape.saver, shape.ctx, shape.static)
    used = read_used(shape.backward, shape.backward_ctx)
    outputs = shape.outputs()
    if shape.any_gradients and len(outputs) == 1 and facts.kinds.of(outputs[0]).kind not in TENSOR_KINDS:
        raise Declined("it is not known how many gradients backward gets")
    if any(facts.kinds.of(output).kind in (Kind.SEQUENCE, Kind.MAPPING) for output in outputs):
        raise Declined("forward returns a container")
    origins: Origins
    if shape.setup is None:
        origins = Origins(shape.forward, shape.names, outputs, facts)
    else:
        origins = SetupOrigins(shape, saved, facts)
    _check_constants(shape, saved, outputs, origins)
    _check_gradients(shape)
    if shape.once:
        _check_differentiable(shape, origins, facts)
    needs = NeedsInputGrad(shape, used)
    values = Values(shape, saved, used, origins, _fresh("out", shape))
    new = Splice(shape.backward, (_bprop(shape, used, needs, values, len(outputs)),))
    if origins.repeated and facts.project.habits.differentiates_twice:
        raise Declined(
            "what forward saved is no constant when bprop computes it again, and the project differentiates twice"
        )
    return [*_construct(shape, saved), *needs.edits, *values.replacements(), new]


def _construct(shape: Shape, saved: Saved) -> Iterator[Edit]:
    first = shape.forward.args.args[0] if shape.setup is None else None
    if first is None or first.annotation is not None:
        if shape.setup is not None:
            yield Splice(shape.setup, ())
        yield _written_anew(shape, saved)
        return
    for stmt in saved.statements:
        yield Splice(stmt, ())
    yield Rename(shape.forward, "construct")
    for decorator in shape.forward.decorator_list:
        yield DropDecorator(decorator)
    if first.arg != "self":
        yield Rename(first, "self")


def _written_anew(shape: Shape, saved: Saved) -> Splice:
    """construct, where the first parameter of forward is no context that could simply be renamed."""
    forward = shape.forward
    parts: list[ast.expr] = []

    def part(node: ast.expr) -> str:
        parts.append(node)
        return f"${len(parts) - 1}"

    plain = forward.args.args
    defaults = [None] * (len(plain) - len(forward.args.defaults)) + list(forward.args.defaults)
    parameters = ["self"]
    for arg, default in list(zip(plain, defaults, strict=True))[len(plain) - len(shape.inputs) :]:
        annotation = f": {part(arg.annotation)}" if arg.annotation is not None else ""
        equals = " = " if annotation else "="
        parameters.append(arg.arg + annotation + (f"{equals}{part(default)}" if default is not None else ""))
    if forward.args.vararg is not None:
        parameters.append(f"*{forward.args.vararg.arg}")
    result = f" -> {part(forward.returns)}" if forward.returns is not None else ""
    body = tuple(Keep(stmt) for stmt in forward.body if stmt not in saved.statements)
    return Splice(forward, (Def(f"construct({', '.join(parameters)}){result}", body, parts=tuple(parts)),))


def _bprop(shape: Shape, used: Used, needs: NeedsInputGrad, values: Values, outputs: int) -> Def:
    stmts = shape.backward.body
    documented = ast.get_docstring(shape.backward) is not None
    body: list[Item] = [Keep(stmts[0])] if documented else []
    header, first = _signature(shape, outputs)
    body += map(New, first)
    body += map(_new, values.before())
    for stmt in stmts[1 if documented else 0 :]:
        if stmt in used.statements:
            body += map(_new, values.unpacking(stmt))
        else:
            body += needs.items(stmt)
    return Def(header, tuple(body))


def _signature(shape: Shape, outputs: int) -> tuple[str, list[str]]:
    """The header of bprop, and the statements that give its arguments the names that backward used."""
    gradients, several = shape.gradients, outputs > 1
    if not shape.any_gradients and len(gradients) != outputs:
        raise Declined("backward takes another number of gradients than forward has outputs")
    out, first = _fresh("out", shape), []
    if shape.any_gradients:
        (incoming,) = gradients if several else (_fresh("dout", shape),)
        first += [] if several else [f"{gradients[0]} = ({incoming},)"]
    else:
        (incoming,) = (_fresh("dout", shape),) if several else gradients
        first += [f"{', '.join(gradients)} = {incoming}"] if several else []
    if shape.rest is None:
        return f"bprop({', '.join(['self', *shape.inputs, out, incoming])})", first
    rest = shape.rest
    first.insert(0, f"{rest}, {out}, {incoming} = {rest}[:-2], {rest}[-2], {rest}[-1]")
    return f"bprop({', '.join(['self', *shape.parameters])})", first


def _new(step: Step) -> New:
    return New(f"{step.name} = {step.template}", step.parts)


def _fresh(name: str, shape: Shape) -> str:
    taken = {*shape.names, *shape.gradients}
    taken |= {n.id for f in (shape.backward, shape.saver) for n in ast.walk(f) if isinstance(n, ast.Name)}
    if shape.setup is not None and name == "out" and (own := shape.setup.args.args[-1].arg) not in shape.names:
        if not any(True for _ in names(shape.backward.body, own)):
            return own
    while name in taken:
        name += "_"
    return name


def _check_constants(shape: Shape, saved: Saved, outputs: list[ast.expr], origins: Origins) -> None:
    """A non-differentiable output must not have its gradient used: PyTorch hands zeros there."""
    marked = {ast.unparse(value) for value in saved.constants}
    shown = [ast.unparse(output) for output in outputs]
    if isinstance(origins, SetupOrigins):
        found = [origins.output_index(value) for value in saved.constants]
        if None in found:
            raise Declined("it is not known which output is marked as non-differentiable")
        marked, shown = {str(i) for i in found}, [str(i) for i in range(len(outputs))]
    if marked and shape.any_gradients:
        raise Declined("backward may read the gradient of an output that is marked as non-differentiable")
    for output, gradient in zip(shown, shape.gradients, strict=False):
        if output in marked and any(True for _ in names(shape.backward.body, gradient)):
            raise Declined("backward reads the gradient of an output that is marked as non-differentiable")


def _check_gradients(shape: Shape) -> None:
    """MindSpore raises where a bprop has no gradient at all."""
    for node in (n for stmt in shape.backward.body for n in ast.walk(stmt)):
        if isinstance(node, ast.Return) and (node.value is None or _may_be_none(node.value)):
            raise Declined("backward may return no gradient")


def _may_be_none(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=None):
            return True
        case ast.Tuple(elts=elements):
            return all(map(_may_be_none, elements))
        case ast.IfExp(body=body, orelse=orelse):
            return _may_be_none(body) or _may_be_none(orelse)
    return False


_CUTS = frozenset("detach data item tolist numpy cpu".split())


def _check_differentiable(shape: Shape, origins: Origins, facts: Facts) -> None:
    """What is marked with once_differentiable raises when it is differentiated again; so must what cuts the gradient."""
    for node in (n for stmt in shape.backward.body for n in ast.walk(stmt)):
        cut = isinstance(node, ast.With) or isinstance(node, ast.Attribute) and node.attr in _CUTS
        if (
            cut
            or (facts.names.of(node) or "").startswith("numpy.")
            or isinstance(node, ast.Call)
            and not origins.is_pure(node)
        ):
            raise Declined("backward is marked with once_differentiable and may cut the gradient")
