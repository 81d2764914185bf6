"""``lens-preflight checks``: the list of checks, or the page of one."""

from __future__ import annotations

import click


@click.command()
@click.argument("check_id", metavar="[ID]", required=False)
def checks(check_id: str | None) -> None:
    """List the checks, or show the page of one."""
    from lens_preflight.pages import page
    from lens_preflight.registry import builtin, find, register

    known = register(builtin())
    if check_id is not None:
        click.echo(page(find(check_id, known)), nl=False)
        return
    width = max(len(one.id) for one in known)
    for one in known:
        items = ",".join(str(n) for n in one.items) or "-"
        click.echo(f"{one.id:<{width}}  {items:<4} {one.title}")
    click.echo("\nOne page each: lens-preflight checks ID")
