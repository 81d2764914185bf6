"""The command line: each command parses, builds one object and calls one function."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from lens_preflight import __version__
from lens_preflight.cli.exits import leave
from lens_preflight.suggest import did_you_mean

COMPLETION = "_LENS_PREFLIGHT_COMPLETE"
COMMANDS = {
    "check": "lens_preflight.cli.check:check",
    "env": "lens_preflight.cli.env:env",
    "probe": "lens_preflight.cli.probe:probe",
    "checks": "lens_preflight.cli.checks:checks",
    "init": "lens_preflight.cli.init:init",
    "gate": "lens_preflight.cli.gate:gate",
    "merge": "lens_preflight.cli.merge:merge",
    "sink": "lens_preflight.cli.sink:sink",
    "demo": "lens_preflight.cli.demo:demo",
}
"""Where each command lives; it is imported when it is needed."""


class LazyGroup(click.Group):
    """A group that imports a command when it is called or listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command for the arguments; names the nearest one when it is not known."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command is called {args[0]!r}; {did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lens-preflight")
def cli() -> None:
    """Will this training job's telemetry arrive, be found again by nemo.run.id, and do no harm?

    Start with:  lens-preflight check train.sbatch
    """


def completion() -> int:
    """Answer a shell that asks how words may end; click leaves through SystemExit when it is done."""
    try:
        cli.main(args=[], prog_name="lens-preflight")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    return 0


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with its code; words behind ``--`` are the program's."""
    if os.environ.get(COMPLETION):  # empty is unset, as everywhere in a shell
        leave(completion)
    words = list(sys.argv[1:] if args is None else args)
    cut = words.index("--") if "--" in words else len(words)
    ours, rest = words[:cut], tuple(words[cut + 1 :])
    leave(lambda: cli.main(args=ours, prog_name="lens-preflight", standalone_mode=False, obj=rest))
