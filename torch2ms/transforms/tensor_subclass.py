"""Subclasses of `torch.Tensor`, whose instances have no counterpart: MindSpore's functions give plain tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Def, Insert, New, Provenance, unsupported
from torch2ms.source import Span

_ADVICE = "keep the tensor in an attribute of a class of your own, or override the operation where it is called"
_PROTOCOLS = ("__torch_dispatch__", "__torch_function__")


class TensorSubclass:
    """The class stays and can be asked about with isinstance; to make an instance of it raises."""

    name = "tensor_subclass"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """A claim for each class, and what there is to say about it."""
        for node in facts.names.parents:
            if type(node) is ast.ClassDef and not facts.skipped(node):
                base = next((base for base in node.bases if facts.names.of(base) == "torch.Tensor"), None)
                if base is not None:
                    yield from _refused(node, base)


def _refused(node: ast.ClassDef, base: ast.expr) -> Iterator[Claim | Diagnostic]:
    methods = {item.name: item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))}
    protocols = [methods[name] for name in _PROTOCOLS if name in methods]
    api = f"torch.Tensor.{protocols[0].name}" if protocols else "a subclass of torch.Tensor"
    for method in protocols:
        message = f"{node.name}: torch.Tensor.{method.name} has no counterpart in MindSpore"
        yield Diagnostic("T2M101", Span.of(method), message, _ADVICE)
    if not protocols:
        yield Diagnostic("T2M101", Span.of(base), f"{node.name}: {api} has no counterpart in MindSpore", _ADVICE)
    raising = New(unsupported(api, f"class {node.name}({ast.unparse(base)})", _ADVICE))
    own = methods.get("__new__")
    first = (own or node).body[0]
    is_docstring = ast.get_docstring(own or node, clean=False) is not None
    item = raising if own is not None else Def("__new__(cls, *args, **kwargs)", (raising,))
    where = Insert(first, "after" if is_docstring else "before", (item,))
    yield Claim("tensor_subclass", (), (where,), provenance=Provenance.REFUSED)


TRANSFORM = TensorSubclass()
