"""All entry points under fuzz; their shares add up to 20,000."""

from __future__ import annotations

from tests.fuzz.target import Target
from tests.fuzz.targets import (
    arguments,
    backends,
    collectors,
    commands,
    dashboards,
    environments,
    gate,
    jobs,
    nodes,
    peers,
    programs,
    reports,
    settings,
    waivers,
    wire,
)

TARGETS: tuple[Target, ...] = (
    *settings.TARGETS,
    *environments.TARGETS,
    *jobs.TARGETS,
    *programs.TARGETS,
    *dashboards.TARGETS,
    *collectors.TARGETS,
    *backends.TARGETS,
    *nodes.TARGETS,
    *wire.TARGETS,
    *gate.TARGETS,
    *peers.TARGETS,
    *reports.TARGETS,
    *waivers.TARGETS,
    *commands.TARGETS,
    *arguments.TARGETS,
)

BY_NAME = {target.name: target for target in TARGETS}
