"""`torch2ms weights`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from torch2ms.cli.progress import bytes_bar
from torch2ms.project.errors import UsageProblem

if TYPE_CHECKING:
    from torch2ms.weights.conversion import Plan


@click.command("weights")
@click.argument("source", metavar="IN", type=click.Path(exists=True, path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--dtype", type=click.Choice(["float32", "float64", "float16", "bfloat16"]), help="Floats become this.")
@click.option(
    "--names",
    type=click.Choice(["keep", "classic", "torch"]),
    default="keep",
    help="classic: the names of mindspore.nn (gamma, moving_mean); torch: back from them.",
)
@click.option("--rename", "renames", metavar="OLD=NEW", multiple=True, help="Rename first; * stands for any text.")
@click.option("--embedding", "embeddings", metavar="PATTERN", multiple=True, help="These are embeddings (or: none).")
@click.option("--conv1d", "convolutions", metavar="PATTERN", multiple=True, help="1-D convolutions (or: none).")
@click.option("--keep", "kept", metavar="PATTERN", multiple=True, help="These keep their names under --names.")
@click.option("--key", metavar="NAME", help="The state dict to take from a file that holds several.")
@click.option("--to", "format", type=click.Choice(["safetensors", "pth", "pt", "bin", "ckpt"]), help="OUT is a folder.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--force", is_flag=True, help="Replace what is at OUT.")
@click.option("-v", "--verbose", is_flag=True, help="Show what became of every tensor.")
def command(source: Path, target: Path, dry_run: bool, verbose: bool, **options: Any) -> None:
    """Convert weights between PyTorch (.pth .pt .bin), .safetensors and MindSpore (.ckpt).

    IN is a file, or a folder with the index of its parts as Hugging Face has them; a file OUT then holds all of it.
    Needs numpy, and neither PyTorch nor MindSpore. A file is read as data, nothing in it is executed.

    Exit codes: 0 written, 2 wrong use or an unclear name: nothing was written.
    """
    try:
        conversion = importlib.import_module("torch2ms.weights.conversion")
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise UsageProblem("this command needs numpy", "pip install 'torch2ms[weights]'") from error
    plan = conversion.make_plan(source, target, _wanted(conversion, options))
    _show(plan, dry_run, verbose or dry_run)
    if not dry_run:
        with bytes_bar("writing", sum(entry.size for entry in plan.entries())) as done:
            conversion.carry_out(plan, done)


def _wanted(conversion: Any, options: dict[str, Any]) -> Any:
    renames = tuple(tuple(rename.split("=", 1)) for rename in options["renames"])
    for rename in renames:
        if len(rename) != 2 or rename[0].count("*") < rename[1].count("*"):
            raise UsageProblem(f"--rename {'='.join(rename)}: not OLD=NEW with as many * on the right at most")
    naming = conversion.Naming(
        options["names"], renames, options["embeddings"], options["convolutions"], options["kept"]
    )
    return conversion.Wanted(options["dtype"], naming, options["key"], options["format"], options["force"])


def _show(plan: Plan, dry_run: bool, every: bool) -> None:
    from torch2ms.report.mapping import print_mapping, size_text

    if every:
        print_mapping(
            (
                entry.old,
                entry.new.name or "(left out)",
                entry.tensor.dtype if entry.dtype == entry.tensor.dtype else f"{entry.tensor.dtype} -> {entry.dtype}",
                str(entry.new.shape)
                if entry.new.shape == entry.tensor.shape
                else f"{entry.tensor.shape} -> {entry.new.shape}",
                entry.new.note,
            )
            for entry in plan.entries()
        )
    left_out = plan.left_out()
    if left_out:
        click.echo(f"left out: {', '.join(left_out)}")
    written = [entry for entry in plan.entries() if entry.new.name is not None]
    renamed = sum(entry.new.name != entry.old for entry in written)
    files = f" in {len(plan.parts)} files" if len(plan.parts) > 1 else ""
    verb = "would be written" if dry_run else "to write"
    click.echo(
        f"{plan.target}: {len(written)} tensors, {size_text(sum(entry.size for entry in written))}{files}, "
        f"{renamed} renamed, {verb}"
    )
