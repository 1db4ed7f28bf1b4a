"""Data, random numbers, devices, checkpoints and copies around a model."""
import copy
import os
import pickle
import tempfile

import numpy as np
import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Subset,
    TensorDataset,
    random_split,
)
from torch.utils.data.dataloader import default_collate as dc2
from torch.utils.data.distributed import DistributedSampler

CHECKPOINT = os.path.join(tempfile.mkdtemp(), "checkpoint.pth")
g = torch.Generator()
g.manual_seed(3)
g2 = torch.Generator(device="cpu").manual_seed(4)
RESULT = [g.initial_seed(), g2.initial_seed()]
s = g.get_state()
a = torch.rand(3, generator=g)
g.set_state(s)
RESULT.append(bool((a == torch.rand(3, generator=g)).all()))
torch.manual_seed(0)
torch.cuda.manual_seed(0)
torch.cuda.manual_seed_all(0)
torch.random.manual_seed(1)
st = torch.get_rng_state()
x = torch.randn(3)
torch.set_rng_state(st)
RESULT.append(bool((x == torch.randn(3)).all()))
with torch.random.fork_rng():
    torch.manual_seed(99)
    torch.randn(2)
torch.initial_seed()
torch.seed()
torch.manual_seed(0)
for t in (torch.rand(2, 2), torch.rand_like(x), torch.randn_like(x), torch.randint(0, 5, (3,)), torch.randint(5, (3,)), torch.randint_like(x, 5), torch.randperm(4), torch.normal(0.0, 1.0, (2,)), torch.normal(torch.zeros(2), 1.0),
          torch.normal(torch.zeros(2), torch.ones(2)), torch.multinomial(torch.ones(4), 2), torch.bernoulli(torch.full((3,), 0.5)), torch.poisson(torch.ones(2))):
    RESULT.append([list(t.shape), str(t.dtype)])
e = torch.empty(4)
e.normal_()
e.uniform_()
e.exponential_()
e.random_()
e.bernoulli_()
e.cauchy_()
e.log_normal_()
e.geometric_(0.5)
e.zero_()
e.fill_(2.0)
RESULT.append(e)
RESULT.append(str(torch.zeros(1).dtype))
RESULT.append(str(torch.get_default_dtype()))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
RESULT.append(f"{device}"[:3])
y = x.to(device).to(device, torch.float64).to("cpu").to(x).to(torch.float32, non_blocking=True).to(device=device, dtype=torch.float16, copy=True).cpu().float()
RESULT.append([str(device.type) + "", str(y.dtype), y.is_cuda, str(y.device) + ""])
RESULT.append([torch.cuda.device_count(), torch.cuda.is_available()])
if torch.cuda.is_available():
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.memory_allocated()
    torch.cuda.max_memory_allocated()
    torch.cuda.memory_reserved()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.set_device(0)
    torch.cuda.current_device()
    torch.cuda.get_device_name(0)
    torch.cuda.get_device_properties(0).total_memory
    torch.cuda.get_device_capability()
    start = torch.cuda.Event(enable_timing=True)
    start.record()
    st = torch.cuda.Stream()
    with torch.cuda.stream(st):
        pass
    torch.cuda.current_stream().wait_stream(st)
os.environ.get("CUDA_VISIBLE_DEVICES")
d = {torch.float32: 1}
RESULT.append(d[x.dtype])
n = np.float32(2.0) * torch.ones(2)
RESULT.append(n)
RESULT.append(np.asarray(torch.ones(2)).sum().item())
RESULT.append([1, 2, 3][torch.tensor(1)])
RESULT.append(f"{torch.tensor(1.5):.2f}")
m = torch.nn.Linear(2, 2)
m2 = copy.deepcopy(m)
m3 = pickle.loads(pickle.dumps(m))
RESULT.append([bool((m.weight == m2.weight).all()), bool((m3.weight == m.weight).all())])
memo = {torch.tensor(1): 2}
RESULT.append(len(memo))
ds = TensorDataset(torch.arange(10).float(), torch.arange(10))
a, b = random_split(ds, [0.7, 0.3], generator=torch.Generator().manual_seed(1))
RESULT.append([list(a.indices), list(b.indices)])
RESULT.append(list(DistributedSampler(ds, num_replicas=3, rank=1, shuffle=False)))
for batch in DataLoader(ConcatDataset([ds, Subset(ds, [1, 2])]), batch_size=5, shuffle=False, num_workers=0, pin_memory=True, drop_last=False):
    RESULT.append(batch)
RESULT.append(dc2([{"a": 1, "b": (2.0, "s")}, {"a": 3, "b": (4.0, "t")}])["a"])
torch.save({"m": m.state_dict(), "rng": torch.get_rng_state(), "e": 3}, CHECKPOINT)
ck = torch.load(CHECKPOINT, map_location=lambda storage, loc: storage)
ck = torch.load(CHECKPOINT, map_location=device, weights_only=True)
RESULT.append([str(k) for k in m.load_state_dict(ck["m"], strict=False)])
sd = {k.replace("module.", ""): v for k, v in ck["m"].items()}
RESULT.append(str(m.load_state_dict(sd)))
RESULT.append(torch.from_numpy(np.ones(2)))
