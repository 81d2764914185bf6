"""Which of the nodes that have a report belong to the allocation, and which are not there."""

from __future__ import annotations

from collections.abc import Sequence

from lens_preflight.core.data import dataclass
from lens_preflight.gate.gathered import Gathered


@dataclass(frozen=True)
class Nodes:
    """Which nodes count: ``present`` have a report of the job, in ``job``; the others are sorted out."""

    job: str
    present: tuple[str, ...]
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    """Their newest report is of another job."""
    foreign: tuple[str, ...]
    """Not expected, so not counted."""
    incomplete: tuple[str, ...]


def choose(gathered: Gathered, expected: Sequence[str], job: str) -> Nodes:
    """Sort the nodes. Without ``job`` it is that of the newest report; without expected nodes, all."""
    newest = max(gathered.nodes.values(), key=lambda e: e.started, default=None)
    wanted = job or (newest.job if newest is not None else "")
    ours = {n for n, entry in gathered.nodes.items() if entry.job == wanted}
    allowed_nodes = set(expected) or ours
    present = sorted(ours & allowed_nodes)
    return Nodes(
        job=wanted,
        present=tuple(present),
        missing=tuple(sorted(set(expected) - ours)),
        stale=tuple(sorted(set(gathered.nodes) - ours)),
        foreign=tuple(sorted(ours - allowed_nodes)),
        incomplete=tuple(n for n in present if gathered.nodes[n].incomplete),
    )
