"""``claimsmith``: the group, whose commands are imported when they are called."""

import importlib
import sys
import traceback
from typing import Any

import click

import claimsmith

_COMMANDS = ("cel", "check", "compile", "init", "rule")


class _LazyGroup(click.Group):
    """One module a command, so that each starts fast. A crash exits with 2: 1 is for findings."""

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **extra)
        except OSError as error:
            click.echo(f"claimsmith: {error}", err=True)
            sys.exit(2)
        except Exception:
            traceback.print_exc()
            click.echo("claimsmith crashed, which is a bug: please report what is above", err=True)
            sys.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"claimsmith.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(claimsmith.__version__, prog_name="claimsmith")
def main() -> None:
    """Compile GPU team profiles into Kubernetes Dynamic Resource Allocation configuration.

    Exit status: 0 clean, 1 findings or a difference, 2 wrong usage or a crash.
    """
