"""The vocabulary of change: rules and transforms plan with these on ast nodes, `emit` carries them out on the CST.

Templates are Python source text with two kinds of placeholders:

* `$0`, `$1`, ...  stand for the parts, ast expressions of the same file, each with its own edits applied;
* `$mint.cat`, `$ops.assign`, `$mindspore.float32`, `$value_and_grad` name something of MindSpore or of the runtime.
  The first word must be a key of ROOTS. `emit` imports it and writes it under the name that the file uses for it
  (`$mint.nn.functional.relu` becomes `F.relu` where the file has that alias).
"""
from __future__ import annotations

import ast
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from torch2ms.diagnostics import Diagnostic
from torch2ms.source import SourceFile

_RUNTIME = (
    "mint nn optim data vision serialization tape tensor distributions distributed amp interop random device functional functorch "
    "value_and_grad grad vjp accumulate clip_grad_norm clip_grad_value backward_into no_grad enable_grad is_grad_enabled set_grad_enabled "
    "manual_seed default_device unsupported unsupported_api compile Function once_differentiable einops sparse "
    "get_default_dtype set_default_dtype set_default_tensor_type"
).split()
# first word of a `$` reference -> the dotted path it is imported from
ROOTS: dict[str, str] = {
    "mindspore": "mindspore",
    "ops": "mindspore.ops",
    "Parameter": "mindspore.Parameter",
    **{name: name for name in ("contextlib", "functools", "math", "multiprocessing", "numpy", "tensorboardX", "typing")},
    **{name: f"torch2ms.runtime.{name}" for name in _RUNTIME},
}


class Provenance(enum.Enum):
    """How sure the tool was about one converted site."""

    PROVEN = "proven"
    ONE_NAME = "one-name"
    GUARDED = "guarded"
    REFUSED = "refused"


def unsupported(api: str, source: str, advice: str) -> str:
    """The template of a call that raises: the API, the original source on one line, what to do instead."""
    return f"$unsupported({_literal(api)}, {_literal(' '.join(source.split()))}, {_literal(advice)})"


def unsupported_api(api: str, source: str, advice: str) -> str:
    """The template of an object that may be held and compared, and raises when it is used."""
    return unsupported(api, source, advice).replace("$unsupported", "$unsupported_api", 1)


def _literal(text: str) -> str:
    """A Python literal in double quotes where that needs no escapes."""
    shown = repr(text)
    return f'"{text}"' if shown[0] == "'" and '"' not in text and "\\" not in shown else shown


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a rebuilt call: a part of the file or new text, its keyword, `*` or `**`."""

    value: ast.expr | str
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""


@dataclass(frozen=True, slots=True)
class Replace:
    """Puts `template` where the expression `node` stands."""

    node: ast.expr
    template: str
    parts: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True)
class CallEdit:
    """Changes a call but keeps its layout: the callee (a template; `$0` is the receiver `node.func.value`), the arguments, or both."""

    node: ast.Call
    func: str | None = None
    args: tuple[Arg, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """Gives a definition, a parameter or a keyword argument another name."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.arg | ast.keyword
    name: str


@dataclass(frozen=True, slots=True)
class DropDecorator:
    """Removes one decorator, its comment stays."""

    node: ast.expr


@dataclass(frozen=True, slots=True)
class Keep:
    """A statement of the file, with its comments and its own edits, at a new or its old place."""

    stmt: ast.stmt


@dataclass(frozen=True, slots=True)
class New:
    """New statement text (one or more statements, no indentation) with placeholders."""

    template: str
    parts: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Def:
    """A new function: `header` is `forward_fn(x, y)`; blank lines around it are emit's business."""

    header: str
    body: tuple[Item, ...]
    decorators: tuple[str, ...] = ()
    parts: tuple[ast.expr, ...] = ()


Item = Keep | New | Def


@dataclass(frozen=True, slots=True)
class Splice:
    """Replaces a statement by items (none: it disappears, its comments stay; the block never becomes empty)."""

    stmt: ast.stmt
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts items before or after a statement."""

    stmt: ast.stmt
    where: Literal["before", "after"]
    items: tuple[Item, ...]


Edit = Replace | CallEdit | Rename | DropDecorator | Splice | Insert


@dataclass(frozen=True, slots=True)
class Claim:
    """A transform's hold on nodes: no rule and no later transform touches what is in `nodes` (statements or expressions)."""

    transform: str
    nodes: tuple[ast.AST, ...]
    edits: tuple[Edit, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    form: str = ""  # training steps: lifted, closure, vjp, tape, manual, ...
    provenance: Provenance | None = Provenance.PROVEN


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one file: sites by provenance, by API, loops by form."""

    sites: Mapping[str, int] = field(default_factory=dict)
    apis: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    loops: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one source: the new text (equal to the old where nothing changed), what was said, what was counted."""

    source: SourceFile
    text: str
    diagnostics: tuple[Diagnostic, ...] = ()
    stats: Stats = field(default_factory=Stats)

    @property
    def changed(self) -> bool:
        """Whether the text differs from the source's."""
        return self.text != self.source.text
