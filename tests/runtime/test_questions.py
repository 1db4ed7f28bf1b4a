"""What programs ask of their surroundings: the device of whatever they are given, the grad mode, the deterministic switch."""

from tests.side_by_side import check, convert


def test_device_of_what_only_the_run_knows() -> None:
    check("""
import torch
from torch import nn
class Placed:
    @property
    def device(self):
        return next(self.parameters()).device
class Net(Placed, nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
def of(batch):
    return batch["x"].device.type == "cpu", batch["x"].device.index, str(batch["x"].device)
net = Net()
RESULT = [str(net.device), net.device.type == "cuda", list(of({"x": torch.ones(1)}))]
""")


def test_grad_mode_under_contexts_that_no_gradient_reaches() -> None:
    check("""
import torch
def mode():
    return "train" if torch.is_grad_enabled() else "eval"
def evaluate():
    with torch.no_grad():
        return mode()
@torch.no_grad()
def decorated():
    return mode()
@torch.inference_mode()
def inferred():
    return mode()
RESULT = [mode(), evaluate(), decorated(), inferred(), mode()]
""")


def test_seeding_twice() -> None:
    check("""
import torch
def seed_everything(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    torch.use_deterministic_algorithms(True)
draws = []
for seed in (1, 1, 2):
    seed_everything(seed)
    draws.append(torch.rand(3))
RESULT = [torch.equal(draws[0], draws[1]), torch.equal(draws[0], draws[2])]
""")


def test_pure_keeps_the_switch_of_mindspore() -> None:
    text = convert("import torch\ntorch.use_deterministic_algorithms(True)\n", target="pure").text
    assert text == "import mindspore\nmindspore.set_deterministic(True)\n"


def test_rows_of_a_batch_are_data() -> None:
    check("""
import torch
from torch.utils.data import DataLoader
def collate(batch):
    words, labels = zip(*batch)
    return torch.LongTensor(labels), [len(w) for w in words], [torch.FloatTensor(part) for part in zip(*[(1, 2), (3, 4)])]
RESULT = [list(batch) for batch in DataLoader([("a", 0), ("bc", 1), ("d", 2)], batch_size=2, collate_fn=collate)]
""")


def test_comparisons_with_numbers_of_numpy() -> None:
    check("""
import numpy as np
import torch
labels, predicted = np.array([0, 2, 1]), torch.tensor([0, 1, 1])
RESULT = [
    sum(int(p == y) for p, y in zip(predicted, labels)), [bool(p != y) for p, y in zip(predicted, labels)],
    [bool(y == p) for p, y in zip(predicted, labels)], predicted == np.int64(1), predicted != np.float64(1), predicted < np.int32(1),
    np.int64(1) in predicted, predicted == np.bool_(True), predicted * np.float32(0.5), torch.clone(predicted) + np.int64(1),
]
""")


def test_shallow_copy_shares_the_storage() -> None:
    check("""
import copy
import torch
x = torch.zeros(2, 2)
y, z = copy.copy(x), copy.deepcopy(x)
y[0] = 1
z[1] = 5
RESULT = [x, y, z]
""")
