"""What the user gave, parsed but not yet looked into."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lens_preflight.core.accepted import Accepted
from lens_preflight.core.data import dataclass, field
from lens_preflight.core.variable import Environment
from lens_preflight.settings import Settings


@dataclass(frozen=True)
class Inputs:
    """The command line and the settings of one run.

    ``process`` is the environment of this process (empty under ``--no-environ``); ``given`` holds
    what ``--set`` and ``--env-file`` say, which wins over it. ``lens`` is ``auto`` or a generation.
    Paths are as typed, relative to ``folder``. ``baseline`` is there, and empty, when it is to be written.
    """

    targets: tuple[str, ...] = ()
    module: str | None = None
    args: tuple[str, ...] = ()
    profile: str = "login"
    profile_why: str = ""
    offline: bool = False
    process: Environment = field(default_factory=Environment)
    given: Environment = field(default_factory=Environment)
    submit_environ: bool = False
    submit: str | None = None
    lens: str = "auto"
    purpose: str | None = None
    topology: str | None = None
    world_size: int | None = None
    nodes: int | None = None
    gpus_per_node: int | None = None
    path_map: tuple[tuple[str, str], ...] = ()
    endpoint: str | None = None
    backends: Mapping[str, str] = field(default_factory=dict)
    dashboards: tuple[str, ...] = ()
    collector: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    expect: frozenset[int] = frozenset()
    wait: float = 0.0
    canary: bool = False
    baseline: Accepted | None = None
    settings: Settings = field(default_factory=Settings)
    folder: Path = field(default_factory=Path)
