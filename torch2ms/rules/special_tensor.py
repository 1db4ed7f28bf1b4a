"""Tensor methods and functions whose form depends on their arguments."""
from __future__ import annotations

import ast
from dataclasses import replace

from torch2ms.edits import Provenance, Replace
from torch2ms.rules.api import Api, compile_api
from torch2ms.rules.rows import bind_call, by_bound, by_row, guarded, outcome
from torch2ms.rules.signature import is_int
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import is_number, is_tensor

_SIZE = Api("torch.Tensor.size(self, dim=None)", "self.size(dim)")


def called(site: Site) -> tuple[ast.Call, ast.expr]:
    """The call and the receiver of a method site; raises Refusal for a value use or a method taken from its class."""
    if site.call is None or site.receiver is None:
        raise Refusal("T2M102", f"{site.name} is used as a value", "call it on the tensor, or wrap it in a lambda that does")
    return site.call, site.receiver


@rewrite("torch.Tensor.size")
def size(site: Site) -> Outcome:
    """`x.size()` is `x.shape`, `x.size(0)` is `x.shape[0]`."""
    call, receiver = called(site)
    bound = bind_call(site, compile_api(_SIZE))
    if bound.starred is not None or bound.keywords:
        raise Refusal("T2M102", "torch.Tensor.size is called with `*` arguments", "write the dimension out")
    dim = bound.value("dim")
    if dim is None or isinstance(dim, ast.Constant) and dim.value is None:
        return outcome(site, Replace(call, "$0.shape", (receiver,)))
    if site.provenance is Provenance.GUARDED and is_int(dim):
        site = replace(site, provenance=Provenance.ONE_NAME)  # nothing else has a method `size` that takes a number
    return outcome(site, Replace(call, "$0.shape[$1]", (receiver, dim)))


@rewrite("torch.Tensor.max", "torch.Tensor.min")
def extremum(site: Site) -> Outcome:
    """Stays a method where the result is one value or a pair that is only unpacked or indexed by number."""
    name = site.name.rpartition(".")[2]
    api = Api(f"torch.Tensor.{name}(self, dim=None, keepdim=False, *, other=None)", f"mint.{name}(self, dim, keepdim, other=other)")
    call = site.call
    if call is None:
        return by_row(site, api)
    bound = bind_call(site, compile_api(api))
    dim = bound.value("dim")
    if dim is not None and is_tensor(site.facts, dim):
        return by_row(site, Api(f"torch.Tensor.{name}(self, other)", f"mint.{name}imum(self, other)"))
    by_number = dim is None or is_number(site.facts, dim)
    if by_number and {k.arg for k in call.keywords} <= {"dim", "keepdim"} and (dim is None or _only_a_pair(site)):
        return outcome(site)
    return by_row(site, api)


def _only_a_pair(site: Site) -> bool:
    match site.parent():
        case ast.Subscript(value=value):
            return value is site.node
        case ast.Assign(targets=[ast.Tuple()]):
            return True
    return False


@rewrite("torch.std", "torch.var", "torch.std_mean", "torch.var_mean", "torch.Tensor.std", "torch.Tensor.var")
def spread(site: Site) -> Outcome:
    """Standard deviation and variance: `unbiased` becomes `correction`."""
    first = "self" if site.name.startswith("torch.Tensor.") else "input"
    api = Api(f"{site.name}({first}, dim=None, unbiased=True, keepdim=False, *, correction=1, out=None)",
              f"mint.{site.name.rpartition('.')[2]}({first}, dim, correction=correction, keepdim=keepdim)")
    if site.call is None:
        raise Refusal("T2M102", f"{site.name} is used as a value", "wrap it in a lambda that calls it")
    bound = bind_call(site, compile_api(api))
    unbiased = bound.passed.pop("unbiased", None)
    dim = bound.value("dim")
    if unbiased is None and isinstance(dim, ast.Constant) and isinstance(dim.value, bool):
        unbiased = bound.passed.pop("dim")
    if unbiased is not None:
        if not isinstance(unbiased.value, ast.Constant):
            raise Refusal("T2M102", f"{site.name} takes `unbiased` from a variable", "pass correction=int(unbiased)")
        if not unbiased.value.value:
            bound.literals["correction"] = "0"
    correction = bound.value("correction")
    if isinstance(correction, ast.Constant) and correction.value is None:
        del bound.passed["correction"]
    return by_bound(site, compile_api(api), bound)


