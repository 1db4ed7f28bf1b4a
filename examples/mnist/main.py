"""Train a LeNet on handwritten digits and keep the best weights.

Without --data the digits are drawn by the program itself, so nothing is downloaded.
"""
import argparse
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader

from data import DrawnDigits, IdxDigits
from model import LeNet


def train(model, device, loader, optimizer, epoch, log_interval):
    model.train()
    for step, (images, labels) in enumerate(loader):
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        output = model(images)
        loss = F.nll_loss(output, labels)
        loss.backward()
        optimizer.step()
        if step % log_interval == 0:
            print(f"epoch {epoch} step {step:3d}  loss {loss.item():.4f}")


def evaluate(model, device, loader):
    model.eval()
    total_loss = 0.0
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            output = model(images)
            total_loss += F.nll_loss(output, labels, reduction="sum").item()
            prediction = output.argmax(dim=1)
            correct += (prediction == labels).sum().item()
    count = len(loader.dataset)
    return total_loss / count, correct / count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with the four files of MNIST")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log-interval", type=int, default=20)
    parser.add_argument("--checkpoint", type=Path, default=Path("lenet.pt"))
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if args.data:
        train_set, test_set = IdxDigits(args.data, train=True), IdxDigits(args.data, train=False)
    else:
        train_set, test_set = DrawnDigits(2560, seed=0), DrawnDigits(500, seed=1)
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=500)

    model = LeNet().to(device)
    optimizer = optim.Adam(model.parameters(), lr=args.lr)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)

    best = 0.0
    for epoch in range(1, args.epochs + 1):
        train(model, device, train_loader, optimizer, epoch, args.log_interval)
        loss, accuracy = evaluate(model, device, test_loader)
        scheduler.step()
        print(f"epoch {epoch}  test loss {loss:.4f}  accuracy {accuracy:.1%}")
        if accuracy > best:
            best = accuracy
            torch.save({"epoch": epoch, "model": model.state_dict(), "accuracy": accuracy}, args.checkpoint)

    state = torch.load(args.checkpoint, map_location=device)
    model.load_state_dict(state["model"])
    _, accuracy = evaluate(model, device, test_loader)
    print(f"best weights are from epoch {state['epoch']}  accuracy {accuracy:.1%}")


if __name__ == "__main__":
    main()
