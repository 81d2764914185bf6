"""One start of processes: the program, its environment, and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment
from lens_preflight.core.world import World

if TYPE_CHECKING:
    from lens_preflight.jobs.model import JobLaunch
    from lens_preflight.lens.frameworks import Framework

SERVICES = ("ray start",)
"""Links of a chain that start a service which waits for programs of others."""


@dataclass(frozen=True)
class Launch:
    """What one launch command starts.

    ``key`` names it (``train.sbatch:13``, or the script of a plain check, or ``environment``).
    ``program`` is the word of the command line, ``program_file`` the file on this side of any
    container, None when there is none. ``world`` is None when nobody says how many processes run.
    ``job`` is the launch as the job script's model has it; ``settled`` its environment if the shell
    that submits sets nothing more than is known of it.
    """

    key: str
    env: Environment
    framework: Framework
    at: Location | None = None
    chain: tuple[str, ...] = ()
    program: str | None = None
    program_file: str | None = None
    module: str | None = None
    args: tuple[str, ...] = ()
    nodes: int | None = None
    tasks_per_node: int | None = None
    procs_per_task: int | None = None
    world_size: int | None = None
    world: World | None = None
    import_roots: tuple[str, ...] = ()
    job: JobLaunch | None = field(default=None, repr=False)
    settled: Environment | None = field(default=None, repr=False)

    @property
    def service(self) -> str:
        """The command that starts a service and no training program, such as ``ray start``; else empty."""
        return next((link for link in self.chain if link in SERVICES), "")
