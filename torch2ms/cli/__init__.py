"""The command line: `torch2ms COMMAND`. Commands load when they are used, so that help and completion are instant."""

from __future__ import annotations

import gc
import importlib
import os
import warnings
from typing import Any

import click

import torch2ms
from torch2ms.project.errors import UsageProblem, did_you_mean, reason

# command -> (module of torch2ms.cli, first line of its help)
COMMANDS = {
    "convert": ("convert", "Convert a project, a folder or files to MindSpore."),
    "diff": ("diff", "Show what convert would change; piped, a patch for git apply."),
    "check": ("check", "Fail while PyTorch or an unsupported call is left."),
    "report": ("report", "Show how much of a project converts, and what is left to do."),
    "explain": ("explain", "Explain a code (T2M102) or what becomes of an API (torch.nn.Conv2d)."),
    "verify": ("verify", "Run a script and its conversion side by side and compare them."),
    "weights": ("weights", "Convert weights between PyTorch, safetensors and MindSpore files."),
    "undo": ("undo", "Bring back the files of the last convert --in-place --backup."),
    "config": ("config", "Show the configuration that is in force."),
}


class Commands(click.Group):
    """A group whose commands are imported by name, with suggestions for misspelled ones."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"torch2ms.cli.{COMMANDS[cmd_name][0]}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no such command {args[0]!r}{did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UsageProblem as problem:
            _say(str(problem), problem.help)
        except OSError as error:
            # a broken pipe is click's business; anything else here concerns a path that the user named
            if error.filename is None:
                raise
            _say(f"{os.fspath(error.filename)}: {reason(error)}")
        ctx.exit(2)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(torch2ms.__version__, "-V", "--version", prog_name="torch2ms", message="%(prog)s %(version)s")
def cli() -> None:
    """Convert PyTorch projects into MindSpore source code: right, or loudly refused, never silently different.

    \b
      torch2ms diff                    what would change here, nothing is written
      torch2ms convert ./project       writes ./project_ms beside it
      torch2ms explain torch.fx.Graph  why an API is refused and what to do instead

    Exit codes: 0 clean, 1 something needs attention, 2 wrong use.
    """


def _say(message: str, help: str = "") -> None:
    click.echo(f"error: {message}", err=True)
    if help:
        click.echo(f"  help: {help}", err=True)


def main(args: list[str] | None = None) -> None:
    """The console script: runs a command and ends the process with its exit code."""
    # what a command imports lives to its end; looking for garbage in it again and again delays the first file
    gc.set_threshold(100_000, 20, 50)
    # the user's code may hold invalid escapes; that is for its own interpreter to say
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    cli.main(args, prog_name="torch2ms")
