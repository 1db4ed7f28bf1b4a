"""What a rule sees and what it answers."""
from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Edit, Provenance, Replace, unsupported, unsupported_api
from torch2ms.source import Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    # ast ends lines at these characters only, str.splitlines at more
    return re.split("\r\n|\n|\r", text)


@dataclass(frozen=True, slots=True)
class Site:
    """One use of a PyTorch API: a call, or a name or attribute that stands for a value.

    `name` is the canonical name (`torch.nn.functional.relu`, `torch.Tensor.view`); `receiver` is the object before the dot of
    a method or an attribute, None for functions and for methods taken from their class (`torch.Tensor.add`).
    """

    name: str
    node: ast.expr
    span: Span
    provenance: Provenance
    receiver: ast.expr | None
    facts: Facts

    @property
    def call(self) -> ast.Call | None:
        """The call, or None where the API is used as a value."""
        return self.node if isinstance(self.node, ast.Call) else None

    def parent(self) -> ast.AST | None:
        """The node around this one."""
        return self.facts.parent(self.node)

    def written(self) -> str:
        """The source text of the node, on one line."""
        node = self.node
        if node.lineno == node.end_lineno and node.end_col_offset is not None:
            line = _lines(self.facts.source.text)[node.lineno - 1].encode()
            return line[node.col_offset:node.end_col_offset].decode()
        return ast.unparse(node)

    def said(self, code: str, message: str, help: str = "") -> Diagnostic:
        """A diagnostic at this site."""
        return Diagnostic(code, self.span, message, help)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer: edits (none: the code is right as it stands) and what there is to say."""

    edits: tuple[Edit, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    provenance: Provenance = Provenance.PROVEN


class Refusal(Exception):
    """Raised by a rule that cannot keep the meaning: the code's number, what is wrong, what to do instead."""

    def __init__(self, code: str, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.advice = advice


def refuse(site: Site, refusal: Refusal) -> Outcome:
    """Puts a call that raises where the API stood, and says why."""
    advice = refusal.advice or "rewrite this line by hand"
    diagnostic = site.said(refusal.code, refusal.message, advice)
    if is_annotation(site):
        return Outcome((Replace(site.node, repr(ast.unparse(site.node))),), (diagnostic,), Provenance.REFUSED)
    if _is_target(site.node):
        return Outcome((), (diagnostic,), Provenance.REFUSED)
    template = unsupported_api if _is_held(site) else unsupported
    text = template(site.name, site.written(), advice)
    if is_decorator(site):
        text = f"(lambda fn: lambda *args, **kwargs: {text})"  # raises when the function is called, not where it is defined
    return Outcome((Replace(site.node, text),), (diagnostic,), Provenance.REFUSED)


def is_decorator(site: Site) -> bool:
    """Whether the node decorates a definition."""
    above = site.facts.parent(site.node)
    return isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and site.node in above.decorator_list


def _is_held(site: Site) -> bool:
    """Whether the API is only kept here, in a registry or as a default, or is what an object is asked to be an instance of."""
    if site.call is not None or site.receiver is not None:
        return False
    node: ast.AST = site.node
    above = site.parent()
    while isinstance(above, (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.keyword)):
        node, above = above, site.facts.parent(above)
    match above:
        case ast.Call(func=ast.Name(id="dict")):
            return True
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            return kinds is node
        case ast.Assign() | ast.AnnAssign() | ast.arguments():
            return True
    return False


def _is_target(node: ast.expr) -> bool:
    return not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def is_annotation(site: Site) -> bool:
    """Whether the node is (part of) an annotation: what stands there need not exist at run time."""
    node: ast.AST = site.node
    while (above := site.facts.parent(node)) is not None and not isinstance(above, ast.stmt):
        if isinstance(above, ast.arg):
            return above.annotation is node
        if isinstance(above, ast.Call):
            return False
        node = above
    match above:
        case ast.AnnAssign():
            return above.annotation is node
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return above.returns is node
    return False
