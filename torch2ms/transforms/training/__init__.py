"""Training loops: forward, backward and step become functions whose gradients MindSpore takes."""

from torch2ms.transforms.training.step import TrainStep

TRANSFORM = TrainStep()
