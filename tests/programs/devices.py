"""Devices as scripts name, ask, move to, measure and print them."""

import argparse
import os
from dataclasses import dataclass

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
parser.add_argument("--gpu", type=int, default=None)
args = parser.parse_args([])
use_cuda = not args.no_cuda and torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
other = torch.device(args.device)
kwargs = {"num_workers": 1, "pin_memory": True} if use_cuda else {}
RESULT = {"device": str(device), "text": f"running on {device} ({device.type}, {device.index})", "kwargs": kwargs}


@dataclass
class Config:
    device: torch.device = torch.device("cpu")
    dtype: torch.dtype = torch.float32


config = Config()
net = nn.Linear(3, 2).to(device)
net = net.to(config.device, config.dtype)
nn.init.ones_(net.weight)
nn.init.zeros_(net.bias)
x = torch.ones(4, 3, device=device)
x = x.to(device)
x = x.to(device, non_blocking=True)
x = x.to(device, torch.float64).to(torch.float32)
x = x.to(device=device, dtype=torch.float32)
x = x.to(net.weight)
x = x.to(x.device)
x = x.cpu()
if torch.cuda.is_available():
    x = x.cuda()
    net.cuda()
    torch.cuda.manual_seed_all(3)
    torch.backends.cudnn.benchmark = True
if args.gpu is not None:
    torch.cuda.set_device(args.gpu)
    net.cuda(args.gpu)
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
RESULT["count"] = torch.cuda.device_count()
RESULT["same"] = x.device == device, x.device.type == "cpu", x.is_cuda, next(net.parameters()).is_cuda
RESULT["where"] = str(next(net.parameters()).device), repr(str(other))
torch.backends.cudnn.deterministic = True
if use_cuda:
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    print(torch.cuda.memory_allocated() / 2**20, torch.cuda.max_memory_allocated(device), torch.cuda.get_device_name(0))
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    net(x)
    end.record()
    torch.cuda.synchronize()
    print(start.elapsed_time(end))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        net(x)
    with torch.cuda.device(0):
        net(x)
    torch.cuda.reset_peak_memory_stats()
y = net(x)
RESULT["y"] = y.detach().cpu().numpy()
RESULT["new"] = str(x.new_zeros(2).device), str(torch.zeros_like(x).device), str(torch.tensor([1], device=x.device).device)
Tensor = torch.cuda.FloatTensor if use_cuda else torch.FloatTensor
RESULT["legacy"] = Tensor([1, 2]).numpy(), tuple(Tensor(2, 3).shape)
z = torch.zeros(2).type(Tensor)
RESULT["typed"] = z.numpy()
z = torch.zeros(2).type_as(x)
state = {"w": net.weight, "device": device}
RESULT["keys"] = {device: 1}[torch.device("cpu")], device == torch.device("cpu"), device in (torch.device("cpu"),)
RESULT["index"] = f"{torch.device('cpu').type}"
