"""Decides the form of one backward: its forward function, what it is asked the gradients of, what it pulls through."""

from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training import weights as weights_of
from torch2ms.transforms.training.across import Across, NotAcross, find_across
from torch2ms.transforms.training.callees import Callees, is_loss_layer
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.entries import Entries
from torch2ms.transforms.training.events import Act, Event, flag, uses_gradients
from torch2ms.transforms.training.freezing import contained_leaf, frozen_between, own_leaves
from torch2ms.transforms.training.gradients import Group, Style
from torch2ms.transforms.training.harmless import split
from torch2ms.transforms.training.jit import hindrance
from torch2ms.transforms.training.nested import left_calls, quieted
from torch2ms.transforms.training.origins import Origin, Origins
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.pieces import Forward, declarations
from torch2ms.transforms.training.plans import Declined, Impossible, ScopePlan, Step
from torch2ms.transforms.training.pools import overlap
from torch2ms.transforms.training.region import Region, Regions
from torch2ms.transforms.training.shared import NotShared, Shared, find_made, module_call
from torch2ms.transforms.training.weights import Sources, Weights

_CONTAINERS = (Kind.SEQUENCE, Kind.MAPPING)


class Stepper:
    """Plans single steps of one scope."""

    def __init__(
        self, plan: ScopePlan, regions: Regions, owners: Owners, callees: Callees, entries: Entries, entry: Env
    ) -> None:
        self.facts = plan.facts
        self.plan = plan
        self.regions = regions
        self.owners = owners
        # backwards under conditions that share one forward before the condition
        self.flat: set[ast.expr] = set()
        self._callees = callees
        self._entries = entries
        self._sources = Sources(plan.facts, callees)
        self._quieted = quieted(plan.facts)
        self._leaves_of_own = own_leaves(plan.facts, plan.layout, owners)
        self._origins = Origins(plan.facts, plan.layout, regions.carriers, entry)

    def step(self, group: Group, index: int) -> Step:
        """One backward of a group with everything decided; raises Declined where it takes no form."""
        plan = self.plan
        event = plan.events[index]
        self._check_call(event)
        region = self.regions.find(event, event.node not in self.flat)
        self._check_frozen(region)
        for name in sorted(self._leaves_of_own & {e.key for e in plan.events if e.act is Act.READ}):
            raise Declined(f"{name} asks for a gradient of its own")
        across = self._across(region)
        handed = region.shared if across is not None else frozenset()
        pulls = self._pulls(region, group, handed)
        calls = across.calls[0].stmts if across is not None else []
        calls = [*calls, *(stmt for shared in pulls for stmt in shared.region.stmts)]
        weights = self._weights(group, region, self._leaves(region), calls, bool(pulls))
        self._check_pulls(group, pulls, weights)
        forward = self._forward(region)
        made = self.regions.flow.reads(list(weights.parts)) & self.regions.flow.writes(forward.kept)
        if made:
            raise Declined(f"the gradient of {min(made)} is asked for, which is made between forward and backward")
        if pulls:
            names = tuple(shared.name for shared in pulls)
            forward = forward.with_parameters((*names, *(n for n in forward.parameters if n not in names)))
        if self.facts.options.jit:
            plan.uncompiled[event.node] = reason = (
                "its input is differentiated" if pulls else hindrance(self.facts, forward)
            )
            forward = replace(forward, jit=not reason)
        own = not pulls or self._reaches(group, region.stmts, event.owner)
        first = plan.gradients.starts(group, index)
        return Step(index, event, group, forward, weights, first, plan.layout.loop(region.close), across, pulls, own)

    def needed_by_tape(self, step: Step) -> bool:
        """Whether a backward that runs on the tape hangs on values that the forward of a step computes."""
        own = {s for stmt in step.forward.region.stmts for s in ast.walk(stmt)}
        made = self.regions.flow.writes(step.forward.region.stmts)
        for call in self.facts.once(left_calls):
            if (stmt := self.facts.statement(call)) in self.plan.layout.places and stmt not in own:
                outputs = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "outputs")]
                if self.regions.flow.reads(outputs) & made:
                    return True
        for event, _ in self.plan.declined:
            region = self.regions.find(event)
            start = region.block[region.start]
            seen: set[ast.stmt] = set(region.stmts)
            todo = [stmt for where in region.shared for stmt in self._origins.producers(start, where)]
            while todo:
                stmt = todo.pop()
                if stmt in seen:
                    continue
                seen.add(stmt)
                carried = self.regions.carriers.before[stmt]
                names = [where for where in carried if where.partition(".")[0] in self.regions.flow.reads([stmt])]
                todo += [made for where in names for made in self._origins.producers(stmt, where)]
            if seen & own:
                return True
        return False

    def _reaches(self, group: Group, stmts: list[ast.stmt], loss: ast.expr | None, leaves: Env = frozenset()) -> bool:
        """Whether statements may use weights that the optimizers of a group hold."""
        used = self._sources.roots(stmts, loss)
        held = [pool.holding for pool in group.pools]
        if used is None or not held:
            return True
        paths = frozenset(self.owners.path(node) or where for where, node in used.items())
        return any(h is None or overlap(h.roots, paths | leaves) for h in held)

    def _across(self, region: Region) -> Across | None:
        """The forward that callers hand over, where the loss hangs on attributes that another method set."""
        needs = frozenset(w for w in region.shared if self._origins.of(region, w) is Origin.OUTSIDE)
        if not needs:
            return None
        if not all(where.startswith("self.") for where in needs):
            raise Declined(f"the loss hangs on {min(needs)}, computed in another function")
        try:
            return find_across(self.facts, self._entries, self.plan.layout.scope, needs)
        except NotAcross as reason:
            raise Declined(str(reason)) from None

    def _pulls(self, region: Region, group: Group, handed: Env) -> tuple[Shared, ...]:
        """The values from before the region through which its loss reaches the weights of the group."""
        found = {where: self._origins.of(region, where) for where in region.shared}
        leaves = self._leaves(region)
        held = [pool.holding for pool in group.pools]
        if (
            not handed
            and held
            and all(h is not None for h in held)
            and not self._reaches(group, region.stmts, region.site.owner, leaves)
        ):
            if not any(origin is Origin.HERE for origin in found.values()):
                raise Declined("the loss reaches no parameter of the optimizer in this function")
        own = Carriers(self.facts, self._callees)
        begin = leaves | handed | {where for where, origin in found.items() if origin is Origin.HERE}
        if not own.carries(region.site.owner, own.run(region.stmts, begin)):
            raise Declined("the loss is not computed in this function")
        retained = flag(region.site.node, "retain_graph", 1)  # type: ignore[arg-type]
        # where a backward is left out now and then, the graph of an earlier iteration is still there
        owner = self.plan.layout.places[region.site.stmt].owner
        entering = self.regions.inputs([*region.stmts, region.close])
        always = owner is None or owner is self.plan.layout.loop(region.site.stmt)
        pulls = []
        for where, origin in sorted(found.items()):
            if origin is Origin.OUTSIDE and where in handed:
                continue
            kept = origin is Origin.EARLIER and not always and where.partition(".")[0] in entering
            if origin is Origin.OUTSIDE or origin is Origin.EARLIER and retained or kept:
                raise Declined(f"the loss hangs on {where}, computed before the step")
            if origin is Origin.HERE:
                shared = self._shared(region, where)
                if self._reaches(group, shared.region.stmts, None):
                    pulls.append(shared)
        made = [stmt for shared in pulls for stmt in shared.region.stmts]
        if len(made) != len(set(made)):
            raise Declined("the loss hangs on two values of which one makes the other")
        return tuple(pulls)

    def _check_frozen(self, region: Region) -> None:
        """MindSpore asks at the backward whether a parameter is frozen, PyTorch at the forward."""
        if frozen_between(self.facts, self.plan.layout, self.regions, region, self.owners, self._sources):
            raise Impossible("requires_grad is set between a forward that may use the parameters and its backward")
        if contained_leaf(self.facts, region.stmts):
            raise Declined("a tensor that asks for a gradient is made inside a container")

    def _check_call(self, event: Event) -> None:
        call = event.node
        assert isinstance(call, ast.Call)
        if not event.bare:
            raise Declined("backward() is used inside an expression")
        if self.facts.names.of(call.func) == "torch.autograd.backward":
            raise Declined("torch.autograd.backward is called on several losses")
        if flag(call, "create_graph", 2):
            raise Declined("backward(create_graph=True) makes gradients that are differentiated again through `.grad`")
        if flag(call, "inputs", 3):
            raise Declined("backward(inputs=...) is not converted")

    def _check_pulls(self, group: Group, pulls: tuple[Shared, ...], weights: Weights) -> None:
        """Another optimizer may pull the same value only for the same weights."""
        stmts = {shared.stmt for shared in pulls}
        for other in self.plan.steps:
            if other.group is group or not any(shared.stmt in stmts for shared in other.pulls):
                continue
            same = other.weights.template == weights.template
            dumps = [[ast.dump(part) for part in one.parts] for one in (other.weights, weights)]
            if not same or dumps[0] != dumps[1]:
                raise Declined("two optimizers need the gradient of one value")

    def _shared(self, region: Region, where: str) -> Shared:
        """How a value from before a region is made once, with its pullback."""
        try:
            made = find_made(self.plan.layout, self.regions, self._origins, region, where)
        except NotShared as reason:
            raise Declined(str(reason)) from None
        name = next(n for n in ast.walk(made.stmts[-1]) if isinstance(n, ast.Name) and n.id == where)
        if self.facts.kinds.of(name).kind in _CONTAINERS:
            raise Declined(f"the loss hangs on {where}, which is no tensor, computed before the step")
        sure = Carriers(self.facts, self._callees, sure=True)
        if where not in sure.run(made.stmts, frozenset()):
            raise Declined(f"the loss hangs on {where}, which an unknown function made")
        return Shared(where, made, module_call(self.facts, made), self._forward(made))

    def _leaves(self, region: Region) -> Env:
        return frozenset(where for where in region.shared if self._origins.of(region, where) is Origin.LEAF)

    def _weights(
        self, group: Group, region: Region, leaves: Env, handed: list[ast.stmt], here: bool = False
    ) -> Weights:
        """What the gradients are asked of; `handed` also make the loss, in another function or `here`."""
        passing = any(self._passes(pool.owner, region) for pool in group.optimizers if pool.owner is not None)
        if passing:
            group.style, group.reason = Style.SLOTS, "the optimizer is the variable of a loop"
        if group.style is not Style.SLOTS:
            found = weights_of.of_group(self.owners, group, self.plan.events)
            if found is not None:
                return found
            group.style, group.reason = Style.SLOTS, "the clipped parameters are not provably those of the optimizer"
        beyond = self.plan.gradients.is_read and self._reaches_beyond(group, region, handed)
        found = None if passing or beyond else weights_of.of_slots(self.owners, group, self.plan.events)
        found = found or self._sources.of_region(region, leaves, handed, here)
        if found is None or beyond and here:
            raise Declined("the parameters that the loss reaches cannot be named here")
        self._check_bound(region, found)
        return found

    def _reaches_beyond(self, group: Group, region: Region, handed: list[ast.stmt]) -> bool:
        """Whether the loss may also hang on parameters that the group's optimizers do not hold, and so fill their `.grad`."""
        held = weights_of.union([pool.holding for pool in group.optimizers])
        reached = self._sources.known([*region.stmts, *handed], region.site.owner)
        if reached is None:
            return True
        reached = {where: node for where, node in reached.items() if not is_loss_layer(self.facts, node)}
        if not reached:
            return False
        return held is None or not held.whole or not reached.keys() <= held.roots

    def _passes(self, node: ast.expr, region: Region) -> bool:
        """Whether a name stands for many objects, one after another, in a loop that does not hold the backward."""
        around = set(self.plan.layout.around(region.close))
        return any(loop not in around for loop in self.owners.loops_over(node))

    def _check_bound(self, region: Region, weights: Weights) -> None:
        """The names of the weights must stand for them at the step: not the variable of a loop elsewhere."""
        names = {n.id for part in weights.parts for n in ast.walk(part) if isinstance(n, ast.Name)}
        around = set(self.plan.layout.around(region.close))
        for stmt in self.plan.layout.places:
            if isinstance(stmt, (ast.For, ast.AsyncFor)) and stmt not in around:
                if names & {n.id for n in ast.walk(stmt.target) if isinstance(n, ast.Name)}:
                    raise Declined("the weights are known only as the variable of a loop elsewhere")

    def _only_zeroes(self, stmt: ast.stmt) -> bool:
        """`if cond: optimizer.zero_grad()`: it stays where it stands."""
        idle = self.plan.gradients.idle
        zeros = {event.stmt for i, event in enumerate(self.plan.events) if event.act is Act.ZERO or i in idle}
        inner = [s for s in self.plan.layout.places if stmt in self.plan.layout.around(s)]
        return isinstance(stmt, ast.If) and bool(inner) and all(s in zeros or isinstance(s, ast.If) for s in inner)

    def _check_zeroes(self, moved: list[ast.stmt]) -> None:
        held = {s for stmt in moved for s in ast.walk(stmt)}
        if any(event.act is Act.ZERO and event.stmt in held for event in self.plan.events):
            raise Declined("zero_grad stands under a condition between forward and backward")

    def _forward(self, region: Region) -> Forward:
        idle = {self.plan.events[i].stmt for i in self.plan.gradients.idle}
        dropped = idle | {event.stmt for event in self.plan.events if event.act is Act.ZERO and event.bare}
        dropped |= {event.stmt for event in region.site.more} | self._quieted
        dropped |= {stmt for stmt in region.stmts if self._only_zeroes(stmt)}
        kept, later = split(self.facts, self.regions.flow, region, dropped)
        self._check_zeroes(kept + later)
        hidden = uses_gradients(self.facts, kept)
        if hidden is not None:
            raise Declined(f"{ast.unparse(hidden.func)}() uses or drops gradients between forward and backward")
        jumps = self.regions.flow.jumps(kept) if kept else None
        if jumps:
            raise Declined("return, break, continue or yield stands between forward and backward")
        later_all = [*later, *[s for s in region.stmts if s in dropped]]
        surface = self.regions.surface(region, kept, later_all)
        return Forward(
            region,
            kept,
            later,
            surface.parameters,
            surface.aux,
            declarations(self.facts, region, surface),
            surface.inputs,
        )
