"""The words of the random programs: ways to a view or an alias of a tensor `{h}`, and ways to write into a tensor `{v}`.

A view template is an expression, or statements (with a newline or ` = `) that bind `v`. A write template is one or more
statements; a single expression that is bound to `y` reads the value of the write, too. `{s}` is a tensor without
dimensions, `{o}` one of the shape of `{v}`; both carry gradient where the program has one.
"""

from __future__ import annotations

_VIEWS = {
    "alias": """
        {h} | v = u = {h} | v, n = {h}, 2 | (({h})) | {h} if flag else None | v = None or {h} | {h}.requires_grad_(False) if False else {h}
    """,
    "reshape": """
        {h}.view(-1) | {h}.view(2, -1) | {h}.reshape(-1, 2) | {h}.flatten() | {h}.unsqueeze(0) | {h}.unsqueeze(1) | {h}.unsqueeze(-1)
        {h}.view({h}.size(0), -1) | {h}[None] | {h}.squeeze() | torch.flatten({h}, 0) | {h}.reshape({h}.shape) | {h}.view(1, *{h}.shape)
        {h}.unflatten(0, (1, -1)) | torch.reshape({h}, (-1,)) | {h}.view_as({h}) | {h}.reshape(-1) | torch.unsqueeze({h}, 0) | {h}.view(4, 3)
    """,
    "transpose": """
        {h}.t() | {h}.T | {h}.transpose(0, 1) | {h}.transpose(-2, -1) | {h}.permute(1, 0) | {h}.swapaxes(0, 1) | {h}.mT
        torch.transpose({h}, 0, 1) | {h}.movedim(0, 1) | {h}.permute((1, 0)) | torch.permute({h}, (1, 0)) | {h}.swapdims(0, 1) | torch.t({h})
    """,
    "slice": """
        {h}[0] | {h}[1:] | {h}[:, :2] | {h}[:, 1] | {h}[-1] | {h}[::2] | {h}[..., 0] | {h}[:2, 1:] | {h}.narrow(0, 0, 2) | {h}.select(1, 0)
        {h}.diagonal() | {h}[:n] | {h}[n] | {h}[:, :] | {h}[:] | {h}[...] | {h}[:-1] | {h}[:, ::2] | {h}[0, :] | {h}[0, 1:] | {h}[..., :n] | {h}[0:{h}.shape[0]]
        torch.select({h}, 0, 1) | torch.narrow({h}, 1, 0, 2) | {h}[1:, :n] | {h}[n - 1]
    """,
    "split": """
        {h}.chunk(2)[0] | {h}.split(2)[1] | {h}.unbind(0)[1] | torch.chunk({h}, 2, 1)[1] | torch.split({h}, [1, 2])[1] | torch.unbind({h})[0]
        v, rest = {h}.chunk(2) | parts = {h}.split(1, dim=1); v = parts[0] | v, *rest = {h}.unbind() | {h}.tensor_split(2)[0]
        rest, v = torch.chunk({h}, 2, dim=0) | v = list({h})[0] | v, *rest = {h}
    """,
    "nested": "",
    "container": """
        box = [{h}]; v = box[0] | d = {{"k": {h}}}; v = d["k"] | box = []; box.append({h}); v = box[-1] | v, other = ({h}, 1) | pair = Pair({h}, 1); v = pair.a
        box = [{h}[0], {h}[1]]; v = box[1] | box = ({h}.t(), 1); v = box[0] | box = [t for t in ({h}, {h})]; v = box[0] | d = dict(k={h}); v = d["k"]
        box = list({h}.unbind()); v = box[0] | box = [{h}.view(-1), {h}.t()]; v = box[n - 1] | d = {{}}; d["k"] = {h}; v = d.get("k")
        v = [{h}, {h}.t()][0] | v = next(iter([{h}])) | box = [[{h}]]; v = box[0][0]
    """,
    "attribute": """
        holder = Holder(); holder.t = {h}; v = holder.t | holder = Holder(); holder.t = {h}.view(-1); v = holder.t | holder = Kept({h}); v = holder.t
        holder = Kept({h}); v = holder.rows() | holder = Kept({h}.t()); v = holder.t[0] | holder = Holder(); holder.box = [{h}]; v = holder.box[0]
        holder = Point({h}, 1); v = holder.a
    """,
    "copy": """
        {h}[[0, 1]] | {h}[{h} > 0] | {h}[torch.tensor([0, 2])] | {h}.clone() | {h}.contiguous() | {h} * 1 | {h}.to(torch.float32) | {h}.float() | {h}[:, [0, 2]]
        {h}.index_select(0, torch.tensor([0, 1])) | torch.clone({h}) | {h}.t().contiguous() | {h}.detach().clone() | {h}.masked_select({h} > 0) | {h} + 0
        {h}.double().float() | {h}.repeat(1, 1) | torch.cat([{h}]) | {h}[torch.tensor([True, False, True])] | {h}[idx] | {h}[idx][0] | {h}[[0, 1]].t() | torch.stack([{h}])[0]
        {h}.type(torch.float32) | {h}.type_as({h}) | {h}.to({h}) | {h}.cpu() | torch.relu({h}) | {h}.clone().t() | {h}.gather(0, torch.zeros(1, 4, dtype=torch.long))
        copied = {h}.clone(); v = copied | v = {h}[idx]; u = v | {h}.new_zeros(3, 4) | torch.zeros_like({h}) | {h}[range(2)] | {h}[[n, 0]][:, 1:]
    """,
    "detached": """
        {h}.detach() | {h}.data | {h}.detach()[0] | {h}.data.view(-1) | {h}.detach().t() | {h}.data[1:] | {h}[0].detach() | {h}.view(-1).data | torch.detach({h})
    """,
    "returned": """
        same({h}) | half({h}) | turned({h}) | fresh({h}) | either({h}, {h} * 2) | nn.Identity()({h}) | F.dropout({h}, 0.5, training=False) | nn.Flatten(0)({h})
        wrapped({h})[0] | v, n = pair({h}) | (lambda t: t)({h}) | (lambda t: t[1:])({h}) | same(half({h})) | torch.as_tensor({h})
    """,
}
_WRITES = {
    "method": """
        {v}.add_(1) | {v}.mul_(2) | {v}.sub_({s}) | {v}.div_(2) | {v}.clamp_(-1, 1) | {v}.neg_() | {v}.abs_() | {v}.sigmoid_() | {v}.tanh_() | {v}.mul_({o})
        {v}.add_({s}, alpha=2) | {v}.mul_(0.5).add_(1) | y = {v}.add_(1) | y = {v}.mul_({s}).sub_(1) | {v}.clamp_(min=0) | {v}.relu_() | {v}.pow_(2) | {v}.square_()
        {v}.add_({o}).clamp_(max=2) | {v}.lerp_({o}, 0.3) | {v}.addcmul_({o}, {o}, value=0.5) | {v}.sub_({v}) | {v}.exp_() | {v}.data.mul_(2) | {v}.masked_fill_({o} > 5, 0).add_(1)
        y = {v}.tanh_() * 2 | y = torch.sin({v}.add_(1)) | {v}.add_(other={s}) | {v}.addcdiv_({o}, {o} + 3) | {v}.floor_() | {v}.remainder_(2) | {v}.erf_() | {v}.sqrt_().nan_to_num_()
    """,
    "fill": """
        {v}.copy_({o}) | {v}.fill_(2) | {v}.zero_() | {v}.copy_({v} * 2) | {v}.fill_({s}) | {v}.zero_().add_({s}) | y = {v}.zero_() | {v}.copy_({s}) | y = {v}.copy_({o})
        {v}.copy_({o}, non_blocking=True) | {v}.copy_(({o} * 2).double()) | {v}.fill_(1.5).mul_({s})
    """,
    "indexed": """
        {v}.masked_fill_({v} > 0, 0) | {v}.masked_fill_({v} < 0.5, {s}) | {v}.index_fill_(0, zero, 2) | {v}.index_add_(0, zero, {o}[:1]) | {v}.index_copy_(0, zero, {o}[:1])
        {v}.scatter_(0, {z}, 3.0) | {v}.scatter_(0, {z}, {o}) | {v}.scatter_add_(0, {z}, {o}) | {v}.index_put_((zero,), {s}) | y = {v}.masked_fill_({v} > 0, 1)
        {v}.index_fill_(-1, zero, -1) | {v}.masked_fill_(({v} > 0), -1).mul_(2) | {v}.index_add_(0, zero, {o}[:1], alpha=2) | {v}.masked_fill_(mask={v} > 1, value=1)
    """,
    "augmented": """
        {v} += 1 | {v} *= 2 | {v} -= {s} | {v} /= 2 | {v} += {o} | {v} *= {s} | {v} **= 2 | {v} += {v} | {v} *= {v} | {v} -= {v}.mean() | {v} %= 2 | {v} //= 2
        {v} += 1; {v} *= {s} | {v} += torch.ones_like({v}) | {v} = {v} + 1; {v} *= 2
    """,
    "item": """
        {v}[0] = 1 | {v}[1:] = {s} | {v}[:] = 3 | {v}[...] = {s} | {v}[0] = {o}[0] | {v}[-1] = {v}[0] | {v}[:1] = {o}[:1] | {v}[..., 0] = 5 | {v}[..., 1:] = {s} | {v}[:] = {o}
        {v}[n] = {s} | {v}[:n] = 0 | {v}[..., :n] = 4 | {v}[...] = {o} | {v}[0], m = 2, 3 | {v}[1:] = {v}[:-1].clone() | {v}[:, 0] = {s} | {v}[0, 1:] = 1 | {v}[::2] = {s} | {v}[0][1:] = {s}
        {v}.t()[0] = {s} | {v}.view(-1)[1:3] = {s} | {v}[:, :] = 2 | {v}[:, :] = {s} | {v}[0][0] = 1 | {v}[1] = {v}[0] | {v}[0] = {v}[1] = {s} | {v}[:2][0] = 7 | box = [{v}]; box[0].mul_(2) | box = [{v}]; box[0] += {s} | box = [{v}]; box[0][0] = 1
    """,
    "mask": """
        {v}[{v} > 0] = 0 | {v}[{v} < 1] = {s} | {v}[[0, 1]] = 2 | {v}[zero] = {s} | {v}[{o} > 0] = -1 | {v}[..., [0]] = 3 | {v}[({v} > 0) & ({v} < 2)] = 1 | m = {v} > 0; {v}[m] = {o}[m]
        {v}[~({v} > 0)] = 0 | m = {v} > 1; {v}[m] = {v}[m] * 2 | {v}[torch.isnan({v})] = 0 | {v}[idx] = 0 | {v}[[0]] = {s} | {v}[{v}.abs() > 1] = {s}
    """,
    "item_augmented": """
        {v}[0] += 1 | {v}[1:] *= {s} | {v}[0].mul_(2) | {v}[:1].add_({s}) | {v}[{v} > 0] *= 2 | {v}[..., 0] -= {s} | {v}[..., :n] *= 2 | {v}[..., 1:].clamp_(0, 1) | {v}[n] /= 2
        {v}[:] += 1 | {v}[zero] += {s} | {v}[0].zero_() | {v}[-1].fill_({s}) | {v}[1:].copy_({o}[1:]) | {v}[...] *= 2 | {v}[:n].mul_({s}).add_(1) | {v}[[0, 1]] *= 2 | {v}.t()[0] += 1
        {v}.view(-1)[0] += {s} | {v}.view(-1).mul_(2) | {v}.t().add_({s}) | {v}[0][1:] += 1 | y = {v}[0].add_(1) | {v}[..., 0].sub_(1) | {v}[1:][0] += 1 | {v}.unsqueeze(0).add_(1) | {v}[0].masked_fill_({v}[0] > 0, 0)
        {v}[:, 0].add_({s}) | {v}[:, :1].zero_() | {v}[idx].add_(1) | {v}[{v} > 0].mul_(2) | {v}.select(0, 0).add_(1) | {v}.narrow(0, 0, 1).mul_({s})
    """,
    "function": """
        bump({v}) | scale({v}, {s}) | clear({v}) | grow({v}) | y = bumped({v}) | bump_all([{v}]) | bump_first({v}) | twice({v}) | masked({v}) | maybe({v}, flag) | y = bumped({v}) * 2
        bump(t={v}) | scale({v}, by=2) | bump({v}[0]) | twice({v}.view(-1)) | bump_all(({v}, {v})) | scale({v}.t(), {s}) | y = rebound({v}) | changer = Changer(); changer({v}) | Changer().run({v}) | (lambda t: t.add_(1))({v})
    """,
    "operand": """
        F.relu({v}, inplace=True) | y = F.relu({v}, inplace=True) | nn.ReLU(inplace=True)({v}) | y = nn.ReLU(True)({v}) | torch.add({v}, 1, out={v}) | torch.mul({o}, 2, out={v}) | F.leaky_relu({v}, 0.2, inplace=True)
        act = nn.ReLU(inplace=True); y = act({v}) | act = nn.Sequential(nn.ReLU(inplace=True)); y = act({v}) + 1 | torch.relu_({v}) | y = F.hardtanh({v}, inplace=True) | torch.clamp({v}, 0, 1, out={v})
        F.elu({v}, inplace=True) | torch.sigmoid_({v}) | y = F.relu_({v}) | y = F.dropout({v}, 0.5, training=False, inplace=True) | torch.neg({o}, out={v}) | torch.sum({o}, 0, out={v}[0]) | y = torch.add({o}, 1, out={v})
    """,
    "init": """
        nn.init.constant_({v}, 2.0) | nn.init.zeros_({v}) | nn.init.constant_({v}[0], 1.0) | nn.init.ones_({v}[1:]) | {v}.data.add_(1) | {v}.data[0] = 3 | {v}.data = {v}.data * 2 | {v}.detach().mul_(2)
        {v}.data.copy_({o}) | {v}.data *= 2 | {v}.detach()[0] = 1 | nn.init.constant_({v}[..., :1], 4.0) | {v}.data.clamp_(-1, 1) | {v}.data[1:] += 1 | {v}.detach().zero_() | {v}.data.fill_(2) | y = {v}.data.mul_(2)
    """,
    "rows": """
        for row in {v}:; +row.mul_(2) | for row in {v}:; +row += 1 | for i in range({v}.shape[0]):; +{v}[i] = {v}[i] * 2 | for i in range(len({v})):; +{v}[i] += {s} | for row in {v}:; +row[0] = 0
        for i, row in enumerate({v}):; +row.add_(i) | for row, other in zip({v}, {o}):; +row.add_(other) | for i, row in enumerate({v}):; +row.fill_(i); +row.mul_({s}) | for row in {v}.unbind():; +row.sub_(1) | for row in {v}[1:]:; +row.zero_()
        for i in range({v}.size(0)):; +{v}[i].mul_(i + 1) | for row in list({v}):; +row.clamp_(0, 1) | for row in {v}.split(1):; +row *= 2 | for row in {v}:; +bump(row) | for row in reversed(list({v})):; +row.add_({s}) | [row.add_(1) for row in {v}] | for i in range({v}.shape[-1]):; +{v}[..., i] += 1 | for i in range({v}.size(0)):; +{v}[i, ...].mul_({s}).add_(1)
    """,
}


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for line in text.strip().splitlines() for part in line.split(" | ") if part.strip())


