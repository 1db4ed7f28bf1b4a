"""Calls that change but keep their layout: spaces, line breaks, comments and trailing commas of the surviving arguments."""
from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import libcst as cst

from torch2ms.edits import Arg, CallEdit
from torch2ms.emit import templates
from torch2ms.emit.frames import call_arguments
from torch2ms.emit.nodes import comments, fitted
from torch2ms.emit.quotes import requoted

if TYPE_CHECKING:
    from torch2ms.emit.rewrite import Rewriter

_TIGHT = cst.AssignEqual(whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace(""))
_SPACED_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def edited_call(edit: CallEdit, original: cst.Call, updated: cst.Call, rewriter: Rewriter) -> cst.Call:
    """The call with another callee, other arguments, or both."""
    changes: dict[str, Any] = {}
    if edit.func is not None:
        changes["func"] = _callee(edit, updated, rewriter)
    if edit.args is not None:
        changes |= _arguments(edit, updated, rewriter)
    return updated.with_changes(**changes)


def _callee(edit: CallEdit, updated: cst.Call, rewriter: Rewriter) -> Any:
    template, func = edit.func or "", updated.func
    if template.startswith("$0.") and template[3:].isidentifier() and isinstance(func, cst.Attribute):
        return func.with_changes(attr=cst.Name(template[3:]))
    source = rewriter.naming.spelled(template, edit.node)
    if source == _dotted(func):
        return func
    if "$" not in template or template.count("$") == 1 and template[0] == "$" and not template[1].isdigit():
        return templates.expression(source, ())
    parts = [func.value] if isinstance(func, cst.Attribute) else []
    return fitted(templates.expression(source, parts), updated, "func", False)


def _dotted(node: Any) -> str | None:
    """`a.b.c` for a plain dotted name."""
    words = []
    while isinstance(node, cst.Attribute) and not node.lpar:
        words.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(words)]) if isinstance(node, cst.Name) and not node.lpar else None


def _arguments(edit: CallEdit, updated: cst.Call, rewriter: Rewriter) -> dict[str, Any]:
    call = edit.node
    old: dict[ast.AST, Any] = {}
    for node, arg in zip(call_arguments(call), updated.args, strict=True):
        old[node.value if isinstance(node, (ast.keyword, ast.Starred)) else node] = arg
    new = [_argument(arg, old, edit, rewriter) for arg in edit.args or ()]
    if not new:
        return {"args": [], "whitespace_before_args": cst.SimpleWhitespace("")}
    if len(new) > 1:
        new = [_bracketed_generator(arg) for arg in new]
    return {"args": _separated(new, list(updated.args))}


def _argument(arg: Arg, old: Mapping[ast.AST, Any], edit: CallEdit, rewriter: Rewriter) -> Any:
    if isinstance(arg.value, str):
        source = requoted(rewriter.naming.spelled(arg.value, edit.node), rewriter.visiting)
        return _dressed(cst.Arg(value=templates.expression(source, ())), arg)
    value = arg.value.value if isinstance(arg.value, ast.Starred) else arg.value
    star = "*" if isinstance(arg.value, ast.Starred) else arg.star
    node = old.get(value)
    if node is None:
        node = cst.Arg(value=fitted(rewriter.part(value), cst.Arg(cst.Name("_")), "value", True))
    return _dressed(node, Arg(value, arg.keyword, star))


def _dressed(node: cst.Arg, arg: Arg) -> cst.Arg:
    """The argument with its keyword or star."""
    if node.star != arg.star:
        node = node.with_changes(star=arg.star)
    if arg.keyword is None:
        return node.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT) if node.keyword else node
    if node.keyword is not None:
        return node if node.keyword.value == arg.keyword else node.with_changes(keyword=cst.Name(arg.keyword))
    return node.with_changes(keyword=cst.Name(arg.keyword), equal=_TIGHT)


def _bracketed_generator(arg: cst.Arg) -> cst.Arg:
    value = arg.value
    if isinstance(value, cst.GeneratorExp) and not value.lpar:
        return arg.with_changes(value=value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))
    return arg


def _separated(new: list[Any], old: list[Any]) -> list[Any]:
    """Commas between the arguments as the call had them; the end of the list looks as the old one did."""
    model = next((_plain(arg.comma) for arg in old[:-1] if isinstance(arg.comma, cst.Comma)), _SPACED_COMMA)
    last = old[-1] if old else cst.Arg(cst.Name("_"))
    found = []
    for arg in new[:-1]:
        if arg is last or not isinstance(arg.comma, cst.Comma):
            arg = _as_inner(arg, model)
        found.append(arg)
    end = new[-1]
    if old and end.value is not last.value:
        end = _as_last(end, last)
    return [*found, end]


def _plain(comma: cst.Comma) -> cst.Comma:
    """The comma and its line break without comments."""
    space = comma.whitespace_after
    if not comments(comma) or not isinstance(space, cst.ParenthesizedWhitespace):
        return comma
    return comma.with_changes(whitespace_after=space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[]))


def _as_inner(arg: cst.Arg, model: cst.Comma) -> cst.Arg:
    """An argument that stood last, or is new, before others; the end of the line that it may have had goes."""
    space = arg.comma if isinstance(arg.comma, cst.Comma) else arg
    if comments(space):
        gap = space.whitespace_after if isinstance(space, cst.Comma) else space.whitespace_after_arg
        gap = _closing(gap, model.whitespace_after)
        return arg.with_changes(comma=cst.Comma(whitespace_after=gap), whitespace_after_arg=cst.SimpleWhitespace(""))
    return arg.with_changes(comma=model, whitespace_after_arg=cst.SimpleWhitespace(""))


def _as_last(arg: cst.Arg, last: cst.Arg) -> cst.Arg:
    """An argument that now ends the list: it ends as the old last one did, with its own comment kept."""
    own = arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else arg.whitespace_after_arg
    if isinstance(last.comma, cst.Comma):
        return arg.with_changes(comma=last.comma.with_changes(whitespace_after=_closing(own, last.comma.whitespace_after)))
    return arg.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=_closing(own, last.whitespace_after_arg))


def _closing(own: Any, end: Any) -> Any:
    """The space `end`, with the comment that follows the argument."""
    if not comments(own):
        return end.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[]) if comments(end) else end
    if isinstance(end, cst.ParenthesizedWhitespace):
        return own.with_changes(last_line=end.last_line, indent=end.indent)
    return own


def renamed_arguments(call: ast.Call, updated: cst.Call, renames: Mapping[ast.AST, str]) -> cst.Call:
    """The call with its keywords renamed."""
    if not renames or not any(keyword in renames for keyword in call.keywords) or not isinstance(updated, cst.Call):
        return updated
    args = [
        arg.with_changes(keyword=cst.Name(renames[node])) if node in renames and arg.keyword else arg
        for node, arg in zip(call_arguments(call), updated.args, strict=True)
    ]
    return updated.with_changes(args=args)
