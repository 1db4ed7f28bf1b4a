"""Carries a row out at a site."""
from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.analysis.kinds import Kind
from torch2ms.edits import ROOTS, Edit, Provenance, Replace
from torch2ms.rules.api import Api, Binding, compile_api
from torch2ms.rules.bundles import unplaced
from torch2ms.rules.dropped import check_dropped
from torch2ms.rules.indices import lost_index
from torch2ms.rules.pieces import Piece, call_edit, renumber
from torch2ms.rules.signature import Bound, Unbindable, bind, is_int
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.target import Target, lay_out, substitute


def by_row(site: Site, api: Api) -> Outcome:
    """Converts the site as the row says; raises Refusal where the row does not fit."""
    if api.mindspore is None:
        code = "T2M503" if site.name.startswith(("torch.distributed.", "torch.nn.parallel.")) else "T2M101"
        raise Refusal(code, f"{site.name} has no counterpart in MindSpore", api.note)
    binding = compile_api(api)
    call = site.call
    if call is None:
        return _value(site, binding)
    if binding.signature is None:
        if _is_same_method(call, binding.target):
            return outcome(site)
        return outcome(site, call_edit(_callee(binding.target), None, call, None))
    return by_bound(site, binding, bind_call(site, binding))


def by_bound(site: Site, binding: Binding, bound: Bound) -> Outcome:
    """Converts a call whose arguments are bound (and perhaps changed) already."""
    call, api = site.call, binding.api
    assert call is not None
    grad = _requires_grad(bound, binding.target)
    check_dropped(site, bound, binding.target, api.note)
    if binding.target.slots is None:
        return outcome(site, Replace(call, *substitute(binding.target.callee, bound)))
    edit = _call(site, call, bound, binding.target)
    if grad is not None:
        edit = _parameter(site, call, edit, grad)
    found = outcome(site, *([edit] if edit else []), *unplaced(site, bound, binding.target))
    dropped = "device" in bound.passed and "device" not in binding.target.used
    said = lost_index(site.facts, call) if dropped else None
    return replace(found, diagnostics=(*found.diagnostics, said)) if said is not None else found


def outcome(site: Site, *edits: Edit) -> Outcome:
    """The edits, as sure as the site is."""
    return Outcome(edits, (), site.provenance)


def bind_call(site: Site, binding: Binding) -> Bound:
    """The arguments of the site's call by the row's parameters; raises Refusal where they do not fit."""
    assert binding.signature is not None and site.call is not None
    try:
        bound = bind(binding.signature, site.call, site.receiver)
    except Unbindable as error:
        raise Refusal("T2M102", f"{site.name} {error}", "check the call against PyTorch's manual") from error
    bound.is_number = lambda node: is_int(node) or site.facts.kinds.of(node).kind.name == "NUMBER"
    return bound


def _call(site: Site, call: ast.Call, bound: Bound, target: Target) -> Edit | None:
    receiver = site.receiver
    unbound = receiver is None and target.is_method
    try:
        pieces = lay_out(target, bound, call, receiver)
    except Unbindable as error:
        raise Refusal("T2M102", f"{site.name} {error}", "write the arguments out") from error
    func = _callee(target)
    if unbound:
        return _from_class(site, call, bound, func, pieces or ())
    if pieces is None and _is_same_method(call, target):
        return None
    return call_edit(func, pieces, call, receiver)


def _is_same_method(call: ast.Call, target: Target) -> bool:
    return target.is_method and isinstance(call.func, ast.Attribute) and _callee(target) == f"$0.{call.func.attr}"


def _from_class(site: Site, call: ast.Call, bound: Bound, func: str, pieces: tuple[Piece, ...]) -> Edit:
    """`torch.Tensor.add(x, y)` as `x.add(y)`."""
    own = bound.value("self")
    if own is None:
        raise Refusal("T2M102", f"{site.name} is called without a tensor", "call the method on the tensor")
    texts, parts = [], [own]
    for piece in pieces:
        if piece.parts[:1] != (own,):
            texts.append((f"{piece.keyword}=" if piece.keyword else piece.star) + renumber(piece.text, len(parts)))
            parts += piece.parts
    return Replace(call, f"{func}({', '.join(texts)})", tuple(parts))


def _callee(target: Target) -> str:
    """The template of the callee: `$0.view` for a method, `$mint.cat` for a function."""
    root = target.callee
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    text = ast.unparse(target.callee)
    if isinstance(root, ast.Name) and root.id == "self":
        return "$0" + text.removeprefix("self")
    return f"${text}" if isinstance(root, ast.Name) and root.id in ROOTS else text


