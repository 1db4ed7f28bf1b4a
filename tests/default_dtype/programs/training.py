"""Layers, losses and optimizers of float64, trained side by side."""
import torch
import torch.nn.functional as F
from torch import nn

torch.set_default_dtype(torch.float64)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(3)
        self.fc = nn.Linear(3 * 4 * 4, 5)
        self.norm = nn.LayerNorm(5)
        self.act = nn.LeakyReLU(0.1)
        self.scale = nn.Parameter(torch.full((5,), 0.3))
        self.register_buffer("shift", torch.tensor([0.1] * 5))

    def forward(self, x):
        x = self.act(self.bn(self.conv(x)))
        return self.norm(self.fc(x.flatten(1))) * self.scale * 0.7 + self.shift


torch.manual_seed(0)
x, t = torch.randn(6, 1, 4, 4), torch.randint(0, 5, (6,))
RESULT = []
for make in (
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    lambda p: torch.optim.Adam(p, lr=0.003, betas=(0.8, 0.99)),
    lambda p: torch.optim.AdamW(p, lr=0.003),
    lambda p: torch.optim.RMSprop(p, lr=0.003, alpha=0.9),
    lambda p: torch.optim.Adagrad(p, lr=0.03),
    lambda p: torch.optim.Adadelta(p, lr=0.3),
):
    torch.manual_seed(1)
    net = Net()
    optimizer = make(net.parameters())
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    for step in range(5):
        optimizer.zero_grad()
        out = net(x)
        loss = F.cross_entropy(out, t, label_smoothing=0.1) + 0.1 * out.pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.7)
        optimizer.step()
        scheduler.step()
        RESULT.append(loss.item())
    RESULT += [p.detach().clone() for p in net.parameters()] + [b.clone() for b in net.buffers()]
    net.eval()
    with torch.no_grad():
        RESULT.append(net(x))

a, b = torch.randn(4, 3), torch.rand(4, 3)
RESULT += [
    nn.MSELoss()(a, b), nn.L1Loss()(a, b), nn.SmoothL1Loss(beta=0.3)(a, b), nn.HuberLoss(delta=0.3)(a, b), nn.BCELoss()(b, b), nn.BCEWithLogitsLoss()(a, b),
    nn.KLDivLoss(reduction="batchmean")(F.log_softmax(a, 1), F.softmax(b, 1)), nn.CrossEntropyLoss()(a, torch.tensor([0, 1, 2, 1])), nn.NLLLoss()(F.log_softmax(a, 1), torch.tensor([0, 1, 2, 1])),
    nn.TripletMarginLoss(margin=0.3)(a, b, b + 0.1), nn.CosineEmbeddingLoss(margin=0.1)(a, b, torch.tensor([1, -1, 1, -1])), nn.GaussianNLLLoss()(a, b, b + 0.1), nn.MarginRankingLoss(margin=0.1)(a, b, torch.sign(b)),
    nn.PoissonNLLLoss()(a, b), nn.SoftMarginLoss()(a, torch.sign(a)), nn.HingeEmbeddingLoss(margin=0.3)(a, torch.sign(a)), nn.MultiMarginLoss(margin=0.3)(a, torch.tensor([0, 1, 2, 1])),
]
