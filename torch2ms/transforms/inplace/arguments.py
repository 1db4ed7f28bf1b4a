"""Calls that write into what they are given: functions of the project, `out=`, `inplace=True`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import Sharing, Write
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.torch_objects import inplace_flag
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Insert, New, Provenance, Replace, Splice
from torch2ms.transforms.inplace.families import NOTHING, Derived
from torch2ms.transforms.inplace.flags import flagged
from torch2ms.transforms.inplace.forms import Form, check_quiet, choose
from torch2ms.transforms.inplace.mutators import Mutator
from torch2ms.transforms.inplace.outs import without
from torch2ms.transforms.inplace.values import Declined, Value, bare
from torch2ms.transforms.inplace.writer import Writer


def call(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """f(x): bound to what f now returns, or refused where f no longer reaches what is read later."""
    node = write.node
    assert isinstance(node, ast.Call)
    mutator = next((m for m in writer.around.mutators.values() if node in m.arguments), None)
    if mutator is not None and mutator.parameter == write.parameter:
        yield _bound(writer, node, mutator)
        return
    try:
        yield from _reaching(writer, write, node)
    except Declined:
        if not writer.around.writes_by_flag(node, write.parameter) or not isinstance(
            write.target, (ast.Name, ast.Attribute, ast.Subscript)
        ):
            raise
        # the function writes or not as its run decides: it raises where it would
        new = Replace(write.target, "$tensor.protected($0)", (write.target,))
        yield Claim("inplace", (), (new,), provenance=Provenance.GUARDED)


def _bound(writer: Writer, node: ast.Call, mutator: Mutator) -> Claim:
    """The function gives the tensor back: it is bound where the argument stands, next to the value of the call."""
    target, stmt = mutator.arguments[node], writer.facts.statement(node)
    derived = writer.derived(target, stmt)
    form = choose(writer.around, target, node, False, settled=derived.settled)
    template, parts, after = form.template, form.parts, derived.items
    if mutator.gives and not form.binds:
        raise Declined(f"{ast.unparse(target)} cannot be bound anew here", "write to a tensor of its own")
    if mutator.gives and isinstance(stmt, ast.Assign):
        (name,) = stmt.targets
        template, parts = "$2, $0 = $1", (*parts, name)
        if any(isinstance(n, ast.Name) and n.id == ast.unparse(target) for n in ast.walk(name)):
            result = writer.free_name(stmt, "result")
            template, parts = f"{result}, $0 = $1", form.parts
            after = (*after, New(f"$0 = {result}", (name,)))
    elif mutator.gives and isinstance(stmt, ast.Return):
        outer = writer.around.mutator_around(stmt)
        result = writer.free_name(stmt, "result")
        template = f"{result}, $0 = $1"
        after = (*after, New(f"return {result}" if outer is None else outer.returned(result)))
    elif mutator.gives:
        template = "$0 = $1[1]"
    items = (New(template, parts), *after)
    return writer.claim((stmt,), (Splice(stmt, items), *derived.edits), form.said)


def _reaching(writer: Writer, write: Write, node: ast.Call) -> Iterator[Claim]:
    """The function writes as it did; what a gradient hides from the caller must not be read there."""
    stmt = writer.facts.statement(node)
    check_quiet(writer.around, write.target)
    lost = writer.around.loses_writes(node, write.parameter)
    if not lost and (writer.around.is_free(stmt) or writer.around.refuses_writes(node, write.parameter)):
        return
    if writer.facts.kinds.of(write.target).kind in (Kind.MODULE, Kind.OPTIMIZER) or _has_names(writer, write.target):
        return
    if not lost and isinstance(write.target, ast.Attribute):
        return  # the object itself is written to
    readers = {n: s for n, s in writer.around.others(write.target).items() if s is not Sharing.UNDECIDED}
    if not (lost or write.certain):
        # perhaps no tensor is written, and perhaps nobody sees it
        readers = {n: s for n, s in readers.items() if s is Sharing.SURE}
    loaders = (Kind.LOADER, Kind.DATASET)
    readers = {n: s for n, s in readers.items() if writer.around.kind_of_name(n, node) not in loaders}
    if lost and writer.reads_after(stmt, write.target):
        readers[ast.unparse(write.target)] = Sharing.SURE
    if not lost and isinstance(write.target, ast.Name):
        derived = writer.derived(write.target, stmt)
        readers = {n: s for n, s in readers.items() if n not in derived.settled}
        if not readers:
            if _is_own_object(writer, write.target):
                return  # it holds what is bound anew: whoever else holds the object sees that
            writer.around.check_argument(write.target)
            if derived.items or derived.edits:
                # MindSpore has no gradient for some writes into a part: the part becomes a tensor of its own before
                own = (Insert(stmt, "before", (New("$0 = $0.copy()", (write.target,)),)),) if derived.mixes else ()
                yield Claim("inplace", (), (*own, *derived.after(stmt)))
            return
    if not readers:
        return
    raise Declined(
        f"the function writes to its argument, and a gradient hides that from {', '.join(sorted(readers))}, read later",
        "let the function return the new tensor and bind it here",
    )


def _is_own_object(writer: Writer, target: ast.expr) -> bool:
    """Whether the target is an object of a class of the project, so no tensor and no list of tensors."""
    info = writer.facts.kinds.of(target)
    return info.kind is Kind.OTHER and bool(info.classes) and all(c in writer.facts.project.classes for c in info.classes)


def _has_names(writer: Writer, target: ast.expr) -> bool:
    """Whether the function reads the object by a text, as in `options["norm"]`: a dictionary, whose writes stay writes."""
    for node in ast.walk(writer.facts.function(target)):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str())):
                if isinstance(target, ast.Name) and name == target.id:
                    return True
    return False


def out(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """torch.add(a, b, out=c) -> c = mint.add(a, b)."""
    node = write.node
    assert isinstance(node, ast.Call)
    stmt = writer.facts.statement(node)
    if isinstance(write.target, (ast.Tuple, ast.List)) or len([k for k in node.keywords if k.arg == "out"]) != 1:
        raise Declined("out= is a tuple", "assign the results instead")
    value = without(writer.facts, node, "out")
    derived = writer.derived(bare(write.target), stmt)
    form = choose(writer.around, bare(write.target), node, False, settled=derived.settled)
    items = writer.items(stmt, node, bare(write.target), form, derived.items)
    if items is None:
        raise Declined(
            "the result of a call with out= is used inside an expression", "compute it in a statement of its own"
        )
    edits = (Splice(stmt, items), *value.edits, *derived.edits)
    yield writer.claim((stmt, *value.nodes), edits, (*value.said, *form.said))


def inplace(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """y = act(x) with an act that works in place -> y = x = act(x), where x is read later."""
    if write.flag is not None:
        yield from flagged(writer, write)
        return
    node, target = write.node, write.target
    assert isinstance(node, ast.Call)
    stmt = writer.facts.statement(node)
    if not isinstance(target, ast.Name):
        yield from _unnamed(writer, node, target, stmt)
        return
    derived = writer.derived(target, stmt)
    others = {n: s for n, s in writer.around.others(target).items() if n not in derived.settled}
    shared = [s for s in others.values() if s in (Sharing.SURE, Sharing.MAYBE)]
    rebound = isinstance(stmt, ast.Assign) and any(isinstance(t, ast.Name) and t.id == target.id for t in stmt.targets)
    read_later = writer.reads_after(stmt, target) and not rebound
    outside = writer.around.seen_outside(target) is not Sharing.NO
    if writer.around.is_free(stmt):
        if not (shared or outside or read_later):
            return
        form = choose(writer.around, target, node, False)
    else:
        form = choose(writer.around, target, node, False, settled=derived.settled)
        if not form.binds:
            raise Declined(f"{target.id} is written inside a gradient", "use the layer without inplace")
        if not read_later and not derived.items:
            return
    if writer.facts.names.of(node.func) is None and not writer.facts.kinds.of(node.func).certain:
        raise Declined(
            f"{ast.unparse(node.func)} was made with inplace=True and may change {target.id}, which is read later",
            "make the layer without inplace, or give the result the name of its input",
        )
    yield from _placed(writer, node, target, form, derived)


def _placed(writer: Writer, node: ast.Call, target: ast.expr, form: Form, derived: Derived) -> Iterator[Claim]:
    """The result of the call also goes where its argument is."""
    stmt = writer.facts.statement(node)
    named = writer.facts.names.of(node.func) is not None
    flag = inplace_flag(node, writer.facts.names.of(node.func) or "")
    value = without(writer.facts, node, "inplace", flag) if named else Value()
    single = sum(isinstance(n, ast.Name) and ast.unparse(target) == n.id for n in ast.walk(stmt)) == 1
    if isinstance(stmt, (ast.Assign, ast.Return)) and stmt.value is not node and single and not derived.items:
        new = New(form.template, form.parts)
        if form.binds and not named:
            before = Insert(stmt, "before", (New("$0 = $1($0)", (target, node.func)),))
            yield writer.claim((node,), (before, Replace(node, "$0", (target,))))
            return
        raise Declined(f"{ast.unparse(new.parts[0])} is written inside an expression", _ALONE)
    items = writer.items(stmt, node, target, form, derived.items)
    if items is None:
        if not isinstance(stmt, (ast.Assign, ast.Return)):
            raise Declined(f"{ast.unparse(target)} is written and read in one expression", _ALONE)
        yield writer.claim(value.nodes, (*value.edits, *derived.after(stmt)), (*value.said, *form.said))
        return
    edits = (Splice(stmt, items), *value.edits, *derived.edits)
    yield writer.claim((stmt, *value.nodes), edits, (*value.said, *form.said))


_ALONE = "apply the layer in a statement of its own"


def _unnamed(writer: Writer, node: ast.Call, target: ast.expr, stmt: ast.stmt) -> Iterator[Claim]:
    """act(x[0]), act(self.h): the argument is no name."""
    if not isinstance(target, (ast.Attribute, ast.Subscript)):
        return
    if writer.around.is_free(stmt):
        form = choose(writer.around, target, node, False)
        yield from _placed(writer, node, target, form, NOTHING)
        return
    readers = {n: s for n, s in writer.around.others(target).items() if s in (Sharing.SURE, Sharing.MAYBE)}
    if readers:
        raise Declined(
            f"{', '.join(sorted(readers))} may share the storage of the argument and is read later",
            "use the layer without inplace",
        )
