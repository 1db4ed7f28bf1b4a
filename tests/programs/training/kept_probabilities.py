"""Backwards that stay on the tape: saved log-probabilities of several observers, and scalars made from scalars."""
from collections import defaultdict

import numpy as np
import torch
import torch.nn as nn

rng = np.random.RandomState(41)


def array(*shape):
    return torch.from_numpy(rng.randn(*shape).astype("float32"))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 8)
        self.affine2 = nn.Linear(8, 2)

    def forward(self, x):
        return torch.softmax(self.affine2(torch.relu(self.affine1(x))), dim=1)


class Agent:
    def __init__(self, observers):
        self.rewards = {i: [] for i in range(observers)}
        self.saved_log_probs = defaultdict(list)
        self.policy = Policy()
        self.policy.load_state_dict({k: array(*v.shape) * 0.4 for k, v in self.policy.state_dict().items()})
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-2)

    def select_action(self, ob_id, state, action):
        probs = self.policy(state.unsqueeze(0))
        self.saved_log_probs[ob_id].append(torch.log(probs[:, action]))
        self.rewards[ob_id].append(float(action) - 0.3 * ob_id)

    def finish_episode(self):
        R, probs, rewards = 0, [], []
        for ob_id in self.rewards:
            probs.extend(self.saved_log_probs[ob_id])
            rewards.extend(self.rewards[ob_id])
        for ob_id in self.rewards:
            self.rewards[ob_id] = []
            self.saved_log_probs[ob_id] = []
        policy_loss, returns = [], []
        for r in rewards[::-1]:
            R = r + 0.9 * R
            returns.insert(0, R)
        returns = torch.tensor(returns)
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
        for log_prob, R in zip(probs, returns):
            policy_loss.append(-log_prob * R)
        self.optimizer.zero_grad()
        policy_loss = torch.cat(policy_loss).sum()
        policy_loss.backward()
        self.optimizer.step()
        return policy_loss.item()


agent = Agent(2)
log = []
for episode in range(5):
    for ob_id in range(2):
        for t in range(4):
            agent.select_action(ob_id, array(4), (t + ob_id + episode) % 2)
    log.append(agent.finish_episode())

x = torch.tensor(1.5, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = w * x + b
y.backward()
slopes = [x.grad.item(), w.grad.item(), b.grad.item()]

RESULT = {"log": log, "slopes": slopes, "weights": [p.detach().numpy().tolist() for p in agent.policy.parameters()]}