VIEWS: dict[str, tuple[str, ...]] = {kind: _listed(text) for kind, text in _VIEWS.items()}
WRITES: dict[str, tuple[str, ...]] = {kind: _listed(text) for kind, text in _WRITES.items()}
# the kinds that views of views are put together from
NESTING = ("reshape", "transpose", "slice")

HELPERS = {
    "Pair": "Pair = namedtuple('Pair', ['a', 'b'])",
    "Point": "@dataclass\nclass Point:\n    a: torch.Tensor\n    b: int",
    "Holder": "class Holder:\n    pass",
    "Kept": "class Kept:\n    def __init__(self, t):\n        self.t = t\n\n    def rows(self):\n        return self.t[1:]",
    "Changer": "class Changer:\n    def __call__(self, t):\n        t.mul_(2)\n\n    def run(self, t):\n        t[0] = 1",
    "same": "def same(t):\n    return t",
    "half": "def half(t):\n    return t[1:]",
    "turned": "def turned(t):\n    return t.t()",
    "fresh": "def fresh(t):\n    return t + 1",
    "either": "def either(a, b):\n    return a if a.sum() > b.sum() else b",
    "wrapped": "def wrapped(t):\n    return [t]",
    "pair": "def pair(t):\n    return t.view(-1), 2",
    "bump": "def bump(t):\n    t.add_(1)",
    "bump_all": "def bump_all(ts):\n    for t in ts:\n        t += 1",
    "bump_first": "def bump_first(t):\n    t[0].add_(1)",
    "bumped": "def bumped(t):\n    return t.add_(1)",
    "scale": "def scale(t, by):\n    t *= by",
    "clear": "def clear(t):\n    t[0] = 0",
    "grow": "def grow(t):\n    t += 1\n    t[1:] = 2",
    "twice": "def twice(t):\n    bump(t)\n    bump(t)",
    "masked": "def masked(t):\n    t[t > 0] = 1",
    "maybe": "def maybe(t, really):\n    if really:\n        t.mul_(3)",
    "rebound": "def rebound(t):\n    t = t * 2\n    t.add_(1)\n    return t",
}
