"""Casts that are written later: PyTorch gives the tensor itself where nothing has to change, views of it included."""

import pytest

from tests.side_by_side import check

WRITES = {
    "y = x.float()": "y.add_(1)",
    "y = x.to(torch.float32)": "y[0] = 9",
    "y = x.to('cpu', dtype=torch.float32, non_blocking=True)": "y.mul_(2)",
    "y = x.type(torch.float32)": "y.sub_(3)",
    "y = x.type_as(like)": "y[y > 1] = 0",
    "y = x.long()": "y.add_(2)",
    "y = x.contiguous()": "y.fill_(4)",
    "y = x.cpu().float().contiguous()": "y.clamp_(1, 2)",
    "y = x.float() if x.dim() else x": "y.add_(1)",
}
ARGUMENTS = ("b", "b[1]", "b.t()", "b[:, 1]", "b.int()", "b.double()")


@pytest.mark.parametrize("cast", WRITES)
def test_writes_reach_what_shares_the_storage(cast: str) -> None:
    calls = "\n".join(
        f"b = torch.arange(6.0).view(2, 3)\nx = {made}\nRESULT.append([f(x), x, b])" for made in ARGUMENTS
    )
    check(f"""
import torch
like = torch.ones(1)
def f(x: torch.Tensor):
    {cast}
    {WRITES[cast]}
    return y
RESULT = []
{calls}
""")


def test_chain_behind_a_cast_of_an_attribute() -> None:
    check("""
import torch
class Prefetcher:
    def __init__(self, batches):
        self.batches = iter(batches)
        self.preload()
    def preload(self):
        self.data = next(self.batches, None)
        if self.data is not None:
            self.data = self.data.float().sub_(1.0).div_(2.0)
    def next(self):
        data = self.data
        if data is not None:
            self.preload()
        return data
floats, ints = torch.arange(3.0), torch.arange(3)
prefetcher = Prefetcher([floats, ints])
RESULT = [prefetcher.next(), prefetcher.next(), floats, ints]
""")