@rewrite("torch.scatter", "torch.Tensor.scatter")
def scatter(site: Site) -> Outcome:
    """`src` may be a number; with `reduce` it is another function."""
    first = "self" if site.name.startswith("torch.Tensor.") else "input"
    left = f"{site.name}({first}, dim, index, src=None, *, value=None, reduce=None, out=None)"
    if site.call is None:
        return by_row(site, Api(left, f"mint.scatter({first}, dim, index, src)"))
    bound = bind_call(site, compile_api(Api(left, f"mint.scatter({first}, dim, index, src)")))
    if "value" in bound.passed:
        return by_row(site, Api(left, f"mint.scatter({first}, dim, index, src=value)"))
    return by_row(site, Api(left, f"mint.scatter({first}, dim, index, src)"))


@rewrite("torch.bernoulli", "torch.Tensor.bernoulli")
def bernoulli(site: Site) -> Outcome:
    """With `p` the input only gives shape and type."""
    first = "self" if site.name.startswith("torch.Tensor.") else "input"
    left = f"{site.name}({first}, p=None, *, generator=None, out=None)"
    plain = Api(left, f"mint.bernoulli({first}, generator=generator)")
    if site.call is not None and "p" in bind_call(site, compile_api(plain)).passed:
        return by_row(site, Api(left, f"mint.bernoulli(mint.full_like({first}, p), generator=generator)"))
    return by_row(site, plain)


@rewrite("torch.Tensor.new_full")
def new_full(site: Site) -> Outcome:
    """The data type is the receiver's unless the call says another."""
    left = "torch.Tensor.new_full(self, size, fill_value, *, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)"
    return _like_receiver(site, left, "mint.full(size, fill_value, dtype={dtype})")


@rewrite("torch.Tensor.new_tensor")
def new_tensor(site: Site) -> Outcome:
    """The data type is the receiver's unless the call says another."""
    left = "torch.Tensor.new_tensor(self, data, *, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False)"
    return _like_receiver(site, left, "mindspore.tensor(data, dtype={dtype})")


def _like_receiver(site: Site, left: str, right: str) -> Outcome:
    called(site)
    row = Api(left, right.format(dtype="self.dtype"))
    if "dtype" in bind_call(site, compile_api(row)).passed:
        row = Api(left, right.format(dtype="dtype"))
    return by_row(site, row)


@rewrite("torch.Tensor.values", "torch.Tensor.indices")
def parts_of_a_pair(site: Site) -> Outcome:
    """As attributes they belong to the result of max, sort, topk ...; as methods to sparse tensors."""
    if site.call is None:
        return outcome(site)
    raise Refusal("T2M101", f"{site.name} belongs to sparse tensors", "keep the data dense, or see mindspore.COOTensor")


@rewrite("torch.squeeze", "torch.Tensor.squeeze")
def squeeze(site: Site) -> Outcome:
    """The method squeezes one dimension or all; mint.squeeze wants a dimension and takes several."""
    first = "self" if site.name.startswith("torch.Tensor.") else "input"
    left = f"{site.name}({first}, dim=None)"
    row = Api(left, f"mint.squeeze({first}, dim)")
    if site.call is None:
        return by_row(site, Api(left, "self.squeeze((_ := dim))") if first == "self" else row)
    dim = bind_call(site, compile_api(row)).value("dim")
    if dim is None:
        return by_row(site, Api(left, f"{first}.squeeze()"))
    if first == "self" and is_number(site.facts, dim):
        return by_row(site, Api(left, "self.squeeze((_ := dim))"))
    return by_row(site, row)


@rewrite("torch.squeeze_copy")
def squeeze_copy(site: Site) -> Outcome:
    """Without `dim` all dimensions of one element go, which mint.squeeze does not do."""
    left = "torch.squeeze_copy(input, dim=None)"
    row = Api(left, "mint.clone(mint.squeeze(input, dim))")
    if site.call is not None and bind_call(site, compile_api(row)).value("dim") is None:
        row = Api(left, "mint.clone(input.squeeze())")
    return by_row(site, row)


_OF_FLOATS = (
    "acos acosh asin asinh atan atanh arccos arcsin arctan ceil cos cosh exp expm1 floor log log1p log10 log2 sin sinh tan rsqrt isinf "
    "isposinf isneginf sigmoid erf erfc sign square"
).split()


@rewrite(*(f"torch.Tensor.{name}" for name in _OF_FLOATS))
def of_floats(site: Site) -> Outcome:
    """On the CPU these methods refuse integers, which PyTorch promotes; the functions of mint take them.

    Of small numbers, the methods expm1 and log1p return 0 there; isposinf has no kernel for integers at all.
    """
    name = site.name.rpartition(".")[2]
    left = f"torch.Tensor.{name}(self)"
    dtype = site.facts.kinds.of(site.receiver).dtype if site.receiver is not None else None
    is_whole = dtype is not None and dtype.startswith(("int", "uint", "bool"))
    if is_whole or name in ("expm1", "log1p", "isposinf"):
        return by_row(site, Api(left, f"mint.{name}(self)"))
    return by_row(site, Api(left, f"self.{name}()"))


