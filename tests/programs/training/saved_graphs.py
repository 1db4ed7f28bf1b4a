"""Graphs that outlive the function: log-probabilities kept on an object until the episode ends."""
import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(14)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 2)
        self.saved = []

    def forward(self, state):
        return torch.log_softmax(self.body(state), dim=-1)


policy = Policy()
policy.load_state_dict({k: array(*v.shape) * 0.3 for k, v in policy.state_dict().items()})
optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)


def act(state, action):
    policy.saved.append(policy(state)[action])


def finish(rewards):
    loss = sum(-log_prob * reward for log_prob, reward in zip(policy.saved, rewards))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del policy.saved[:]
    return loss.item()


log = []
for episode in range(5):
    for step in range(4):
        act(array(3), step % 2)
    log.append(finish([1.0, -0.5, 0.25, 2.0]))
with torch.no_grad():
    last = policy(array(3))
RESULT = {"log": log, "last": last.numpy().tolist(), "weights": [p.detach().numpy().tolist() for p in policy.parameters()]}
