"""The options that several commands share, in groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from lens_preflight.choices import GENERATIONS, PROFILES, PURPOSES, TOPOLOGIES
from lens_preflight.reports import REPORTS

F = TypeVar("F", bound=Callable[..., Any])

REPORT_HELP = f"Repeatable; FORMAT is one of {', '.join(REPORTS)}."

_SUBJECT = (
    click.option("-m", "module", metavar="MODULE", help="The program is a module, as in python -m MODULE."),
    click.option(
        "--job", "job", multiple=True, type=click.Path(), metavar="FILE", help="The same as TARGET."
    ),
    click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A variable of the job."),
    click.option("--env-file", "env_files", multiple=True, type=click.Path(), help="Lines NAME=VALUE."),
    click.option("--no-environ", is_flag=True, help="Leave this process's environment out."),
    click.option("--submit-environ", is_flag=True, help="The job is submitted from this very shell."),
    click.option("--submit", metavar="COMMAND", help="How it is submitted: 'sbatch --export=NONE f'."),
    click.option("--lens", type=click.Choice(GENERATIONS), default="auto", help="Lens generation."),
    click.option("--purpose", type=click.Choice(PURPOSES), help="What the run is for."),
    click.option("--topology", type=click.Choice(TOPOLOGIES), help="Where the collector runs."),
    click.option("--world-size", type=click.IntRange(1, 10_000_000), metavar="N", help="Processes in all."),
    click.option("--nodes", type=click.IntRange(1, 1_000_000), metavar="N", help="Nodes."),
    click.option("--gpus-per-node", type=click.IntRange(1, 10_000), metavar="N", help="Processes a node."),
    click.option("--map", "maps", multiple=True, metavar="IN=OUT", help="Path in the container = here."),
    click.option("--endpoint", metavar="URL", help="Use this endpoint instead of the job's own."),
    click.option("--config", "config", type=click.Path(), help="Settings file [preflight.toml]."),
    click.option(
        "--profile", type=click.Choice(PROFILES), help="Where this runs [auto: CI, allocation, else login]."
    ),
)


def subject_options(function: F) -> F:
    """Add what says which job in which environment is meant."""
    for option in reversed(_SUBJECT):
        function = option(function)
    return function


_VERBOSITY = (
    click.option("-v", "--verbose", count=True, help="Say more; twice for everything."),
    click.option("-q", "--quiet", is_flag=True, help="No console report."),
    click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Colour."),
)


def verbosity_options(function: F) -> F:
    """Add -v, -q and --color."""
    for option in reversed(_VERBOSITY):
        function = option(function)
    return function