@rewrite("torch.is_tensor")
def is_a_tensor(site: Site) -> Outcome:
    """`filter(torch.is_tensor, values)` takes a function of the same one argument."""
    if site.call is None:
        return outcome(site, Replace(site.node, "(lambda obj: isinstance(obj, $mindspore.Tensor))"))
    return by_row(site, Api("torch.is_tensor(obj)", "isinstance(obj, mindspore.Tensor)"))


@rewrite("torch.Tensor.abs", "torch.Tensor.absolute")
def absolute(site: Site) -> Outcome:
    """The method leaves complex numbers complex; the function of mint does not."""
    name = site.name.rpartition(".")[2]
    dtype = site.facts.kinds.of(site.receiver).dtype if site.receiver is not None else None
    text = site.facts.source.text
    complex_ = dtype.startswith("complex") if dtype else any(word in text for word in ("fft", "complex", "stft"))
    return by_row(site, Api(f"torch.Tensor.{name}(self)", "mint.abs(self)" if complex_ else f"self.{name}()"))


@rewrite("torch.Tensor.data")
def data(site: Site) -> Outcome:
    """A read of `.data` is cut from the graph; what is written through it reaches the tensor in MindSpore, too."""
    above = site.parent()
    written = isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load)
    if site.receiver is None or written or not isinstance(getattr(site.node, "ctx", None), ast.Load):
        return outcome(site)
    return outcome(site, Replace(site.node, "$ops.stop_gradient($0)", (site.receiver,)))


@rewrite("torch.clamp_min", "torch.clamp_max", "torch.Tensor.clamp_min", "torch.Tensor.clamp_max")
def one_bound(site: Site) -> Outcome:
    """A clamp with a number, the elementwise maximum or minimum with a tensor."""
    first = "self" if site.name.startswith("torch.Tensor.") else "input"
    end = site.name[-3:]
    left = f"{site.name}({first}, {end}, *, out=None)"
    row = Api(left, f"mint.clamp({first}, {end}={end})")
    if site.call is not None:
        bound = bind_call(site, compile_api(row)).value(end)
        if bound is not None and is_tensor(site.facts, bound):
            row = Api(left, f"mint.{'maximum' if end == 'min' else 'minimum'}({first}, (other := {end}))")
    return by_row(site, row)


@rewrite("torch.as_strided")
def as_strided(site: Site) -> Outcome:
    """Without sizes it is the first element, whatever the strides of the tensor are; anything else reads its memory."""
    row = Api("torch.as_strided(input, size, stride, storage_offset=None)", "input.reshape(-1)[0]")
    if site.call is not None:
        bound = bind_call(site, compile_api(row))
        base = bound.value("input")
        empty = [isinstance(v := bound.value(name), (ast.Tuple, ast.List)) and not v.elts for name in ("size", "stride")]
        if all(empty) and "storage_offset" not in bound.passed and base is not None:
            return outcome(site, Replace(site.call, "$0.reshape(-1)[0]", (base,)))
    raise Refusal("T2M101", "torch.as_strided has no counterpart in MindSpore", "write the view with indexing, unfold or reshape")


@rewrite("torch.Tensor.numel")
def numel(site: Site) -> Outcome:
    """Stays on tensors; an object of unknown kind may be a shape, which is a tuple without the method."""
    row = Api("torch.Tensor.numel(self)", "self.numel()")
    if site.provenance is Provenance.GUARDED and site.call is not None and site.receiver is not None:
        return guarded(site, "numel")
    return by_row(site, row)


@rewrite("torch.Tensor.argmax")
def argmax(site: Site) -> Outcome:
    """The method along a dimension; over the whole tensor the function."""
    left = "torch.Tensor.argmax(self, dim=None, keepdim=False)"
    whole = site.call is not None and not site.call.args and not site.call.keywords
    return by_row(site, Api(left, "mint.argmax(self, dim, keepdim)" if whole else "self.argmax(dim, keepdim)"))


@rewrite("torch.Tensor.transpose")
def transpose(site: Site) -> Outcome:
    """Stays as it is; with `--jit` the function: MindSpore compiles `x.transpose(0, 1)` as a permutation, which changes nothing."""
    left = "torch.Tensor.transpose(self, dim0, dim1)"
    jit = site.facts.options.jit
    return by_row(site, Api(left, "mint.transpose(self, dim0, dim1)" if jit else "self.transpose(dim0, dim1)"))
