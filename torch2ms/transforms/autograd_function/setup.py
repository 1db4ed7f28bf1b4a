"""What a Function with setup_context saves: names of setup_context, told by inputs and outputs of forward."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.autograd_function.origins import Origins, Step
from torch2ms.transforms.autograd_function.saved import Declined, Saved
from torch2ms.transforms.autograd_function.shape import Shape

_OUT = "\0"  # stands for the name of the output, which is chosen later


class SetupOrigins(Origins):
    """The values of one setup_context, by name."""

    def __init__(self, shape: Shape, saved: Saved, facts: Facts) -> None:
        assert shape.setup is not None
        parameters = [a.arg for a in shape.setup.args.args]
        if len(parameters) != 3:
            raise Declined("setup_context does not take ctx, inputs and output")
        _, self._all_inputs, self._output = parameters
        super().__init__(shape.setup, parameters[1:], [], facts)
        self._shape = shape
        self._bound: dict[str, str] = {}
        for stmt in shape.setup.body:
            if stmt not in saved.statements and not _is_docstring(stmt):
                self._statement(stmt)
        written = self.changed_in(shape.forward) & set(shape.names)
        if written:
            raise Declined(f"forward writes its input {min(written)} in place")

    def output_index(self, value: ast.expr) -> int | None:
        """The position of the output that an expression of setup_context stands for; None where it is another thing."""
        text = self._bound.get(value.id) if isinstance(value, ast.Name) else self._item(value)
        if text is None or not text.startswith(f"{_OUT}["):
            return None
        return int(text[2:-1])

    def steps(self, name: str, out: str) -> list[Step]:
        """The statements that make a name of setup_context available in bprop."""
        if name in self._bound:
            if self.stores[name] != 1 or name in self.mutated:
                raise Declined(f"{name} is changed before it is saved")
            return _alias(name, self._bound[name].replace(_OUT, out))
        if name == self._all_inputs:
            shown = ", ".join(self._shape.parameters)
            return [Step(name, f"({shown}{',' if len(self._shape.parameters) == 1 else ''})")]
        if name == self._output:
            return _alias(name, out)
        return super().steps(name, out)

    def _statement(self, stmt: ast.stmt) -> None:
        """Note what a statement binds; what does anything else can not go away with setup_context."""
        match stmt:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Name(id=source)) if source in (
                self._all_inputs,
                self._output,
            ):
                if source == self._all_inputs and len(targets) != len(self._shape.parameters):
                    raise Declined("setup_context unpacks another number of inputs than forward has")
                for i, target in enumerate(targets):
                    self._bind(target, i, source)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                item = self._item(value)
                if item is not None:
                    self._keep(name, item)
                elif isinstance(value, ast.Name) and value.id == self._output:
                    self._keep(name, _OUT)
                else:
                    self.check(value)
            case _:
                raise Declined(f"setup_context does more than to save, in line {stmt.lineno}")

    def _bind(self, target: ast.expr, i: int, source: str) -> None:
        starred = source == self._all_inputs and i == len(self._shape.inputs)
        match target:
            case ast.Starred(value=ast.Name(id=name)) if starred and self._shape.rest is not None:
                self._keep(name, self._shape.rest)
            case ast.Name(id=name) if source == self._output:
                self._keep(name, f"{_OUT}[{i}]")
            case ast.Name(id=name) if not starred:
                self._keep(name, self._shape.inputs[i])
            case _:
                raise Declined("setup_context unpacks its arguments in a way that is not followed")

    def item(self, value: ast.expr, out: str) -> str | None:
        """What stands in bprop for `inputs[0]` or `output[1]`; None for other expressions."""
        text = self._item(value)
        return None if text is None else text.replace(_OUT, out)

    def _item(self, value: ast.expr) -> str | None:
        match value:
            case ast.Subscript(value=ast.Name(id=source), slice=ast.Constant(value=int(i))) if i >= 0:
                if source == self._all_inputs:
                    inputs, rest = self._shape.inputs, self._shape.rest
                    return inputs[i] if i < len(inputs) else f"{rest}[{i - len(inputs)}]" if rest else None
                if source == self._output:
                    return f"{_OUT}[{i}]"
                if self._shape.rest is not None and self._bound.get(source) == self._shape.rest:
                    return f"{self._shape.rest}[{i}]"
        return None

    def _is_value(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in (self._all_inputs, self._output) or super()._is_value(node)

    def _keep(self, name: str, text: str) -> None:
        if name in self._shape.names and text != name:
            raise Declined(f"{name} means one thing in forward and another in setup_context")
        self._bound[name] = text


def _alias(name: str, text: str) -> list[Step]:
    return [] if text == name else [Step(name, text)]


def _is_docstring(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
