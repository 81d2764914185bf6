"""What the shell offers for the words that are no fixed choice: ids of checks, formats, items."""

from __future__ import annotations

from collections.abc import Iterable

import click

ITEMS = (*(str(number) for number in range(1, 10)), "all")


def check_ids(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """The ids of the built-in checks, for the last word of a list with commas."""
    from lens_preflight.registry import builtin

    return last_word((one.id for one in builtin()), typed)


def formats(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """The report formats; behind ``=`` stands a path, which is the shell's own business."""
    from lens_preflight.reports import REPORTS

    return [] if "=" in typed else [name for name in REPORTS if name.startswith(typed)]


def items(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """The items of the checklist, for the last word of a list with commas."""
    return last_word(ITEMS, typed)


def last_word(words: Iterable[str], typed: str) -> list[str]:
    """The words that may end a list with commas, each with what is typed before it."""
    before, comma, start = typed.rpartition(",")
    taken = set(before.split(","))
    return [f"{before}{comma}{word}" for word in words if word.startswith(start) and word not in taken]
