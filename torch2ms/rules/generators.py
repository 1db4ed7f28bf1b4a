"""Seeds, generators and their states."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.manual_seed(seed)", "manual_seed(seed)"),
    Api("torch.random.manual_seed(seed)", "manual_seed(seed)"),
    Api("torch.seed()", "random.seed()"),
    Api("torch.initial_seed()", "random.initial_seed()"),
    Api("torch.get_rng_state()", "random.get_rng_state()"),
    Api("torch.set_rng_state(new_state)", "random.set_rng_state(new_state)"),
    Api("torch.random.seed", "random.seed"),
    Api("torch.random.initial_seed", "random.initial_seed"),
    Api("torch.random.get_rng_state", "random.get_rng_state"),
    Api("torch.random.set_rng_state", "random.set_rng_state"),
    Api("torch.random.fork_rng", "random.fork_rng"),
    Api("torch.random.default_generator", "random.default_generator"),
    Api("torch.default_generator", "random.default_generator"),
    Api("torch.Generator(device='cpu')", "random.Generator()"),
    Api("torch.thread_safe_generator", None, "use one torch.Generator per thread"),
    Api("torch.random.thread_safe_generator", None, "use one torch.Generator per thread"),

    Api("torch.Generator.manual_seed", "self.manual_seed"),
    Api("torch.Generator.seed", "self.seed"),
    Api("torch.Generator.initial_seed", "self.initial_seed"),
    Api("torch.Generator.get_state", "self.get_state"),
    Api("torch.Generator.set_state", "self.set_state"),
    Api("torch.Generator.device", "self.device"),
    Api("torch.Generator.clone_state", "self.clone_state"),
)
