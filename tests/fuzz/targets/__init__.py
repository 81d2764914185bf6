"""All entry points under fuzz; their shares add up to 20,000."""

from __future__ import annotations

from tests.fuzz.target import Target
from tests.fuzz.targets import (
    backends,
    collectors,
    commands,
    dashboards,
    environments,
    jobs,
    nodes,
    programs,
    reports,
    settings,
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
    *reports.TARGETS,
    *commands.TARGETS,
)

BY_NAME = {target.name: target for target in TARGETS}
