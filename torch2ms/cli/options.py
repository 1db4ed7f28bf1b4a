"""Options that several commands share, and how they become a configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from torch2ms.diagnostics import CODES
from torch2ms.project.config import Config, check_code, check_runtime_name, load_config
from torch2ms.project.errors import UsageProblem

Command = TypeVar("Command", bound=Callable[..., Any])
FORMATS = ("text", "json", "sarif", "github", "markdown")


def paths_argument(command: Command) -> Command:
    """PATH..., by default the current folder; `-` stands for standard input."""
    return click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(allow_dash=True))(command)


def complete_codes(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes that begin so, with their titles, for the shell."""
    return [CompletionItem(row.code, help=row.title) for row in CODES.values() if row.code.startswith(incomplete.upper())]


def _codes_option(name: str, help: str) -> Callable[[Command], Command]:
    return click.option(name, multiple=True, metavar="CODE", shell_complete=complete_codes, help=help)


def stdin_option(command: Command) -> Command:
    """What `-` is called."""
    return click.option(
        "--stdin-filename", metavar="PATH", default="<stdin>", help="The name that `-` has in messages."
    )(command)


def _bottom_up(*options: Callable[[Command], Command]) -> Iterable[Callable[[Command], Command]]:
    """The decorators in the order that lets the help list them as they are written."""
    return reversed(options)


def conversion_options(command: Command) -> Command:
    """What the emitted code looks like."""
    for option in _bottom_up(
        click.option(
            "--pure", is_flag=True, help="Emit MindSpore alone, for Ascend only, without the runtime package."
        ),
        click.option("--jit/--no-jit", default=None, help="Put @mindspore.jit on forward functions where it applies."),
        click.option(
            "--tape/--no-tape", default=None, help="Allow a gradient tape where no step function can be made."
        ),
        click.option("--vendor-runtime", metavar="NAME", help="Copy the runtime into the output as package NAME."),
        click.option("--markdown", is_flag=True, help="Convert Python in Markdown fences too."),
    ):
        command = option(command)
    return command


def run_options(command: Command) -> Command:
    """Which files and codes, and how the run is carried out."""
    for option in _bottom_up(
        click.option("--config", "config_file", type=click.Path(), help="Read this TOML file for [tool.torch2ms]."),
        click.option("--include", multiple=True, metavar="PATTERN", help="Convert only these (.gitignore rules)."),
        click.option("--exclude", multiple=True, metavar="PATTERN", help="Do not convert these (.gitignore rules)."),
        _codes_option("--select", "Show only these codes or prefixes (T2M1)."),
        _codes_option("--ignore", "Do not show these codes or prefixes."),
        click.option("-j", "--jobs", type=click.IntRange(min=1), help="Worker processes (default: one per core)."),
        click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of results."),
    ):
        command = option(command)
    return command


def hook_option(command: Command) -> Command:
    """Marks a run from a commit hook, which the configuration can limit to some branches."""
    return click.option("--hook", is_flag=True, help="Do nothing on branches that do not match `branches`.")(command)


def off_this_branch(hook: bool, config: Config, near: Path) -> bool:
    """Whether a commit hook has nothing to do because of the branch."""
    if not hook or not config.branches:
        return False
    from fnmatch import fnmatch

    from torch2ms.project.git import current_branch

    branch = current_branch(near)
    return branch is None or not any(fnmatch(branch, pattern) for pattern in config.branches)


def format_option(command: Command) -> Command:
    """How findings are printed."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="Output format.",
    )(command)


def configured(options: dict[str, Any], near: Path) -> Config:
    """The configuration near a path with the command's options laid over it; removes them from `options`."""
    explicit = options.pop("config_file", None)
    config = load_config(near, Path(explicit) if explicit else None)
    changes: dict[str, Any] = {}
    if options.pop("pure", False):
        changes["target"] = "pure"
    for name in ("jit", "tape"):
        value = options.pop(name, None)
        if value is not None:
            changes[name] = value
    vendored = options.pop("vendor_runtime", None)
    for name in ("include", "exclude"):
        if value := options.pop(name, ()):
            changes[name] = (*getattr(config, name), *value)
    try:
        if vendored is not None:
            changes["runtime"] = check_runtime_name(vendored)
        for name in ("select", "ignore"):
            if value := _split(options.pop(name, ())):
                changes[name] = (*getattr(config, name), *(check_code(code) for code in value))
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    return replace(config, **changes)


def _split(values: tuple[str, ...]) -> list[str]:
    return [code.strip() for value in values for code in value.split(",") if code.strip()]
