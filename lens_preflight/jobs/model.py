"""What a job file says: launches with the environment each process will have, and what was lost on the way."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment
from lens_preflight.jobs.endpoints import Endpoint
from lens_preflight.jobs.text import Text

if TYPE_CHECKING:
    from lens_preflight.lens.frameworks import Framework


class Delivery(enum.Enum):
    """What becomes of the SIGTERM that ends the job early."""

    REACHES_PYTHON = "reaches-python"
    BATCH_SHELL_ONLY = "batch-shell-only"
    SWALLOWED = "swallowed"
    UNKNOWN = "unknown"


class Loss(enum.Enum):
    """Why a variable that somebody set does not reach the process."""

    NOT_EXPORTED = "not-exported"
    AFTER_LAUNCH = "exported-after-launch"
    DEAD_CODE = "dead-code"
    SUBSHELL = "subshell"
    PIPELINE = "pipeline-subshell"
    BACKGROUND = "background"
    METACHARACTER = "unquoted-metacharacter"
    FUNCTION_LOCAL = "function-local"
    PREFIX = "prefix-on-other-command"
    BAD_ASSIGNMENT = "bad-assignment"
    ARRAY = "array"
    UNSET_AGAIN = "unset"
    EXPORT_NONE = "slurm-export-none"
    EXPORT_LIST = "slurm-export-list"
    SRUN_LIST = "srun-export-list"
    SRUN_NONE = "srun-export-none"
    CONTAINER = "container-boundary"
    CLEANENV = "cleanenv"
    SUDO = "sudo"
    ENV_CLEARED = "env-cleared"
    EXEC_CLEARED = "exec-cleared"
    LOGIN_SHELL = "login-shell"
    REMOTE_SHELL = "remote-shell"
    MPIRUN = "mpirun-without-x"
    DEEPSPEED = "deepspeed-remote"
    RAY_ORDER = "after-ray-start"
    REPLICA = "replica-spec-lacks-it"
    INNER_UNSET = "inner-shell-unset"


@dataclass(frozen=True)
class Lost:
    """A variable that was set and does not arrive.

    ``at`` is the first link that drops it, in the job file; ``set_at`` where it was set.
    """

    name: str
    loss: Loss
    at: Location
    set_at: Location | None = None
    link: str = ""


@dataclass(frozen=True)
class Directive:
    """One option of a ``#SBATCH`` line; ``inert`` ones stand below the first command."""

    option: str
    value: str | None
    at: Location
    inert: bool = False


class Slip(enum.Enum):
    """A mistake of the shell text whose effect is not a lost variable."""

    WORD_SPLIT = "word-split-value"
    EMPTY = "empty-value"
    QUOTED_LITERALLY = "quote-no-expand"
    EARLY = "early-expansion"
    BAD_ASSIGNMENT = "bad-assignment"
    OUTSIDE_JOB = "slurm-var-outside-job"
    QUOTES_KEPT = "env-file-quotes-kept"
    ABORTS = "script-aborts"
    METACHARACTER = "unquoted-metacharacter"


@dataclass(frozen=True)
class Remark:
    """Something that the text says and hardly means; ``name`` is the variable, ``detail`` one clause.

    ``meant``: the text provides for it (``${A:-}``).
    """

    slip: Slip
    name: str
    at: Location
    detail: str = ""
    inner: Location | None = None
    meant: bool = False


@dataclass(frozen=True)
class Secret:
    """A secret in clear text: where, in which variable or option; never the text itself."""

    name: str
    at: Location
    on_command_line: bool = False


@dataclass(frozen=True)
class Opaque:
    """A place that cannot be read: what stands there, why it matters, and the line."""

    what: str
    why: str
    at: Location


@dataclass(frozen=True)
class Signal:
    """``--signal=[B:]NAME@SECONDS``: the early warning of Slurm."""

    name: str
    seconds: float | None
    batch_only: bool
    at: Location | None


@dataclass(frozen=True)
class Container:
    """The container that a launch runs in. ``mounts`` maps paths inside to paths outside."""

    runtime: str
    image: str
    at: Location
    mounts: tuple[tuple[str, str], ...] = ()
    workdir: str | None = None
    host_network: bool = True
    passed: frozenset[str] = frozenset()
    sidecars: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobLaunch:
    """One start of training processes.

    ``at`` is the line of the program word, ``command_at`` that of the outermost command. ``env`` is
    what each training process sees, ``launcher_env`` what the program word itself sees (the agent,
    for torchrun and its kin). ``written`` tells how a variable is composed, ``gpt-{SLURM_JOB_ID}``
    with its symbols. Counts are None when they cannot be said; ``gpus_per_node`` may be ``all``.
    ``grace`` is the time in seconds between SIGTERM and SIGKILL, as far as the job says.
    ``replicas`` > 1: as many worlds of their own. ``conditional``: behind a branch. ``helper``: it
    starts daemons (``ray start``) and no training. ``background``: started with ``&``; ``segment``: of
    one srun with several; ``from_batch``: its command stands in a batch script.
    ``submission`` counts the jobs that the script submits; ``follows``: it waits for another of them.
    ``array``: the elements of the array job that it belongs to, empty for a single one. ``loop_start`` > 0:
    in a loop whose turns are not known, which began at that point of the reading.
    """

    key: str
    at: Location
    command_at: Location
    chain: tuple[str, ...]
    env: Environment
    launcher_env: Environment
    framework: Framework
    program: str | None = None
    program_file: str | None = None
    module: str | None = None
    args: tuple[str, ...] = ()
    nodes: int | None = None
    tasks_per_node: int | None = None
    tasks: int | None = None
    procs_per_task: int | None = None
    gpus_per_node: int | str | None = None
    world_size: int | None = None
    replicas: int = 1
    agents: int | None = None
    agent_nodes: int | None = None
    written: Mapping[str, Text] = field(default_factory=dict)
    lost: tuple[Lost, ...] = ()
    remarks: tuple[Remark, ...] = ()
    sigterm_delivery: Delivery = Delivery.UNKNOWN
    sigterm_at: Location | None = None
    sigterm_why: str = ""
    grace: float | None = None
    container: Container | None = None
    workdir: str | None = None
    in_image: bool = False
    opaque_program: str = ""
    conditional: bool = False
    helper: bool = False
    background: bool = False
    segment: bool = False
    loop_start: int = 0
    from_batch: bool = False
    submission: int = 0
    follows: bool = False
    array: str = ""
    pods: bool = False
    secrets: tuple[Secret, ...] = ()
    endpoints: tuple[Endpoint, ...] = ()


@dataclass(frozen=True)
class JobModel:
    """One job file, read.

    ``kind``: sbatch, shell, kubernetes, python, or another language by its name; ``unread`` is a
    reason when the file, or a part, was not understood. ``refused`` says why sbatch would not take it.
    """

    path: str
    kind: str
    launches: tuple[JobLaunch, ...] = ()
    unread: str = ""
    unread_at: Location | None = None
    remedy: str = ""
    directives: tuple[Directive, ...] = ()
    remarks: tuple[Remark, ...] = ()
    secrets: tuple[Secret, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    sourced: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    path_map: tuple[tuple[str, str], ...] = ()
    requeue: bool = False
    resubmits: bool = False
    signal: Signal | None = None
    batch: bool = False
    refused: str = ""

    @property
    def inert(self) -> tuple[Directive, ...]:
        """Directives that Slurm does not read."""
        return tuple(d for d in self.directives if d.inert)
