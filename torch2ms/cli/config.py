"""`torch2ms config`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from torch2ms.project.config import load_config
from torch2ms.project.session import check_paths


@click.group("config")
def command() -> None:
    """Show the configuration that is in force.

    The nearest pyproject.toml with a [tool.torch2ms] table at or above the path decides; options of the command line
    go before it. Unknown keys are errors.
    """


@command.command("show")
@click.argument("path", default=".", type=click.Path())
@click.option("--config", "config_file", type=click.Path(), help="Read this TOML file for [tool.torch2ms].")
def show(path: str, config_file: str | None) -> None:
    """Print the configuration for PATH as TOML, defaults included."""
    config = load_config(check_paths((path,))[0], Path(config_file) if config_file else None)
    click.echo(f"# {config.source or 'defaults; no [tool.torch2ms] found'}")
    click.echo("[tool.torch2ms]")
    for item in fields(config):
        if item.name != "source":
            click.echo(f"{item.name.replace('_', '-')} = {_toml(getattr(config, item.name))}")


def _toml(value: Any) -> str:
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({key: list(codes) for key, codes in value.items()})
        return table.as_string()
    return tomlkit.item(list(value) if isinstance(value, tuple) else value).as_string()
