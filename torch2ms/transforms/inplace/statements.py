"""From each kind of write to the edits of its statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from torch2ms.analysis.aliases import How, Sharing, Write
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Insert, Item, New, Provenance, Replace, Splice, unsupported
from torch2ms.source import Span
from torch2ms.transforms.inplace.copies import copies
from torch2ms.transforms.inplace.families import Derived, Families
from torch2ms.transforms.inplace.forms import Form, choose, covers_later_axes
from torch2ms.transforms.inplace.outs import without_out
from torch2ms.transforms.inplace.rows import row_of
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined, bare, function_value, in_place_name, target_of, value_of

_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_INIT = {"normal_": "normal_", "uniform_": "uniform_", "zero_": "zeros_", "fill_": "constant_"}


class Writer:
    """Plans the writes of one function."""

    def __init__(self, facts: Facts, around: Surroundings, writes: Sequence[Write]) -> None:
        self._facts = facts
        self._around = around
        self._calls = {w.node for w in writes if w.how is How.METHOD}
        self._families: Families | None = None

    def method(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """x.add_(y), also in a chain and where its value is used."""
        call = write.node
        assert isinstance(call, ast.Call)
        if in_place_name(call) is None or in_place_name(call) == "requires_grad_" or self._inside_chain(call):
            return
        target = target_of(self._facts, call)
        through_data = bare(target) is not target
        stmt = self._facts.statement(call)
        statement = isinstance(stmt, ast.Expr) and stmt.value is call
        if (
            statement
            and (through_data or self._around.is_leaf(target))
            and (init := self._init(call, target)) is not None
        ):
            yield self._claim((stmt, call, call.func, *([target] if through_data else [])), (Splice(stmt, (init,)),))
            return
        value = value_of(self._facts, call)
        row = row_of(self._facts, target) if statement else None
        if row is not None:
            new = New(f"$0[{row.index}] = $1", (row.base, call))
            yield self._claim((stmt, *value.nodes), (Splice(stmt, (new,)), *row.edits(), *value.edits), value.said)
            return
        if not isinstance(bare(target), (ast.Name, ast.Attribute, ast.Subscript)):
            if not self._around.is_new(target):
                raise Declined(
                    "the call may give a tensor that something else holds", "give the tensor a name and bind that anew"
                )
            yield self._claim(value.nodes, value.edits, value.said)
            return
        derived = self._derived(bare(target), stmt)
        form = choose(self._around, bare(target), call, through_data, through_data, derived.settled)
        source = _copied(call, target)
        if source is not None and not form.binds:
            form = replace(form, parts=(form.parts[0], source))
        items = self._items(stmt, call, bare(target), form)
        said = (*value.said, *form.said)
        if items is None:
            yield self._claim(value.nodes, value.edits, said)
        else:
            yield self._claim((stmt, *value.nodes), (Splice(stmt, items), *value.edits, *derived.edits), said)

    def function(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """torch.relu_(x); nn.init's functions write into weights as they stand."""
        call = write.node
        assert isinstance(call, ast.Call)
        name = self._facts.names.of(call.func)
        if name is None or name.startswith("torch.nn.init."):
            return
        value = function_value(self._facts, call, name)
        stmt, target = self._facts.statement(call), bare(write.target)
        if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
            yield self._claim(value.nodes, value.edits, value.said)
            return
        derived = self._derived(target, stmt)
        form = choose(self._around, target, call, False, settled=derived.settled)
        items = self._items(stmt, call, target, form)
        said = (*value.said, *form.said)
        splice = () if items is None else (Splice(stmt, items),)
        yield self._claim((*([stmt] if items else []), *value.nodes), (*splice, *value.edits, *derived.edits), said)

    def reshaped(self, call: ast.Call) -> Iterator[Claim | Diagnostic]:
        """x.unsqueeze_(0), x.detach_(): the object itself changes, so its name is bound anew."""
        stmt, target = self._facts.statement(call), bare(target_of(self._facts, call))
        if not isinstance(stmt, ast.Expr) or stmt.value is not call:
            yield from self._used(stmt, call, target)
            return
        if isinstance(target, ast.Name) and not self._around.is_local(target.id, target):
            raise Declined(f"{target.id} belongs to an outer scope", "return the new tensor instead")
        if not isinstance(target, (ast.Name, ast.Attribute)) or self._around.is_iterated(target):
            raise Declined("what holds the tensor cannot be bound anew", "build new tensors instead")
        value = value_of(self._facts, call)
        yield self._claim(
            (stmt, *value.nodes), (Splice(stmt, (New("$0 = $1", (target, call)),)), *value.edits), value.said
        )

    def _used(self, stmt: ast.stmt, call: ast.Call, target: ast.expr) -> Iterator[Claim]:
        value = value_of(self._facts, call)
        rebound = isinstance(stmt, ast.Assign) and any(ast.unparse(t) == ast.unparse(target) for t in stmt.targets)
        names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        live = self._facts.flow(self._facts.function(stmt)).live_out([stmt])
        if not rebound and isinstance(target, (ast.Name, ast.Attribute)) and names & live:
            raise Declined("the value of the write is used inside an expression", "write it as a statement of its own")
        yield self._claim(value.nodes, value.edits, value.said)

    def augmented(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """x += y: MindSpore binds the name anew, which is right where nobody else sees the tensor."""
        stmt = write.node
        assert isinstance(stmt, ast.AugAssign)
        target = stmt.target
        certain = self._around.is_leaf(target) or write.certain and not self._facts.kinds.of(target).optional
        derived = self._derived(target, stmt)
        try:
            form = choose(self._around, target, stmt.value, False, _is_constant(stmt.value), derived.settled)
        except Declined:
            if certain or write.certain:
                raise
            # a number, as far as anyone knows: the statement stays, and the doubt is said
            form = Form("$0[:] = $1", (target, stmt.value))
        if not form.binds and not certain:
            yield Diagnostic(
                "T2M302",
                Span.of(stmt),
                f"{ast.unparse(target)} is bound anew here; a tensor that others hold would have changed for them too",
                "write x[:] = ... if it is a tensor that others hold",
            )
            return
        if not certain and not write.certain:
            if isinstance(target, ast.Name) and form.said and self._around.others(target):
                yield from form.said
            return
        template = form.template.replace("$1", f"$0 {_SIGNS[type(stmt.op)]} $1")
        yield self._claim((stmt,), (Splice(stmt, (New(template, form.parts),)), *derived.edits), form.said)

    def item(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """x[i] = y is right as it stands, but for writes through views in a gradient and for results of advanced indexing."""
        stmt = write.node
        yield from copies(self._facts, write)
        if not isinstance(stmt, (ast.Assign, ast.AugAssign)) or self._around.is_free(stmt):
            return
        target = stmt.target if isinstance(stmt, ast.AugAssign) else stmt.targets[0]
        if not isinstance(target, ast.Subscript) or not write.certain:
            return
        if isinstance(write.target, ast.Name):
            derived = self._derived(write.target, stmt)
            sure = [
                n
                for n, s in self._around.others(write.target).items()
                if s is Sharing.SURE and n not in derived.settled
            ]
            if derived.edits:
                yield Claim("inplace", (), derived.edits)
            if sure:
                raise Declined(
                    f"{', '.join(sorted(sure))} shares the storage and is read later, and a gradient sees only one of them",
                    "write to a tensor of its own and derive the others from it",
                )
        if _takes_all(target.slice):
            yield from self._whole(stmt, target)
        elif isinstance(stmt, ast.AugAssign) and covers_later_axes(target.slice):
            template = f"$0 = $0.copy() {_SIGNS[type(stmt.op)]} $1"
            yield self._claim((stmt,), (Splice(stmt, (New(template, (target, stmt.value)),)),))

    def call(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """f(x) with a function that now returns what it wrote to x."""
        call = write.node
        assert isinstance(call, ast.Call)
        mutator = next((m for m in self._around.mutators.values() if call in m.calls), None)
        if mutator is None:
            return
        target = call.args[mutator.position]
        stmt = self._facts.statement(call)
        derived = self._derived(target, stmt)
        form = choose(self._around, target, call, False, settled=derived.settled)
        yield self._claim((stmt,), (Splice(stmt, (New(form.template, form.parts),)), *derived.edits), form.said)

    def out(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """torch.add(a, b, out=c) -> c = mint.add(a, b)."""
        call = write.node
        assert isinstance(call, ast.Call)
        stmt = self._facts.statement(call)
        if isinstance(write.target, (ast.Tuple, ast.List)) or len([k for k in call.keywords if k.arg == "out"]) != 1:
            raise Declined("out= is a tuple", "assign the results instead")
        value = without_out(self._facts, call)
        form = choose(self._around, bare(write.target), call, False)
        items = self._items(stmt, call, bare(write.target), form)
        if items is None:
            raise Declined(
                "the result of a call with out= is used inside an expression", "compute it in a statement of its own"
            )
        yield self._claim((stmt, *value.nodes), (Splice(stmt, items), *value.edits), (*value.said, *form.said))

    def inplace(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """y = act(x) with an act that works in place -> y = x = act(x), where x is read later."""
        call, target = write.node, write.target
        assert isinstance(call, ast.Call)
        stmt = self._facts.statement(call)
        if not isinstance(target, ast.Name):
            return
        derived = self._derived(target, stmt)
        others = {
            n: s for n, s in self._around.others(target).items() if s is Sharing.SURE and n not in derived.settled
        }
        read_later = target.id in self._facts.flow(self._facts.function(stmt)).live_out([stmt])
        rebound = isinstance(stmt, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == target.id for t in stmt.targets
        )
        if others and not self._around.is_free(stmt):
            raise Declined(
                f"{', '.join(sorted(others))} shares the storage of {target.id} and is read later",
                "use the layer without inplace",
            )
        read_later = read_later or bool(derived.edits)
        if rebound or not read_later:
            return
        if not self._facts.kinds.of(call.func).certain:
            raise Declined(
                f"{ast.unparse(call.func)} was made with inplace=True and may change {target.id}, which is read later",
                "make the layer without inplace, or give the result the name of its input",
            )
        if isinstance(stmt, ast.Assign) and stmt.value is call and len(stmt.targets) == 1:
            yield self._claim(
                (stmt,), (Splice(stmt, (New("$0 = $1 = $2", (stmt.targets[0], target, call)),)), *derived.edits)
            )
        elif sum(isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(stmt)) == 1:
            before = Insert(stmt, "before", (New("$0 = $1($0)", (target, call.func)),))
            yield self._claim((call,), (before, Replace(call, "$0", (target,))))
        else:
            raise Declined(
                f"{target.id} is written and read in one expression", "apply the layer in a statement of its own"
            )

    def data(self, write: Write) -> Iterator[Claim | Diagnostic]:
        """p.data = e and p.data -= e reach the tensor itself, outside every gradient."""
        stmt = write.node
        if isinstance(stmt, ast.AugAssign):
            template = f"$ops.assign($0, $0 {_SIGNS[type(stmt.op)]} $1)"
            yield self._claim((stmt,), (Splice(stmt, (New(template, (bare(stmt.target), stmt.value)),)),))
        elif isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Attribute):
            target = bare(stmt.targets[0])
            yield self._claim((stmt,), (Splice(stmt, (New("$ops.assign($0, $1)", (target, stmt.value)),)),))
        else:
            raise Declined(".data is assigned together with other targets", "assign it in a statement of its own")

    def refused(self, write: Write, reason: Declined) -> Claim:
        """A call that raises where the write stood, and why."""
        node = write.node
        name = (
            f"torch.Tensor.{in_place_name(node)}"
            if isinstance(node, ast.Call) and in_place_name(node)
            else "torch.Tensor"
        )
        text = ast.get_source_segment(self._facts.source.text, node) or ast.unparse(node)
        template = unsupported(name, text, reason.advice)
        edit: Edit = (
            Replace(node, template)
            if isinstance(node, ast.expr)
            else Splice(self._facts.statement(node), (New(template),))
        )
        said = Diagnostic("T2M301", Span.of(node), f"this write is refused: {reason.message}", reason.advice)
        return Claim("inplace", (node,), (edit,), (said,), provenance=Provenance.REFUSED)

    def _derived(self, target: ast.expr, stmt: ast.stmt) -> Derived:
        """What follows a write inside a gradient for the other members of the target's family of views."""
        nothing = Derived(frozenset(), ())
        if isinstance(target, ast.Subscript):
            target = target.value
        if not isinstance(target, ast.Name) or self._around.is_free(stmt):
            return nothing
        sure = [n for n, sharing in self._around.others(target).items() if sharing is Sharing.SURE]
        if not sure:
            return nothing
        if self._families is None:
            self._families = Families(self._facts, self._facts.function(stmt))
        return self._families.after(stmt, target, sure) or nothing

    def _whole(self, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript) -> Iterator[Claim]:
        """x[:] = y in a gradient: the saved input would be overwritten, so the name is bound anew."""
        form = choose(self._around, target.value, stmt.value, False)
        if not form.binds:
            raise Declined("the whole tensor is written inside a gradient", "compute a new tensor and assign it")
        info = self._facts.kinds.of(stmt.value)
        if isinstance(stmt, ast.AugAssign):
            value = f"$0 {_SIGNS[type(stmt.op)]} $1"
        elif info.kind.name == "NUMBER" and info.certain:
            value = "$mint.full_like($0, $1)"
        elif info.is_tensor:
            value = "$1.to($0.dtype).expand_as($0).copy()"
        else:
            raise Declined(
                "the whole tensor is written with a value of unknown kind", "compute a new tensor and assign it"
            )
        yield self._claim((stmt,), (Splice(stmt, (New(form.template.replace("$1", value), form.parts),)),), form.said)

    def _items(self, stmt: ast.stmt, call: ast.Call, target: ast.expr, form: Form) -> tuple[Item, ...] | None:
        """What stands for the statement; None where the value alone in the place of the call is right."""
        match stmt:
            case ast.Expr(value=value) if value is call:
                if (
                    isinstance(target, ast.Subscript)
                    and covers_later_axes(target.slice)
                    and not self._around.is_free(stmt)
                ):
                    raise Declined(
                        "the slice may cover the whole tensor inside a gradient",
                        "write x[i] = x[i].copy() + ... by hand",
                    )
                return (New(form.template, form.parts),)
            case ast.Assign(targets=targets, value=value) if value is call:
                if any(ast.unparse(t) == ast.unparse(target) for t in targets) and form.binds:
                    return None
                if form.binds:
                    left = " = ".join(f"${i + 2}" for i in range(len(targets)))
                    return (New(f"{left} = {form.template}", (*form.parts, *targets)),)
                left = " = ".join(f"${i + 1}" for i in range(len(targets)))
                return New(form.template, form.parts), New(f"{left} = $0", (target, *targets))
            case ast.Return(value=value) if value is call:
                if form.binds and isinstance(target, ast.Name):
                    return None
                return New(form.template, form.parts), New("return $0", (target,))
        live = self._facts.flow(self._facts.function(stmt)).live_out([stmt])
        once = sum(isinstance(n, ast.Name) and ast.unparse(target) == n.id for n in ast.walk(stmt)) == 1
        if form.binds and isinstance(target, ast.Name) and target.id not in live and once:
            return None
        raise Declined("the value of the write is used inside an expression", "write it as a statement of its own")

    def _init(self, call: ast.Call, target: ast.expr) -> New | None:
        """nn.init for what fills a weight."""
        method = in_place_name(call) or ""
        if (
            method not in _INIT
            or any(k.arg == "generator" for k in call.keywords)
            or not isinstance(bare(target), (ast.Name, ast.Attribute))
        ):
            return None
        if isinstance(call.func, ast.Attribute) and call.func.value is not target:
            return None
        names = {"normal_": ("mean", "std"), "uniform_": ("from", "to"), "fill_": ("value",)}.get(method, ())
        given = {k.arg: k.value for k in call.keywords}
        values = [*call.args, *(given[n] for n in names[len(call.args) :] if n in given)]
        if len(values) not in (0, len(names)) or set(given) - set(names):
            return None
        slots = "".join(f", ${i + 1}" for i in range(len(values)))
        return New(f"$nn.init.{_INIT[method]}($0{slots})", (bare(target), *values))

    def _inside_chain(self, call: ast.Call) -> bool:
        above = self._facts.parent(call)
        outer = self._facts.parent(above) if isinstance(above, ast.Attribute) else None
        return isinstance(outer, ast.Call) and outer.func is above and outer in self._calls

    def _claim(self, nodes: Sequence[ast.AST], edits: Sequence[Edit], said: Sequence[Diagnostic] = ()) -> Claim:
        sure = not any(d.code == "T2M302" for d in said)
        return Claim(
            "inplace",
            tuple(nodes),
            tuple(edits),
            tuple(said),
            provenance=Provenance.PROVEN if sure else Provenance.ONE_NAME,
        )


def _copied(call: ast.Call, target: ast.expr) -> ast.expr | None:
    """The source of a plain `target.copy_(source)`."""
    plain = in_place_name(call) == "copy_" and isinstance(call.func, ast.Attribute) and call.func.value is target
    return call.args[0] if plain and call.args else None


def _is_constant(value: ast.expr) -> bool:
    return not any(isinstance(n, (ast.Name, ast.Attribute, ast.Call)) for n in ast.walk(value))


def _takes_all(index: ast.expr) -> bool:
    match index:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case ast.Constant(value=value):
            return value is ...
        case ast.Tuple(elts=elements):
            return all(_takes_all(e) for e in elements)
    return False
