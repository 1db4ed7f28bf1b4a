"""A plain loop at module level: zero_grad between forward and backward, outputs used for the accuracy."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(0)


def settle(module):
    weights = {k: torch.from_numpy(np.asarray(rng.randn(*v.shape) * 0.3, dtype="float32")) for k, v in module.state_dict().items()}
    module.load_state_dict(weights)


x = torch.from_numpy(rng.randn(24, 4).astype("float32"))
y = torch.from_numpy(rng.randint(0, 3, 24))
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
settle(model)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9, weight_decay=1e-2)

losses, hits = [], 0
for epoch in range(3):
    for start in range(0, 24, 8):
        inputs = x[start:start + 8]
        labels = y[start:start + 8]

        # forward
        outputs = model(inputs)
        loss = criterion(outputs, labels)

        # backward and optimize
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        losses.append(loss.item())
        hits += (outputs.argmax(1) == labels).sum().item()
RESULT = {"losses": losses, "hits": hits, "weights": [p.detach().numpy().tolist() for p in model.parameters()]}
