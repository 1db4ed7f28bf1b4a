"""The default set, set back, read, and set under conditions and by names."""
import torch
from torch import nn

MAKE = {"zeros": torch.zeros, "rand": torch.rand, "sqrt": torch.sqrt, "tensor": torch.tensor, "add": torch.add}
RESULT = [str(torch.get_default_dtype()), str(torch.zeros(1).dtype)]


def kinds():
    layer = nn.Linear(2, 2)
    made = (torch.ones(2), torch.tensor(0.5), torch.tensor([1, 2]) / 2, layer.weight, layer(torch.ones(1, 2)), torch.Tensor(2), MAKE["zeros"]((2,)),
            MAKE["sqrt"](torch.tensor([1, 2])), MAKE["tensor"]([0.1]), MAKE["add"](torch.tensor([1]), 0.1), torch.rand(2) * 0.1)
    return [str(torch.get_default_dtype())] + [str(value.dtype) for value in made]


RESULT.append(kinds())
torch.set_default_dtype(torch.float64)
RESULT.append(kinds())
torch.set_default_dtype(torch.float32)
RESULT.append(kinds())
torch.set_default_tensor_type(torch.DoubleTensor)
RESULT.append(kinds())
torch.set_default_tensor_type("torch.FloatTensor")
RESULT.append(kinds())
torch.set_default_tensor_type("torch.DoubleTensor")
RESULT.append(kinds())
torch.set_default_tensor_type(torch.FloatTensor)
precise = len(RESULT) > 3
if precise:
    torch.set_default_dtype(torch.float64)
RESULT.append(kinds())
for dtype in (torch.float32, torch.float64, torch.double):
    torch.set_default_dtype(dtype)
    RESULT.append(kinds())
saved = torch.get_default_dtype()
torch.set_default_dtype(torch.float)
torch.set_default_dtype(saved)
RESULT.append(kinds())
RESULT.append(torch.get_default_dtype() == torch.float64)
