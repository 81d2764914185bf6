"""``lens-preflight checks``: the list of checks, or the page of one."""

from __future__ import annotations

import click

from lens_preflight.cli.completing import check_ids

SECONDS = 30.0
"""How long code from elsewhere may take to load."""


@click.command()
@click.argument("check_id", metavar="[ID]", required=False, shell_complete=check_ids)
@click.option(
    "--local", multiple=True, type=click.Path(), metavar="FILE", help="A file with checks; it is run."
)
def checks(check_id: str | None, local: tuple[str, ...]) -> None:
    """List the checks, or show the page of one."""
    from lens_preflight.cli.known import known_checks
    from lens_preflight.core.deadline import Deadline
    from lens_preflight.guests import stdout
    from lens_preflight.registry import find
    from lens_preflight.settings import Settings

    known = known_checks(Settings(), local, deadline=Deadline.after(SECONDS))
    out = stdout()
    if check_id is not None:
        from lens_preflight.pages import page

        click.echo(page(find(check_id, known)), nl=False, file=out)
        return
    width = max(len(one.id) for one in known)
    for one in known:
        items = ",".join(str(n) for n in one.items) or "-"
        click.echo(f"{one.id:<{width}}  {items:<4} {one.title}", file=out)
    click.echo("\nOne page each: lens-preflight checks ID", file=out)
