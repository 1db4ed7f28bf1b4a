"""Train a small transformer to continue a text, character by character."""
import argparse
from pathlib import Path

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, Dataset

from model import CharTransformer


class Characters(Dataset):
    """Pieces of a text and the same pieces one character on."""

    def __init__(self, text, block_size):
        self.alphabet = sorted(set(text))
        self.index = {char: i for i, char in enumerate(self.alphabet)}
        self.codes = torch.tensor(self.encode(text), dtype=torch.long)
        self.block_size = block_size

    def encode(self, text):
        return [self.index[char] for char in text]

    def decode(self, codes):
        return "".join(self.alphabet[code] for code in codes)

    def __len__(self):
        return len(self.codes) - self.block_size

    def __getitem__(self, start):
        piece = self.codes[start : start + self.block_size + 1]
        return piece[:-1], piece[1:]


def parameter_groups(model, weight_decay):
    """Matrices decay, biases and norms do not."""
    decay = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": decay, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, default=Path(__file__).with_name("text.txt"))
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--block-size", type=int, default=48)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    dataset = Characters(args.text.read_text(encoding="utf-8"), args.block_size)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True, drop_last=True)
    model = CharTransformer(len(dataset.alphabet), args.block_size)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    optimizer = torch.optim.AdamW(parameter_groups(model, 0.1), lr=args.lr, betas=(0.9, 0.95))
    scheduler = CosineAnnealingLR(optimizer, T_max=args.steps)

    step = 0
    model.train()
    while step < args.steps:
        for tokens, targets in loader:
            optimizer.zero_grad()
            logits, loss = model(tokens, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            scheduler.step()
            if step % 20 == 0:
                print(f"step {step:4d}  loss {loss.item():.4f}  lr {scheduler.get_last_lr()[0]:.2e}")
            step += 1
            if step == args.steps:
                break

    model.eval()
    start = torch.tensor([dataset.encode("The keeper ")])
    print(dataset.decode(model.generate(start, 120)[0].tolist()))


if __name__ == "__main__":
    main()
