"""torch.randint, whose two signatures differ in their first parameter."""
from __future__ import annotations

from torch2ms.rules.api import Api
from torch2ms.rules.rows import by_row
from torch2ms.rules.site import Outcome, Site
from torch2ms.rules.special import rewrite

_REST = "*, generator=None, out=None, dtype=None, layout=torch.strided, device=None, requires_grad=False, pin_memory=False"
_THREE = Api(
    f"torch.randint(low=0, high=None, size=None, {_REST})",
    "mint.randint((_ := low), (_ := high), (_ := size), generator=generator, dtype=dtype)",
)
_TWO = Api(f"torch.randint(high, size, {_REST})", "mint.randint((_ := high), (_ := size), generator=generator, dtype=dtype)")


@rewrite("torch.randint")
def randint(site: Site) -> Outcome:
    """`randint(high, size)` or `randint(low, high, size)`."""
    if site.call is None:
        return by_row(site, _THREE)
    named = {keyword.arg for keyword in site.call.keywords}
    bounds = len(site.call.args) + len(named & {"low", "high"})
    return by_row(site, _TWO if bounds == 1 and "size" in named and "low" not in named else _THREE)
