"""What the checks of the training script share: the reading of the launch, and related places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Assumption, Location, Related

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.program.model import Reading
    from lens_preflight.program.state import Site

MAX_RELATED = 8


def read(ctx: Context) -> Reading:
    """What the program of the launch does under the generation of the call.

    Raises:
        Skip: there is no script. Undecided: it cannot be read.
    """
    return ctx.program.reading(ctx.settled, ctx.world, ctx.generation)


def instrumented(ctx: Context) -> Reading:
    """The reading of a program that sets telemetry up.

    Raises:
        Skip: it never does. Undecided: only something outside of the tree may.
    """
    reading = read(ctx)
    if reading.setups:
        return reading
    reason, at = outside(reading)
    if reason:
        raise Undecided(f"setup_telemetry is not reached in the source, but {reason}", at)
    raise Skip("not instrumented: the program never calls setup_telemetry of nemo.lens")


def outside(reading: Reading) -> tuple[str, Location | None]:
    """Why a setup may happen out of sight, and where; empty when nothing suggests it."""
    if reading.incomplete:
        return reading.incomplete, reading.model.at
    for reason, site in reading.seen.opaque:
        return reason, reading.location(site)
    if reading.unreached is not None:
        reason, site = reading.unreached
        return reason, reading.location(site)
    return "", None


def worlds_tried(ctx: Context, reading: Reading) -> Iterator[Assumption]:
    """The worlds that were tried because nobody told the real one."""
    if ctx.world is None or not ctx.world.known:
        sizes = ", ".join(f"{w.size} ({w.per_node} per node)" for w in reading.worlds)
        yield Assumption("world size", sizes, "not given; type --world-size, --nodes and --gpus-per-node")
    if not ctx.env.complete and ctx.settled.complete:
        yield Assumption("submitting shell", "sets nothing that the program reads", "type --set NAME=VALUE")


def related(
    reading: Reading, places: Iterable[tuple[str, Site]], at: Location | None = None
) -> tuple[Related, ...]:
    """Related places, each once, without the primary one."""
    out: list[Related] = []
    for text, site in places:
        location = reading.location(site)
        if location != at and all(r.at != location for r in out):
            out.append(Related(text, location))
    return tuple(out[:MAX_RELATED])


def words(site: Site) -> str:
    """What stands at a place, for a message."""
    return site.text.removesuffix("()") + "()" if site.text.endswith("()") else (site.text or "a statement")
