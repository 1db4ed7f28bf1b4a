"""A trainer whose batch is one method: forward under a switch, then with a scaler or without, clipped, stepped."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

rng = np.random.RandomState(43)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3))

    def forward(self, x, targets=None):
        logits = self.body(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits, targets)
        return logits, loss


class Trainer:
    def __init__(self, model, use_amp):
        self.model = model
        self.use_amp = use_amp
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
        if use_amp:
            self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def _run_batch(self, source, targets, train: bool = True) -> float:
        with torch.set_grad_enabled(train):
            _, loss = self.model(source, targets)
        if train:
            self.optimizer.zero_grad(set_to_none=True)
            if self.use_amp:
                self.scaler.scale(loss).backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
                self.scaler.step(self.optimizer)
                self.scaler.update()
            else:
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
                self.optimizer.step()
        return loss.item()


log, weights = [], []
for use_amp in (False, True):
    model = Model()
    model.load_state_dict({k: array(*v.shape) * 0.5 for k, v in model.state_dict().items()})
    trainer = Trainer(model, use_amp)
    for i in range(6):
        x, y = array(5, 4), torch.from_numpy(rng.randint(0, 3, 5))
        log.append(trainer._run_batch(x, y, train=i != 3))
    weights += [p.detach().numpy().tolist() for p in model.parameters()]
RESULT = {"log": log, "weights": weights}