def _value(site: Site, binding: Binding) -> Outcome:
    """A name or an attribute that is not called: exchanged where it may be called with any positional arguments."""
    target = binding.target
    if binding.signature is None:
        if site.receiver is not None and "self" in target.used:
            if ast.unparse(target.callee) == f"self.{site.name.rpartition('.')[2]}":
                return outcome(site)
            text = _callee(target) if target.slots is None else ast.unparse(target.callee)
            return outcome(site, Replace(site.node, *_with_receiver(site.receiver, target, text)))
        return outcome(site, Replace(site.node, _callee(target)))
    if target.is_method:
        if site.receiver is not None and binding.straight and _callee(target) == f"$0.{site.name.rpartition('.')[2]}":
            return outcome(site)
        if site.receiver is None and binding.straight:
            return outcome(site, Replace(site.node, f"$mindspore.Tensor{_callee(target)[2:]}"))
    elif site.receiver is None and (binding.straight or is_class(site.name)):
        return outcome(site, Replace(site.node, _callee(target)))
    if site.receiver is None and _takes_sizes(binding):
        said = site.said("T2M105", f"{site.name} is used as a value; its counterpart takes sizes as one tuple", "call it with a tuple")
        return Outcome((Replace(site.node, _callee(target)),), (said,), site.provenance)
    raise Refusal("T2M102", f"{site.name} is used as a value, but its counterpart takes other arguments",
                  "wrap it in a lambda that calls it")


def _takes_sizes(binding: Binding) -> bool:
    """Whether the two differ in nothing but `zeros(2, 3)` and `zeros((2, 3))`; another use than with a tuple raises."""
    signature, slots = binding.signature, binding.target.slots
    if signature is None or not slots or not signature.positional:
        return False
    first = signature.positional[0]
    return first.variadic and slots[0].parameter == first.name and all(s.keyword == s.parameter for s in slots[1:])


def _with_receiver(receiver: ast.expr, target: Target, text: str) -> tuple[str, tuple[ast.expr, ...]]:
    if text.startswith("$0"):
        return text, (receiver,)
    shown = ast.unparse(_Receiver().visit(ast.parse(ast.unparse(target.callee), mode="eval").body))
    return shown.replace("__root__", "$").replace("__self__", "$0"), (receiver,)


class _Receiver(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "self":
            return ast.Name("__self__", ast.Load())
        return ast.Name(f"__root__{node.id}", ast.Load()) if node.id in ROOTS else node


def is_class(name: str) -> bool:
    """Whether a canonical name is a class by PyTorch's own convention."""
    return name.rpartition(".")[2][:1].isupper()


def _requires_grad(bound: Bound, target: Target) -> ast.expr | None:
    """Takes `requires_grad` out of the call; the expression, unless it is literally False."""
    if "requires_grad" in target.used or "requires_grad" not in bound.passed:
        return None
    value = bound.passed.pop("requires_grad").value
    return None if isinstance(value, ast.Constant) and not value.value else value


def _parameter(site: Site, call: ast.Call, edit: Edit | None, grad: ast.expr) -> Edit:
    """A leaf that wants a gradient is a Parameter, named after the variable it is assigned to."""
    match edit:
        case Replace(template=text, parts=parts):
            pass
        case None:
            raise Refusal("T2M102", f"{site.name} is called with `requires_grad`", "make it a Parameter")
        case _:
            text, parts = spelled_out(edit, call, site.receiver)
    match site.parent():
        case ast.Assign(targets=[ast.Attribute(value=owner)]) if site.facts.kinds.of(owner).kind is Kind.MODULE:
            advice = "make it an nn.Parameter, or keep it outside the module"
            raise Refusal("T2M102", "a tensor that asks for its gradient would become a parameter of the module that holds it", advice)
    extra = ""
    if not isinstance(grad, ast.Constant):
        extra, parts = f", requires_grad=${len(parts)}", (*parts, grad)
    match site.parent():
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            extra += f", name={name!r}".replace("'", '"')
    return Replace(call, f"$Parameter({text}{extra})", parts)


def spelled_out(edit: Edit, call: ast.Call, receiver: ast.expr | None) -> tuple[str, tuple[ast.expr, ...]]:
    """A CallEdit as a template, for rules that put something around the call."""
    func = getattr(edit, "func", None)
    args = getattr(edit, "args", None)
    parts: list[ast.expr] = []
    if func is None:
        func = "$0"
        parts.append(call.func)
    elif "$0" in func and receiver is not None:
        parts.append(receiver)
    texts = []
    if args is None:
        own = [(None, "*" if isinstance(a, ast.Starred) else "", a.value if isinstance(a, ast.Starred) else a) for a in call.args]
        items = [*own, *((k.arg, "" if k.arg else "**", k.value) for k in call.keywords)]
    else:
        items = [(a.keyword, a.star, a.value) for a in args]
    for keyword, star, value in items:
        shown = value if isinstance(value, str) else f"${len(parts)}"
        texts.append((f"{keyword}=" if keyword else star) + shown)
        if not isinstance(value, str):
            parts.append(value)
    return f"{func}({', '.join(texts)})", tuple(parts)


def guarded(site: Site, method: str) -> Outcome:
    """The helper that asks the object: `tensor.size(obj, 0)`."""
    call, receiver = site.call, site.receiver
    if call is None or receiver is None:
        raise Refusal("T2M103", f"{site.name} is read from an object of unknown kind", "annotate the object's type")
    parts = [Piece("$0", (receiver,))]
    parts += [Piece("$0", (a.value,), star="*") if isinstance(a, ast.Starred) else Piece("$0", (a,)) for a in call.args]
    parts += [Piece("$0", (k.value,), k.arg, "" if k.arg else "**") for k in call.keywords]
    edit = call_edit(f"$tensor.{method}", tuple(parts), call, receiver)
    said = site.said("T2M103", f"`.{method}` is called on an object of unknown kind; a helper asks it at run time")
    return Outcome((edit,), (said,), Provenance.GUARDED)
