"""A trainer object: `while True`, an iterator made anew, the loss on self, model.zero_grad and clipping by norm."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(2)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
        self.b = nn.Linear(4, 1)

    def forward(self, x, y=None):
        out = self.b(torch.tanh(self.a(x)))
        loss = None if y is None else nn.functional.mse_loss(out, y)
        return out, loss


class Trainer:
    def __init__(self, model, data, max_iters):
        self.model, self.data, self.max_iters = model, data, max_iters
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=0.03, weight_decay=0.1)
        self.history = []

    def run(self):
        model = self.model
        model.train()
        self.iter_num = 0
        data_iter = iter(self.data)
        while True:
            try:
                batch = next(data_iter)
            except StopIteration:
                data_iter = iter(self.data)
                batch = next(data_iter)
            x, y = batch

            # forward the model
            logits, self.loss = model(x, y)

            # backprop and update the parameters
            model.zero_grad(set_to_none=True)
            self.loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.2)
            self.optimizer.step()

            self.history.append(self.loss.item())
            self.iter_num += 1
            if self.iter_num >= self.max_iters:
                break


model = Model()
settle(model)
data = [(torch.from_numpy(rng.randn(5, 3).astype("float32")), torch.from_numpy(rng.randn(5, 1).astype("float32"))) for _ in range(3)]
trainer = Trainer(model, data, 8)
trainer.run()
RESULT = {"history": trainer.history, "weights": [p.detach().numpy().tolist() for p in model.parameters()]}
