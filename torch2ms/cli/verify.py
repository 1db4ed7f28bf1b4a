"""`torch2ms verify`."""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from torch2ms.cli.options import configured, conversion_options
from torch2ms.project import deliver
from torch2ms.project.errors import UsageProblem
from torch2ms.project.session import Request, check_paths, run_request

if TYPE_CHECKING:
    from torch2ms.verify.run import Verdict


@click.command("verify", context_settings={"ignore_unknown_options": True})
@click.argument("script", type=click.Path())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--steps", type=click.IntRange(min=1), default=4, show_default=True, help="Optimizer steps to compare.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the shared random numbers.")
@click.option("--fake-data", is_flag=True, help="Feed both sides synthetic data instead of torchvision's data sets.")
@click.option("--root", type=click.Path(), help="The folder to convert (default: the folder of the script).")
@click.option("--converted", type=click.Path(), help="Use this converted script instead of converting now.")
@click.option("--timeout", type=float, default=600.0, show_default=True, help="Seconds that one run may take.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@conversion_options
def command(script: str, arguments: tuple[str, ...], **options: Any) -> None:
    """Run a script and its conversion side by side and compare them.

    Both runs start from the same weights and draw the same random numbers; every loss, the final weights and buffers,
    and the training flags of all modules are compared. Arguments after `--` go to the script:

    \b
      torch2ms verify train.py --steps 8 -- --batch-size 16

    Exit codes: 0 equal, 1 different, refused or failed, 2 wrong use. Needs the extra: pip install 'torch2ms[verify]'
    """
    for package in ("torch", "mindspore"):
        if importlib.util.find_spec(package) is None:
            raise UsageProblem(f"{package} is not installed", "pip install 'torch2ms[verify]'")
    path = check_paths((script,))[0].resolve()
    with tempfile.TemporaryDirectory(prefix="torch2ms-") as folder:
        root = Path(options.pop("root") or path.parent).resolve()
        converted = options.pop("converted")
        target = Path(converted).resolve() if converted else _convert(path, root, Path(folder), options)
        verdict = _verify(path, target, arguments, options)
    click.echo(
        json.dumps(verdict.comparison.to_json(), indent=2) if options["output_format"] == "json" else "", nl=False
    )
    if options["output_format"] == "text":
        _print(verdict)
    sys.exit(0 if verdict.comparison.ok and not verdict.comparison.refusal else 1)


def _convert(script: Path, root: Path, folder: Path, options: dict[str, Any]) -> Path:
    if not script.is_relative_to(root):
        raise UsageProblem(f"{script} does not lie under {root}")
    config = configured(options, root)
    sources, run = run_request(Request((root,), config, markdown=options["markdown"]))
    output = folder / root.name
    deliver.to_folder(sources, run, output, vendored=config.vendored)
    return output / script.relative_to(root)


def _verify(script: Path, converted: Path, arguments: tuple[str, ...], options: dict[str, Any]) -> Verdict:
    from torch2ms.verify.run import Job, verify

    job = Job(
        script,
        converted,
        arguments,
        steps=options["steps"],
        seed=options["seed"],
        fake_data=options["fake_data"],
        timeout=options["timeout"],
    )
    return verify(job)


def _print(verdict: Verdict) -> None:
    from rich.console import Console
    from rich.table import Table

    comparison = verdict.comparison
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("what", "PyTorch", "MindSpore", "difference", "bound", ""):
        table.add_column(title, justify="left" if title in ("what", "") else "right")
    failed = [row for row in comparison.weights if not row.ok]
    for row in (*comparison.losses, *failed):
        said = "" if row.ok else "differs"
        table.add_row(row.what, row.torch, row.mindspore, f"{row.difference:.2e}", f"{row.bound:.1e}", said)
    Console(highlight=False).print(table)
    failures = [problem for problem in comparison.problems if "run failed" in problem]
    for problem in failures or comparison.problems:
        click.echo(problem)
    equal = len(comparison.weights) - len(failed)
    click.echo(f"{equal} of {len(comparison.weights)} weights and buffers agree after {verdict.torch.steps} steps")
    end = f" up to {comparison.refusal}, which was refused" if comparison.refusal else ""
    click.echo(("equal" if comparison.ok else "different") + end)
