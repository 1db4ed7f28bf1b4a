"""torch.save of whole models."""
from __future__ import annotations

import ast

from torch2ms.rules.api import Api, compile_api
from torch2ms.rules.rows import bind_call, by_row
from torch2ms.rules.site import Outcome, Refusal, Site
from torch2ms.rules.special import rewrite
from torch2ms.rules.values import kind_of

_ROW = Api(
    "torch.save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False)",
    "serialization.save(obj, f)",
)


@rewrite("torch.save")
def save(site: Site) -> Outcome:
    """Checkpoints hold tensors and plain containers, never a model with its code."""
    if site.call is not None:
        if any(isinstance(a, ast.Starred) for a in site.call.args) or any(k.arg is None for k in site.call.keywords):
            # the runtime takes all of PyTorch's arguments: `def save_on_master(*args, **kwargs)` hands them on
            return by_row(site, Api("torch.save", "serialization.save"))
        what = bind_call(site, compile_api(_ROW)).value("obj")
        if what is not None and kind_of(site.facts, what) == "MODULE":
            raise Refusal("T2M401", "a whole model is pickled here, which only PyTorch could read again",
                          "save model.state_dict() and build the model before loading it")
    return by_row(site, _ROW)
