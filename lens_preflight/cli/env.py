"""``lens-preflight env``: what each launch will see, where it comes from, and what it does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from lens_preflight.cli.options import subject_options

if TYPE_CHECKING:
    from lens_preflight.redact import Redactor
    from lens_preflight.subject.launch import Launch


@click.command()
@click.argument("targets", nargs=-1, type=click.Path(), metavar="[TARGET]... [-- ARGS]...")
@subject_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.pass_context
def env(ctx: click.Context, /, targets: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Show the telemetry variables of each launch: value, origin, effect per generation of Lens.

    TARGET is a job script or a training script; without one, this process's environment is shown. Exit
    code: 0, or 3 when a job script could not be read.
    """
    from lens_preflight.cli.exits import CANNOT_TELL
    from lens_preflight.cli.gather import gather
    from lens_preflight.cli.unread import unread
    from lens_preflight.subject.builder import build
    from lens_preflight.subject.secrets import redactor

    subject = build(gather(targets, ctx.obj or (), options))
    hide = redactor(subject)
    tables = [
        {"launch": one.key, **_shape(one), "variables": list(rows(one, hide))} for one in subject.launches
    ]
    troubles = [hide.redact(text) for text in unread(subject)]
    if as_json:
        document = {"schema": "lens-preflight/env/1", "launches": tables, "unread": troubles}
        click.echo(json.dumps(document, indent=2))
    else:
        for number, table in enumerate(tables):
            click.echo(("\n" if number else "") + "\n".join(_lines(table)))
    for text in troubles:
        click.echo(f"lens-preflight: {text}", err=True)
    return CANNOT_TELL if troubles else 0


def _shape(launch: Launch) -> dict[str, Any]:
    return {
        "chain": list(launch.chain),
        "program": launch.program,
        "nodes": launch.nodes,
        "world_size": launch.world_size,
        "framework": launch.framework.id,
    }


def rows(launch: Launch, hide: Redactor) -> Iterator[dict[str, Any]]:
    """One row per variable that telemetry reads or that looks as if it should."""
    from lens_preflight.lens.generations import GENERATIONS
    from lens_preflight.lens.variables import Catalogue, Standing

    catalogues = {g.id: Catalogue(launch.framework, g) for g in GENERATIONS}
    for variable in launch.env:
        standings = {g: c.verdict(variable.name).standing for g, c in catalogues.items()}
        if all(standing is Standing.FOREIGN for standing in standings.values()):
            continue
        yield {
            "name": variable.name,
            "state": variable.state.value,
            "value": None if variable.value is None else hide.variable(variable.name, variable.value),
            "spread": variable.spread.value,
            "origin": hide.redact(str(variable.origin)) if variable.origin else "",
            "reason": hide.redact(variable.reason),
            "effect": {g: standing.value for g, standing in standings.items()},
        }


def _lines(table: Mapping[str, Any]) -> Iterator[str]:
    size = f", {table['world_size']} processes" if table["world_size"] else ""
    chain = " > ".join(table["chain"])
    yield f"{table['launch']}{size}{': ' if chain else ''}{chain}"
    variables = table["variables"]
    if not variables:
        yield "  no variable of Lens or OpenTelemetry is set"
        return
    width = max(len(row["name"]) for row in variables)
    for row in variables:
        shown = (
            row["value"]
            if row["value"] is not None
            else f"({row['state']}: {row['reason'] or row['spread']})"
        )
        yield f"  {row['name']:<{width}}  {_clean(shown)}"
        yield f"  {'':<{width}}  from {row['origin'] or 'nowhere'}; {_effect(row['effect'])}"


def _clean(text: str) -> str:
    """One line of at most 200 printable characters."""
    line = "".join(c if c.isprintable() else "?" for c in text)
    return line if len(line) <= 200 else f"{line[:197]}..."


def _effect(effects: Mapping[str, str]) -> str:
    words = set(effects.values())
    if len(words) == 1:
        return f"{words.pop()} in every generation"
    return ", ".join(f"{generation}: {effect}" for generation, effect in effects.items())
