"""The generations of NeMo Lens that a job may run, and what differs between them.

Sources: nemo-lens 0.1.0 (package index) as executed; the tag v0.2.0, the branch that removes rank
and world size, and the branch with the span registry, of the public repository, as read.
"""

from __future__ import annotations

from lens_preflight.core.data import dataclass

SETTINGS = (
    "ENABLED",
    "TRACES_ENABLED",
    "METRICS_ENABLED",
    "LOGS_ENABLED",
    "SPAN_GROUPS",
    "EXPORTER",
    "RUN_ID",
    "USER_ID",
)
"""Keys behind a prefix that every generation reads."""

RANK_SETTINGS = ("EXPORT_STRATEGY", "EXPORT_RANK", "EXPORT_SAMPLE_RATE", "SAMPLER_ENABLED")
"""Keys behind a prefix that only generations with export strategies read."""


@dataclass(frozen=True)
class Generation:
    """One generation of NeMo Lens.

    ``has_strategy``: ``<PREFIX>_EXPORT_STRATEGY`` and the other rank settings are read; without it
    every process with ``enabled`` exports. ``takes_rank``: ``setup_telemetry(config, rank,
    world_size)``; without it the rank arrives as the resource attribute ``rank_key``.
    ``closes_open_spans``: a span still open at shutdown is ended and marked
    ``nemo.span.truncated`` instead of lost. ``has_registry``: libraries register their
    span groups, and unknown names only warn.
    ``logs_follow_protocol``: the protocol variables choose the exporter of logs; so far they never do.
    """

    id: str
    title: str
    has_strategy: bool
    takes_rank: bool
    closes_open_spans: bool
    has_registry: bool
    rank_key: str
    world_size_key: str
    logs_follow_protocol: bool = False

    @property
    def settings(self) -> tuple[str, ...]:
        """The keys that ``from_env`` reads behind a prefix."""
        return (*SETTINGS, *RANK_SETTINGS) if self.has_strategy else SETTINGS

    def __str__(self) -> str:
        return self.id


GENERATIONS = (
    Generation(
        id="0.1",
        title="nemo-lens 0.1",
        has_strategy=True,
        takes_rank=True,
        closes_open_spans=False,
        has_registry=False,
        rank_key="dl.rank",
        world_size_key="dl.world_size",
    ),
    Generation(
        id="0.2",
        title="nemo-lens 0.2",
        has_strategy=True,
        takes_rank=True,
        closes_open_spans=True,
        has_registry=False,
        rank_key="dl.rank",
        world_size_key="dl.world_size",
    ),
    Generation(
        id="nightly",
        title="nemo-lens nightly",
        has_strategy=False,
        takes_rank=False,
        closes_open_spans=True,
        has_registry=True,
        rank_key="nv.dl.rank",
        world_size_key="nv.dl.world_size",
    ),
)
"""Oldest first."""


def generation(id: str) -> Generation:
    """The generation of that id; KeyError when there is none."""
    for candidate in GENERATIONS:
        if candidate.id == id:
            return candidate
    raise KeyError(f"no generation {id!r}; known: {', '.join(g.id for g in GENERATIONS)}")
