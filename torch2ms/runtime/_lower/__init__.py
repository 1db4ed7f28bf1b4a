"""Numbers of 16 bits on the CPU, where MindSpore has few kernels for them: computed in float32, rounded once.

That is what PyTorch's CPU kernels do with bfloat16 and float16. Nothing of this costs anything before the program's
first tensor of 16 bits: that one, or an open region of `amp.autocast`, wakes the layer.
"""
